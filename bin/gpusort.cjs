#!/usr/bin/env node
// CommonJS, because both settings come too late once the first ES module runs.
// The size of libuv's thread pool: its default is 4 reads at once.
process.env.UV_THREADPOOL_SIZE ||= '16';
// Records never become JavaScript objects, so there is little to collect: helper threads would only take turns with the sort's own.
require('node:v8').setFlagsFromString('--single-threaded-gc');
import('../dist/cli/main.js').then(({ main }) => main(), error => {
  console.error(`gpusort: cannot start: ${error.message}`);
  process.exitCode = 2;
});
