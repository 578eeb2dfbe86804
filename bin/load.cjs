/**
 * Loads the program's bundles (tools/build/program.mjs) with V8's compiled code, each when it is first needed. The
 * build makes the code of common bundles for the Node that it runs on. For others, a sort stores the code in the user's
 * cache (bin/code-cache.cjs). A cached script cannot import modules (src/engines/gpu/device/webgpu.ts).
 */
const {
  closeSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  writeFileSync,
} = require('node:fs');
const { join } = require('node:path');
const vm = require('node:vm');

const BUNDLES = join(__dirname, '../dist/bundle');
/** Bytes of text before the code, which identify Node and its options. */
const HEADER_BYTES = 256;
/**
 * Processor time in microseconds. After a longer sort, the code may be incomplete, because V8 drops functions that have
 * not run for a while.
 */
const LONGEST_US = 1_000_000;
const PARAMETERS = ['module', 'require', 'bundle', '__filename'];

/** The bundles loaded so far: their exports, script, built code, and function that caches their code. */
const loaded = new Map();

/** The facts that V8's code depends on besides the program: V8 itself, and options that change the compiled code. */
function runtime() {
  const { node, v8 } = process.versions;
  const options = process.execArgv.filter((option) => option !== '--disable-sigusr1');
  return `${node} ${v8} ${process.arch} ${[...options, process.env.NODE_OPTIONS ?? ''].join(' ')}`;
}

/** The code that the build made; undefined if it made none, or for another Node. */
function builtCode(name) {
  let file;
  try {
    file = openSync(join(BUNDLES, `${name}.code`));
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

/** The exports of a bundle: those of its modules, by the names of their files in src/. */
function bundle(name) {
  let one = loaded.get(name);
  if (one === undefined) {
    one = { exports: {} };
    loaded.set(name, one);
    try {
      run(name, one);
    } catch (error) {
      // Too many files are open, for example. The report of this error may need the bundle, when fewer files are open.
      loaded.delete(name);
      throw error;
    }
  }
  return one.exports;
}

/** A text that changes whenever the file does: no program can set the time of the last change of its status. */
function versionOf(file) {
  const { size, ino, ctimeNs } = statSync(file, { bigint: true });
  return `${size} ${ino} ${ctimeNs}`;
}

function run(name, one) {
  const file = join(BUNDLES, `${name}.cjs`);
  one.code = builtCode(name);
  // Before the program is read: if it is replaced meanwhile, the code is kept for the replaced one and never used.
  const cache = one.code === undefined ? require('./code-cache.cjs').openCache(runtime(), versionOf(file)) : null;
  const program = readFileSync(file);
  const cachedData = one.code ?? cache?.code;
  // The name in stack traces: V8's code holds it, so it may not depend on where the program is installed. The text is
  // ASCII, which is decoded fastest as latin1.
  one.script = new vm.Script(`(function (${PARAMETERS}) {${program.latin1Slice()}\n})`, {
    filename: `dist/bundle/${name}.cjs`,
    cachedData,
  });
  if (cache !== null && (cachedData === undefined || one.script.cachedDataRejected))
    one.keep = () => cache.keep(() => one.script.createCachedData());
  one.script.runInThisContext()(one, require, bundle, file);
}

exports.bundle = bundle;

/** The names of the bundles loaded so far. */
exports.loadedBundles = () => [...loaded.keys()];

/** Loads the program. */
exports.load = () => bundle('core')['cli/main.ts'];

/** Call this after a successful sort: it stores the program's code in the user's cache if it is not there yet. */
exports.keep = () => {
  const { user, system } = process.cpuUsage();
  if (user + system > LONGEST_US) return;
  try {
    for (const { keep } of loaded.values()) keep?.();
  } catch {
    /* without it, the next start takes as long as this one */
  }
};

/**
 * Runs a command for `npm run build` and writes the code of the bundles that it loaded and that have none. V8 compiles
 * functions when they are first called. If the command fails, nothing is written.
 */
exports.build = async (args) => {
  const program = exports.load();
  process.argv = [process.execPath, 'gpusort', ...args];
  await program.main();
  const header = Buffer.from(runtime().padEnd(HEADER_BYTES), 'latin1');
  for (const [name, { script, code }] of process.exitCode ? [] : loaded) {
    if (code !== undefined) continue;
    const file = join(BUNDLES, `${name}.code`);
    writeFileSync(`${file}.new`, Buffer.concat([header, script.createCachedData()]));
    renameSync(`${file}.new`, file);
  }
};
