#!/usr/bin/env node
// Old versions of Node must be able to read this file.
// Without a handler USR1 opens Node's debugger. src/cli/terminal/signals.ts adds one that ends the program.
process.on('SIGUSR1', () => {});
// CommonJS, because the size of libuv's thread pool is fixed before the first ES module runs. Its default is 4 reads at
// once.
process.env.UV_THREADPOOL_SIZE = process.env.UV_THREADPOOL_SIZE || '16';

const refuse = (problem) => {
  console.error(`gpusort: ${problem}`);
  process.exitCode = 2;
};

try {
  const problem = require('./node-version.cjs').problemOf(process.versions.node, process.execPath);
  if (problem === null) start();
  else refuse(problem);
} catch (error) {
  refuse(`cannot start: ${error.message.split('\n')[0]}`);
}

function start() {
  // Everything has been flushed by then: messages are synchronous, and main() awaits the output. Without exit(), the
  // process would first free all memory piece by piece, which takes 10 ms and more.
  const { keep, load } = require('./load.cjs');
  load()
    .main()
    .then(
      (sorted) => {
        if (sorted) keep();
      },
      // A part of the program that reports errors cannot be loaded.
      (error) => refuse(`cannot continue: ${error.message.split('\n')[0]}`),
    )
    .then(() => process.exit());
}
