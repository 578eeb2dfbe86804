/**
 * Prints the test files that need neither GNU sort nor anything else of Linux, one a line: files that never import what
 * runs other programs (test/cli/run.ts), directly or not, and name nothing that only Linux has.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
/** Rooms of test/ that call the program's parts. test/structure/ reads the sources only, and Linux runs it. */
const ROOMS = ['engines/gpu', 'keys', 'library', 'plan', 'system/platform', 'records', 'setup'];
const RUNS_PROGRAMS = join(ROOT, 'test/cli/run.ts');
const OF_LINUX = /\/proc\/(?:self|\$)|'mkfifo'|'setpriv'|'samtools'/;
const IMPORT = /(?:from |import\()'(\.[^']+)\.js'/g;

const known = new Map();

/** Whether a module of test/ and all that it imports from test/ run on every system. */
function isPortable(file) {
  if (file === RUNS_PROGRAMS) return false;
  if (!known.has(file)) {
    // Modules that import each other do not ask again.
    known.set(file, true);
    const text = readFileSync(file, 'utf8');
    const imported = [...text.matchAll(IMPORT)].map(([, path]) => join(dirname(file), `${path}.ts`));
    const ours = imported.filter((path) => path.startsWith(join(ROOT, 'test')) && existsSync(path));
    known.set(file, !OF_LINUX.test(text) && ours.every(isPortable));
  }
  return known.get(file);
}

for (const room of ROOMS) {
  const names = readdirSync(join(ROOT, 'test', room), { recursive: true }).filter((name) => name.endsWith('.test.ts'));
  for (const name of names.sort()) {
    const file = join(ROOT, 'test', room, name);
    if (isPortable(file)) console.log(relative(ROOT, file).replaceAll('\\', '/'));
  }
}
