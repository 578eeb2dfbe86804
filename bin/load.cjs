/**
 * Loads the program with V8's compiled code, which saves a quarter of the time of a small sort. The build makes this
 * code for the Node that it runs on. For any other Node, a sort stores it in the user's cache (bin/code-cache.cjs). A
 * cached script cannot import modules (src/engines/gpu/device/webgpu.ts).
 */
const { closeSync, fstatSync, openSync, readFileSync, readSync, renameSync, writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { dirname, join } = require('node:path');
const vm = require('node:vm');

const PROGRAM = join(__dirname, '../dist/bundle/main.cjs');
const CODE = join(__dirname, '../dist/bundle/main.code');
/** Bytes of text before the code, which identify Node and its options. */
const HEADER_BYTES = 256;
/**
 * Processor time in microseconds. After a longer sort, the code may be incomplete, because V8 drops functions that have
 * not run for a while.
 */
const LONGEST_US = 1_000_000;

/** The program's name in stack traces: V8's code holds it, so it may not depend on where the program is installed. */
const PROGRAM_NAME = 'dist/bundle/main.cjs';

/** Keeps the code of this process for the next one; null if there is nothing to keep. */
let keepCode = null;

/** The facts that V8's code depends on besides the program: V8 itself, and options that change the compiled code. */
function runtime() {
  const { node, v8 } = process.versions;
  const options = process.execArgv.filter((option) => option !== '--disable-sigusr1');
  return `${node} ${v8} ${process.arch} ${[...options, process.env.NODE_OPTIONS ?? ''].join(' ')}`;
}

/** The code that the build made; undefined if it is for another Node. */
function builtCode() {
  let file;
  try {
    file = openSync(CODE);
    const header = Buffer.alloc(HEADER_BYTES);
    readSync(file, header, 0, HEADER_BYTES, 0);
    if (header.toString('latin1').trimEnd() !== runtime().trimEnd()) return undefined;
    const code = Buffer.allocUnsafeSlow(fstatSync(file).size - HEADER_BYTES);
    return readSync(file, code, 0, code.length, HEADER_BYTES) === code.length ? code : undefined;
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** The program's exports, and the script they come from. */
function compile(program, cachedData) {
  const script = new vm.Script(`(function (exports, require, module, __filename, __dirname) {${program}\n})`, {
    filename: PROGRAM_NAME,
    cachedData,
  });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(PROGRAM), module, PROGRAM, dirname(PROGRAM));
  return { exports: module.exports, script };
}

exports.load = () => {
  const program = readFileSync(PROGRAM);
  const built = builtCode();
  if (built !== undefined) return compile(program, built).exports;
  const { openCache } = require('./code-cache.cjs');
  const cache = openCache(runtime(), program);
  const { exports, script } = compile(program, cache?.code);
  if (cache !== null && (cache.code === undefined || script.cachedDataRejected)) {
    keepCode = () => cache.keep(() => script.createCachedData());
  }
  return exports;
};

/** Call this after a successful sort: it stores the program's code in the user's cache if it is not there yet. */
exports.keep = () => {
  const { user, system } = process.cpuUsage();
  if (user + system > LONGEST_US) return;
  try {
    keepCode?.();
  } catch {
    /* without it, the next start takes as long as this one */
  }
};

/**
 * Writes the code for `npm run build`. It runs a sort first, because that compiles the functions of a sort. If that
 * sort fails, it writes nothing.
 */
exports.build = async () => {
  const { exports: program, script } = compile(readFileSync(PROGRAM));
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
    const header = Buffer.from(runtime().padEnd(HEADER_BYTES), 'latin1');
    writeFileSync(`${CODE}.new`, Buffer.concat([header, script.createCachedData()]));
    renameSync(`${CODE}.new`, CODE);
  }
  process.exitCode = 0;
};
