/** Comments and documents name files and folders of the project that exist. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
/** For example src/engines/cpu/run.ts or kernels/wasm/cpu/, but not src/NAME.ts. */
const PATH =
  /(?<![\w/.-])(?:src|kernels|test|tools|docs)\/(?:[a-z\d-]+\/)*(?:[\w.-]+\.(?:ts|mjs|wgsl|md)\b|(?<=\/)(?![\w.*{$]))/g;

it('names paths that exist', () => {
  const files = ['src', 'kernels', 'docs'].flatMap((folder) =>
    (readdirSync(new URL(folder, root), { recursive: true }) as string[]).map((file) => `${folder}/${file}`),
  );
  const missing: string[] = [];
  for (const file of [...files, 'README.md', 'CONTRIBUTING.md'].filter((name) => /\.(ts|wgsl|md)$/.test(name))) {
    for (const [path] of readFileSync(new URL(file, root), 'utf8').matchAll(PATH))
      if (!/[A-Z]{3}/.test(path) && !existsSync(new URL(path, root))) missing.push(`${file}: ${path}`);
  }
  expect(missing).toEqual([]);
});
