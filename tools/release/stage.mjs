/**
 * The files of an archive, in memory: the npm package's own files, Node and webgpu as npm has them, the launcher, and
 * the files under share/ for shells and `man`.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { licenseFile } from './bundled.mjs';
import { ReleaseProblem, run } from './problem.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const PROGRAM = 'lib/gpusort';
const MANUAL = 'docs/gpusort.1';
const COMPLETIONS = {
  bash: 'share/bash-completion/completions/gpusort',
  zsh: 'share/zsh/site-functions/_gpusort',
  fish: 'share/fish/vendor_completions.d/gpusort.fish',
};
/** The name of each system in the launcher's messages. */
const SYSTEMS = { linux: 'Linux with glibc', darwin: 'macOS' };

/**
 * All files of an archive, in the order of their paths.
 * @param {{
 *   root: string, name: string, platform: import('./platforms.mjs').Platform, node: string, webgpu: string,
 *   components: import('./bundled.mjs').Component[],
 * }} parts `node` and `webgpu`: the unpacked packages
 * @returns {{ path: string, mode: number, content: Buffer }[]}
 */
export function archiveFiles({ root, name, platform, node, webgpu, components }) {
  const files = new Map();
  const add = (path, content, mode = 0o644) => files.set(path, { path, mode, content: Buffer.from(content) });
  const isWindows = name.startsWith('win-');
  const executable = isWindows ? 'node.exe' : 'node';

  if (isWindows) add('bin/gpusort.cmd', readFileSync(join(HERE, 'launcher.cmd'), 'utf8').replaceAll('\n', '\r\n'));
  else add('bin/gpusort', launcher(name, platform.loader), 0o755);
  add(`${PROGRAM}/${executable}`, readFileSync(join(node, 'bin', executable)), 0o755);
  for (const path of packageFiles(root)) {
    const content = readFileSync(join(root, path));
    if (path === MANUAL) add('share/man/man1/gpusort.1', content);
    else if (path === 'LICENSE') add(path, content);
    else if (path !== 'README.md') add(`${PROGRAM}/${path}`, content, path === 'bin/gpusort.cjs' ? 0o755 : 0o644);
  }
  const library = `dist/${platform.webgpu}`;
  const names = readdirSync(join(webgpu, library)).map((file) => `${library}/${file}`);
  for (const path of ['index.js', 'package.json', 'LICENSE.md', ...names])
    add(`${PROGRAM}/node_modules/webgpu/${path}`, readFileSync(join(webgpu, path)));
  for (const [shell, path] of Object.entries(COMPLETIONS)) add(path, completions(root, shell));
  add('README.md', readFileSync(join(HERE, isWindows ? 'archive-windows.md' : 'archive.md')));
  add('THIRD-PARTY-LICENSES.txt', licenseFile(components));
  return [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The launcher of a Unix archive. */
export function launcher(name, loader) {
  const [system, processor] = name.split('-');
  return readFileSync(join(HERE, 'launcher.sh'), 'utf8')
    .replaceAll('@LOADER@', loader)
    .replaceAll('@SYSTEM@', `${SYSTEMS[system]} on ${processor}`);
}

/** The paths of the npm package's files. */
function packageFiles(root) {
  const { status, stdout, stderr } = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) throw new ReleaseProblem(`npm cannot list the files of the package: ${stderr.trim()}`);
  return JSON.parse(stdout)[0].files.map(({ path }) => path);
}

function completions(root, shell) {
  return run(process.execPath, [join(root, 'bin/gpusort.cjs'), `--completions=${shell}`]);
}
