/** Files that are part of gpusort itself: compiled kernels, shaders, the program of worker threads. */
import { fileURLToPath } from 'node:url';
import { type GpusortError, systemError } from './errors.js';
import { fileSystem } from './file-system.js';
import { checkWebAssembly } from './memory.js';

/**
 * The ID of the program's build that belongs to the library. Defined only in the library's bundle
 * (tools/build/main.mjs).
 */
declare const BUILD_ID: string;
const DIST = 'dist/';

/** The package's directory: the nearest one above this code that holds the compiled kernels. Small sorts need none. */
let root: URL | undefined;
let build: URL | undefined;

function packageRoot(): URL {
  for (let directory = new URL('.', import.meta.url); ; ) {
    const parent = new URL('../..', directory);
    if (exists(new URL('dist/wasm', directory)) || parent.href === directory.href) return directory;
    directory = parent;
  }
}

/**
 * The folder of the compiled kernels and the bundles that belong to this code. In a clone, each build of the program
 * has one of its own below dist/ (tools/build/publish.mjs).
 */
function buildFolder(): URL {
  const beside = new URL('../', import.meta.url);
  const dist = exists(new URL('wasm', beside)) ? beside : new URL(DIST, (root ??= packageRoot()));
  if (typeof BUILD_ID === 'undefined') return dist;
  const own = new URL(`builds/${BUILD_ID}/`, dist);
  return exists(own) ? own : dist;
}

function exists(path: URL): boolean {
  return fileSystem.existsSync(fileURLToPath(path));
}

/** Where a file of the package is. `path` is relative to the package's directory. */
export function installed(path: string): URL {
  if (path.startsWith(DIST)) return new URL(path.slice(DIST.length), (build ??= buildFolder()));
  return new URL(path, (root ??= packageRoot()));
}

/** The error for a file of the package that cannot be read: the installation is incomplete, or this code was moved. */
export function cannotReadInstalled(path: string, error: unknown): GpusortError {
  return systemError(
    'cannot-read',
    'cannot read a file of gpusort itself',
    fileURLToPath(installed(path)),
    error,
    'Install gpusort again. If a bundler has packed your program, declare gpusort external to the bundler.',
  );
}

/** The whole file, by its path in the package. Throws `cannot-read`. */
export function readInstalled(path: string): Buffer {
  try {
    return fileSystem.readFileSync(installed(path));
  } catch (error) {
    throw cannotReadInstalled(path, error);
  }
}

/** A global of a WebAssembly module that is a number. */
export interface WasmGlobal {
  readonly value: number;
}

/** Compiles a WebAssembly file of the package. Throws `cannot-read`, or `internal` if Node has no WebAssembly. */
export function compileInstalled(path: string): WebAssembly.Module {
  const file = readInstalled(path);
  checkWebAssembly();
  return new WebAssembly.Module(file);
}

/** This package's version. */
export function packageVersion(): string {
  return versionIn(installed('package.json'));
}

/**
 * The version of an optional package that this package wants, without its last number: npm then installs the newest
 * version that fits. The optional package is a peer in the published package, and a dependency in the repository
 * (tools/release/npm-package.mjs).
 */
export function versionWanted(name: string): string {
  const { peerDependencies, optionalDependencies } = JSON.parse(
    readInstalled('package.json').toString('utf8'),
  ) as Readonly<Record<string, Readonly<Record<string, string>> | undefined>>;
  return /[0-9]+\.[0-9]+/.exec((peerDependencies ?? optionalDependencies)![name])![0];
}

/** The version in a package's manifest. */
export function versionIn(manifest: string | URL): string {
  return (JSON.parse(fileSystem.readFileSync(manifest).toString('utf8')) as { version: string }).version;
}
