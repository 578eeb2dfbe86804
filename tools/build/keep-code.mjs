/**
 * Writes the compiled code of the bundles that a command loads: `node tools/build/keep-code.mjs ARGUMENT...`. V8
 * compiles functions when they are first called, so the command should call those that are wanted at each start.
 */
import { createRequire } from 'node:module';

await createRequire(import.meta.url)('../../bin/load.cjs').build(process.argv.slice(2));
