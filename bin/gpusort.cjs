#!/usr/bin/env node
// CommonJS, because the size of libuv's thread pool is fixed before the first ES module runs; its default is 4 reads at once.
process.env.UV_THREADPOOL_SIZE ||= '16';
try {
  // One file: loading the modules one by one takes 35 ms more.
  require('../dist/bundle/main.cjs').main();
} catch (error) {
  console.error(`gpusort: cannot start: ${error.message.split('\n')[0]}`);
  process.exitCode = 2;
}
