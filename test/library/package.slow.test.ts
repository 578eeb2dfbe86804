/** The published package in an empty project: the library runs without any dependency. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { freshDirectory } from '../battery/runner.js';
import { ROOT } from '../docs/documents.js';

const directory = freshDirectory('package');
beforeAll(() => {
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', directory], {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  ) as { filename: string }[];
  execFileSync('tar', ['xzf', packed!.filename], { cwd: directory });
  mkdirSync(join(directory, 'node_modules'));
  renameSync(join(directory, 'package'), join(directory, 'node_modules/gpusort'));
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }');
});

it('sorts from the installed package, even in threads', () => {
  writeFileSync(
    join(directory, 'sorts.js'),
    `import { createSorter, GpusortError, sort, sortFile } from 'gpusort';
     import { readFileSync, writeFileSync } from 'node:fs';
     const lines = Array.from({ length: 50000 }, (_, i) => String(i * 7919 % 50021));
     writeFileSync('lines', lines.join('\\n'));
     await sortFile('lines', 'lines', { chunkSize: '64K', parallel: 2, engine: 'cpu' });
     console.log(readFileSync('lines', 'utf8') === lines.sort().join('\\n') + '\\n');
     await sort(['b\\n', 'a\\n'].values(), process.stdout, { locale: 'sv' });
     await sort(['2 b\\n', '10 a\\n'].values(), process.stdout, { numericSort: true, verify: true });
     await sort('lines', 'x', { engine: 'gpu' }).catch((error) => console.log(error instanceof GpusortError, error.code));
     await createSorter().close();`,
  );
  const { stdout, stderr } = spawnSync(process.execPath, ['sorts.js'], { cwd: directory, encoding: 'utf8' });
  expect({ stdout, stderr }).toEqual({ stdout: 'true\na\nb\n2 b\n10 a\ntrue no-adapter\n', stderr: '' });
});
