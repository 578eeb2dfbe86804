/** The program of worker threads (src/run/worker.ts), with the program's bundles and their compiled code. */
const load = require('./load.cjs');

// The argument is the folder of the build that started the thread.
load.useBuild(process.argv[2]);
load.bundle('thread');
