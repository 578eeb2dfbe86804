/** The effects of the library on a process: in many sorts, in threads, and when the process exits. */
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freshDirectory } from '../battery/runner.js';
import { runScript, STATE } from './script.js';

it('leaves the process unchanged after 50 sorts', () => {
  const [first, last] = JSON.parse(
    runScript(`${STATE}
        const once = () => sortFile('data', 'out', { chunkSize: '64K', bufferSize: '4M', parallel: 2, engine: 'cpu' });
        const growth = async (count) => {
          for (let i = 0; i < count; i++) await once();
          await new Promise((resolve) => setTimeout(resolve, 200));
          return state();
        };
        console.log(JSON.stringify([await growth(5), await growth(50)]));
      `),
  );
  expect(last).toEqual(first);
});

it('causes no warning about listeners on standard output or on a signal', () => {
  runScript(`
      for (let i = 0; i < 12; i++) await sort('nothing', process.stdout).catch(() => undefined);
      const { signal } = new AbortController();
      await Promise.all(Array.from({ length: 12 }, (_, i) => sort('data', 'out' + i, { signal })));
      await Promise.all(Array.from({ length: 12 }, async (_, i) => sort((async function* () { yield 'a'; })(), 'out' + i, { signal })));
      await new Promise(setImmediate);
      if (process.stdout.listenerCount('error') > 1) console.log(process.stdout.listenerCount('error'));
    `);
});

it('sorts in a worker thread, also with threads of its own', () => {
  expect(
    runScript(`
        import { Worker, isMainThread } from 'node:worker_threads';
        import { fileURLToPath } from 'node:url';
        if (isMainThread) new Worker(fileURLToPath(import.meta.url));
        else {
          const settings = { chunkSize: '64K', bufferSize: '4M', parallel: 2, engine: 'cpu', key: '1' };
          await sortFile('data', 'out', settings);
          await sort('out', null, { key: '1', check: true });
          await sort(['b\\n', 'a\\n'].values(), process.stdout);
        }
      `),
  ).toBe('a\nb\n');
});

it('leaves at most one temporary file if the process exits in the middle of a sort', () => {
  const directory = freshDirectory('exit');
  mkdirSync(join(directory, 'temporary'));
  runScript(`
      const place = ${JSON.stringify(directory)};
      sortFile('data', place + '/out', {
        chunkSize: '4K', bufferSize: '128K', engine: 'cpu', parallel: 2, temporaryDirectory: place + '/temporary',
        onProgress: ({ phase }) => { if (phase === 'merging') process.exit(); },
      });
    `);
  expect(readdirSync(join(directory, 'temporary'))).toEqual([]);
  const left = readdirSync(directory).filter((name) => name !== 'temporary');
  expect(left.every((name) => name.startsWith('.gpusort-'))).toBe(true);
  expect(left.length).toBeLessThanOrEqual(1);
  // The next sort there removes it.
  runScript(`await sortFile('data', ${JSON.stringify(join(directory, 'other'))});`);
  expect(readdirSync(directory).sort()).toEqual(['other', 'temporary']);
});
