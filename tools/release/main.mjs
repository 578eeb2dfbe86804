/**
 * `npm run release`: makes the archives that people download, and the files beside them, in dist/release/. Equal
 * sources give equal bytes. The folder is replaced as a whole, at the end.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundledPackages, licenseTexts, pinnedWebGpu } from './bundled.mjs';
import { packForNpm } from './npm-package.mjs';
import { fetchPackage, unpackPackage } from './packages.mjs';
import { NODE_VERSION, PLATFORMS } from './platforms.mjs';
import { ReleaseProblem } from './problem.mjs';
import { writeRecipes } from './recipes.mjs';
import { billOfMaterials } from './sbom.mjs';
import { archiveFiles } from './stage.mjs';
import { tarParts } from './tar.mjs';
import { zipParts } from './zip.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
const CACHE = join(ROOT, '.cache/release');
const RESULTS = join(ROOT, 'dist/release');
const HELP = `Usage: npm run release -- [OPTION]... [PLATFORM]...
Makes self-contained archives in dist/release/, of all platforms if none is named:
${Object.keys(PLATFORMS).join(', ')}

  --level N    how hard xz and deflate work, 1 to 9 (default 6)
  --no-build   take dist/ as it is
  --help       print this text

Packages come from npm and are kept in .cache/release/. SOURCE_DATE_EPOCH is the time
of all files, in seconds; the default is the time of the last commit.
The exit status is 0, 1 (failed) or 2 (wrong usage).
`;

/** The request of the command line. Throws a TypeError with a sentence if it is wrong. */
function readArguments(argv) {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      level: { type: 'string', default: '6' },
      'no-build': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (!/^[1-9]$/.test(values.level)) throw new TypeError(`--level is 1 to 9, not '${values.level}'`);
  const unknown = positionals.find((name) => !(name in PLATFORMS));
  if (unknown !== undefined)
    throw new TypeError(`unknown platform '${unknown}': choose from ${Object.keys(PLATFORMS).join(', ')}`);
  const platforms = positionals.length === 0 ? Object.keys(PLATFORMS) : [...new Set(positionals)];
  return { platforms, level: Number(values.level), builds: !values['no-build'], help: values.help };
}

/** The time of all files in the archives, in seconds since 1970. */
function sourceTime() {
  const { SOURCE_DATE_EPOCH: epoch } = process.env;
  const text = epoch ?? spawnSync('git', ['log', '-1', '--format=%ct'], { cwd: ROOT, encoding: 'utf8' }).stdout ?? '';
  if (/^[0-9]+$/.test(text.trim())) return Number(text);
  throw new ReleaseProblem(
    epoch === undefined
      ? 'this is not a clone: set SOURCE_DATE_EPOCH to the time of the release, in seconds'
      : `SOURCE_DATE_EPOCH is not a number of seconds: '${epoch}'`,
  );
}

