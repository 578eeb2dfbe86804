/**
 * Writes V8's code for the program in a folder (bin/load.cjs), the same bytes each time. To be run by the Node that the
 * code is for, without which V8 compiles in another order and hashes with a random seed:
 *
 *     node --predictable --random-seed=1 release/build-code.cjs DIRECTORY
 */
const { join, resolve } = require('node:path');

// The code is for a Node without options. V8 itself leaves these two out of what it compares.
process.execArgv = [];
require(join(resolve(process.argv[2]), 'bin/load.cjs'))
  .build()
  .then(() => process.exit());
