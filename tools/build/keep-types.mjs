/** Keeps only those of the compiler's declarations that published entry points need. */
import { readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Removes all files of `folder` that `entries` do not import, directly or not. */
export function keepTypes(folder, entries) {
  const kept = new Set(entries.map((entry) => join(folder, entry)));
  for (const file of kept) {
    for (const [, path] of readFileSync(file, 'utf8').matchAll(/(?:from |import\()'(\.[^']+)\.js'/g))
      kept.add(join(dirname(file), `${path}.d.ts`));
  }
  const all = readdirSync(folder, { recursive: true, withFileTypes: true });
  for (const entry of all)
    if (entry.isFile() && !kept.has(join(entry.parentPath, entry.name))) rmSync(join(entry.parentPath, entry.name));
  // Deepest first.
  const folders = all.filter((entry) => entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
  for (const path of folders.sort((a, b) => b.length - a.length)) if (readdirSync(path).length === 0) rmdirSync(path);
}