function build() {
  const { status } = spawnSync(process.execPath, ['tools/build/main.mjs', '--force'], { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) throw new ReleaseProblem('the build failed');
}

/** Writes the archive, and the list of its components beside it. */
async function makeArchive(name, { version, time, level, work, fresh, webgpu, packages }) {
  const platform = PLATFORMS[name];
  const pinned = { name: platform.package, version: NODE_VERSION, integrity: platform.integrity };
  const node = join(work, name, 'node');
  unpackPackage(CACHE, pinned, node);
  const components = [
    ...packages,
    {
      ...pinnedWebGpu(ROOT),
      // For Windows, with the DirectX shader compiler.
      licenses: ['MIT', 'BSD-3-Clause', ...(platform.webgpu.startsWith('win32') ? ['NCSA'] : [])],
      texts: [...licenseTexts(webgpu), ...licenseTexts(join(webgpu, 'dist', platform.webgpu))],
    },
    { ...pinned, licenses: ['MIT'], texts: nodeLicense(work) },
  ];
  const files = archiveFiles({ root: ROOT, name, platform, node, webgpu, components });
  const unmodified = (part) =>
    Object.fromEntries(files.filter(({ path }) => part(path)).map((f) => [f.path, f.content]));
  components.at(-1).files = unmodified((path) => /^lib\/gpusort\/node(\.exe)?$/.test(path));
  components.at(-2).files = unmodified((path) => path.includes('/webgpu/dist/'));

  const folder = `gpusort-${version}-${name}`;
  const archive = `${folder}${platform.extension}`;
  const entries = files.map((file) => ({ ...file, path: `${folder}/${file.path}` }));
  const out = createWriteStream(join(fresh, archive));
  if (platform.extension === '.zip') await pipeline(Readable.from(zipParts(entries, time, level)), out);
  else await compressed(tarParts(entries, time), level, out);
  const archiveHash = sha256(join(fresh, archive));
  const { license } = manifest();
  writeFileSync(
    join(fresh, `${folder}.cdx.json`),
    billOfMaterials({ name: 'gpusort', version, license, archive, archiveHash, time, components }),
  );
}

/** Node's license, which its package for Windows lacks. */
function nodeLicense(work) {
  const directory = join(work, 'license');
  const { package: name, integrity } = PLATFORMS['linux-x64'];
  if (!existsSync(directory)) unpackPackage(CACHE, { name, version: NODE_VERSION, integrity }, directory);
  return licenseTexts(directory);
}

/** With one thread, because the bytes depend on the number of threads. */
async function compressed(parts, level, out) {
  const { XZ_OPT: _, XZ_DEFAULTS: __, ...env } = process.env;
  const xz = spawn('xz', ['--threads=1', `-${level}`, '--stdout'], { stdio: ['pipe', 'pipe', 'inherit'], env });
  const ended = new Promise((resolve, reject) => {
    xz.on('error', (error) => reject(new ReleaseProblem(`cannot run xz: ${error.message}`)));
    xz.on('close', (status) => (status === 0 ? resolve() : reject(new ReleaseProblem(`xz failed: status ${status}`))));
  });
  await Promise.all([ended, pipeline(Readable.from(parts), xz.stdin), pipeline(xz.stdout, out)]);
}

/** Hashes of all files beside it, in the format of sha256sum. */
function writeChecksums(fresh) {
  const names = readdirSync(fresh, { withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [entry.name] : []));
  const lines = names.sort().map((name) => `${sha256(join(fresh, name))}  ${name}\n`);
  writeFileSync(join(fresh, 'SHA256SUMS'), lines.join(''));
}

function sha256(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

function manifest() {
  return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
}

async function release({ platforms, level, builds }) {
  const time = sourceTime();
  const { version } = manifest();
  if (builds) {
    console.log('building');
    build();
  }
  mkdirSync(join(ROOT, 'dist'), { recursive: true });
  const work = mkdtempSync(join(ROOT, 'dist/release-'));
  process.once('exit', () => rmSync(work, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));
  const fresh = join(work, 'results');
  mkdirSync(fresh);

  const webgpu = join(work, 'webgpu');
  unpackPackage(CACHE, pinnedWebGpu(ROOT), webgpu);
  const packages = bundledPackages(ROOT);
  for (const name of platforms) {
    console.log(`${name}: fetching Node ${NODE_VERSION}, packing`);
    const start = performance.now();
    await makeArchive(name, { version, time, level, work, fresh, webgpu, packages });
    rmSync(join(work, name), { recursive: true });
    console.log(`${name}: ${((performance.now() - start) / 1000).toFixed(0)} s`);
  }
  writeRecipes(join(ROOT, 'tools/packaging'), join(fresh, 'recipes'), {
    version,
    npmHash: sha256(join(fresh, packForNpm(ROOT, fresh).filename)),
    webgpuVersion: pinnedWebGpu(ROOT).version,
    webgpuHash: sha256(fetchPackage(CACHE, pinnedWebGpu(ROOT))),
  });
  writeChecksums(fresh);
  if (existsSync(RESULTS)) renameSync(RESULTS, join(work, 'old'));
  renameSync(fresh, RESULTS);
  process.stdout.write(`dist/release/SHA256SUMS:\n${readFileSync(join(RESULTS, 'SHA256SUMS'), 'utf8')}`);
}

let requested;
try {
  requested = readArguments(process.argv.slice(2));
} catch (error) {
  console.error(`release: ${error.message}\nTry 'npm run release -- --help' for more information.`);
  process.exit(2);
}
try {
  if (requested.help) process.stdout.write(HELP);
  else await release(requested);
} catch (error) {
  if (!(error instanceof ReleaseProblem)) throw error;
  console.error(`release: ${error.message}`);
  process.exitCode = 1;
}
