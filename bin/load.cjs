/**
 * Loads the program with V8's code cache from the build, which takes 10 ms less than compiling it. If there is no
 * cache, or another version of V8 made it, V8 compiles the program. V8 checks the cache only against the program's
 * length, so `npm run build` removes the cache first. A cached script cannot import modules (src/gpu/device/webgpu.ts).
 */
const { existsSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { dirname, join } = require('node:path');
const vm = require('node:vm');

const PROGRAM = join(__dirname, '../dist/bundle/main.cjs');
const CODE = join(__dirname, '../dist/bundle/main.code');

/** The program's exports, and the script they come from. */
function compile() {
  const script = new vm.Script(
    `(function (exports, require, module, __filename, __dirname) {${readFileSync(PROGRAM, 'utf8')}\n})`,
    {
      filename: PROGRAM,
      cachedData: existsSync(CODE) ? readFileSync(CODE) : undefined,
    },
  );
  const program = { exports: {} };
  script.runInThisContext()(program.exports, createRequire(PROGRAM), program, PROGRAM, dirname(PROGRAM));
  return { program: program.exports, script };
}

exports.load = () => compile().program;

/**
 * Writes the code cache for `npm run build`. It runs a sort first, so that the cache holds the functions of a sort. If
 * that sort fails, it writes no cache.
 */
exports.keepCode = async () => {
  const { program, script } = compile();
  process.argv = [
    process.execPath,
    'gpusort',
    '--engine=cpu',
    '--parallel=2',
    '--chunk-size=64K',
    '-k1,1n',
    PROGRAM,
    '-o',
    require('node:os').devNull,
  ];
  await program.main();
  if (!process.exitCode) {
    writeFileSync(`${CODE}.new`, script.createCachedData());
    renameSync(`${CODE}.new`, CODE);
  }
  process.exitCode = 0;
};
