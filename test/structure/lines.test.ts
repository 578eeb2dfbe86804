/** Lines of src/ and kernels/ have at most 120 columns. The formatter breaks code, but neither strings nor comments. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const ROOT = new URL('../../', import.meta.url);
/** `lineWidth` in biome.json. */
const MOST_COLUMNS = 120;

it.each(['src', 'kernels'])('%s has no longer lines', (folder) => {
  const files = (readdirSync(new URL(folder, ROOT), { recursive: true }) as string[]).filter((file) =>
    /\.(?:ts|wgsl)$/.test(file),
  );
  const long = files.flatMap((file) =>
    readFileSync(new URL(`${folder}/${file}`, ROOT), 'utf8')
      .split('\n')
      .flatMap((line, i) => (line.length > MOST_COLUMNS ? [`${folder}/${file}:${i + 1}: ${line.length} columns`] : [])),
  );
  expect(long).toEqual([]);
});
