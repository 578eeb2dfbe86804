/**
 * Writes the compiled code of the bundles that a command loads: `node tools/build/keep-code.mjs PACKAGE ARGUMENT...`,
 * with the folder of the package that gets it. V8 compiles functions when they are first called, so the command should
 * call those that are wanted at each start.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [folder, ...words] = process.argv.slice(2);
await createRequire(join(folder, 'package.json'))('./bin/load.cjs').build(words);
