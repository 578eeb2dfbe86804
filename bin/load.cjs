/**
 * Loads the program's bundles (tools/build/program.mjs) with V8's compiled code, each when it is first needed. The
 * build makes the code of common bundles for the Node that it runs on. For others, a sort stores the code in the user's
 * cache (bin/code-cache.cjs). A cached script cannot import modules (src/engines/gpu/device/webgpu.ts).
 */
const {
  closeSync,
  existsSync,
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

const DIST = join(__dirname, '../dist');
/** In a clone, it names the folder of the last build; a later build makes another one (tools/build/publish.mjs). */
const CURRENT = join(DIST, 'current');
/** Bytes of text before the code, which identify Node and its options. */
const HEADER_BYTES = 256;
/**
 * Processor time in microseconds. After a longer sort, the code may be incomplete, because V8 drops functions that have
 * not run for a while.
 */
const LONGEST_US = 1_000_000;
const PARAMETERS = ['module', 'require', 'bundle', '__filename'];

/** The folder of bundles and kernels that this thread uses: the process stays with the one that it started with. */
let build = existsSync(CURRENT) ? join(DIST, 'builds', readFileSync(CURRENT, 'latin1')) : DIST;

/** The bundles loaded so far: their exports, script, built code, and function that caches their code. */
const loaded = new Map();
/** Whether an error is being described, for which a bundle may be missing, too. */
let isDescribing = false;

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
    file = openSync(join(build, 'bundle', `${name}.code`));
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
    // Before it runs, because bundles import each other.
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

/** The text of a bundle and, if wanted, the user's cache of its code. */
function readBundle(name, file, wantsCache) {
  try {
    // Before the program is read: if it is replaced meanwhile, the code is kept for the replaced one and never used.
    const cache = wantsCache ? require('./code-cache.cjs').openCache(runtime(), versionOf(file)) : null;
    return { program: readFileSync(file), cache };
  } catch (error) {
    throw describe(name, error);
  }
}

/** The error for a bundle that cannot be read, in the program's words if the bundles with the words can be loaded. */
function describe(name, error) {
  if (isDescribing || loaded.get('base')?.script === undefined) return error;
  isDescribing = true;
  try {
    return bundle('base')['system/installed.ts'].cannotReadInstalled(`dist/bundle/${name}.cjs`, error);
  } catch {
    return error;
  } finally {
    isDescribing = false;
  }
}

function run(name, one) {
  const file = join(build, 'bundle', `${name}.cjs`);
  one.code = builtCode(name);
  const { program, cache } = readBundle(name, file, one.code === undefined);
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

/** Takes the bundles from this folder. Call it first: threads use the build of the process that starts them. */
exports.useBuild = (folder) => {
  build = folder;
};

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
    const file = join(build, 'bundle', `${name}.code`);
    writeFileSync(`${file}.new`, Buffer.concat([header, script.createCachedData()]));
    renameSync(`${file}.new`, file);
  }
};
