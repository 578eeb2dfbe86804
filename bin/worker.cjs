/** The program of worker threads (src/engines/worker.ts). It runs the bundles of the program, with their compiled code. */
require('./load.cjs').bundle('thread');
