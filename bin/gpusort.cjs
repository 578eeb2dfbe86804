#!/usr/bin/env node
// CommonJS, because the size of libuv's thread pool is fixed before the first ES module runs; its default is 4 reads at once.
process.env.UV_THREADPOOL_SIZE ||= '16';
try {
  // All is written then: messages at once, and the output is waited for. To end by itself, the process would first give back all memory, piece by piece: 10 ms and more.
  require('./load.cjs').load().main().then(() => process.exit());
} catch (error) {
  console.error(`gpusort: cannot start: ${error.message.split('\n')[0]}`);
  process.exitCode = 2;
}
