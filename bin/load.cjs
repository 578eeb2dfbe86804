/**
 * Loads the program with the code that V8 made of it when it was built, which takes 10 ms less than compiling it anew. V8 refuses what another version of it
 * made; then, and where there is none, the program is compiled. Of the program it compares the length only: `npm run build` removes the code first. Such a script imports nothing by itself (src/gpu/webgpu.ts).
 */
const { existsSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { dirname, join } = require('node:path');
const vm = require('node:vm');

const PROGRAM = join(__dirname, '../dist/bundle/main.cjs');
const CODE = join(__dirname, '../dist/bundle/main.code');

/** The program's exports, and the script they come from. */
function compile() {
  const script = new vm.Script(`(function (exports, require, module, __filename, __dirname) {${readFileSync(PROGRAM, 'utf8')}\n})`, {
    filename: PROGRAM,
    cachedData: existsSync(CODE) ? readFileSync(CODE) : undefined,
  });
  const program = { exports: {} };
  script.runInThisContext()(program.exports, createRequire(PROGRAM), program, PROGRAM, dirname(PROGRAM));
  return { program: program.exports, script };
}

exports.load = () => compile().program;

/** Keeps the code of the program as built last, with the functions in it that a sort calls; where that sort fails none is kept. For `npm run build`. */
exports.keepCode = async () => {
  const { program, script } = compile();
  process.argv = [process.execPath, 'gpusort', '--engine=cpu', '--parallel=2', '--chunk-size=64K', '-k1,1n', PROGRAM, '-o', require('node:os').devNull];
  await program.main();
  if (!process.exitCode) {
    writeFileSync(`${CODE}.new`, script.createCachedData());
    renameSync(`${CODE}.new`, CODE);
  }
  process.exitCode = 0;
};
