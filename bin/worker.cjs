/** The program of worker threads (src/engines/worker.ts), with the program's bundles and their compiled code. */
require('./load.cjs').bundle('thread');
