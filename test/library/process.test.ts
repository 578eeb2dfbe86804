/** What the library does to the process: nothing that lasts. Each script runs in a process of its own. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createSorter } from '../../src/index.js';
import { freshDirectory } from '../battery/runner.js';
import { ROOT } from '../docs/documents.js';
import { Collected, seededLines, sorted } from './support.js';

const LIBRARY = pathToFileURL(`${ROOT}dist/bundle/index.mjs`).href;
const HANG_MS = 100_000;

/** Runs a module that imports the library; `data` is a file of lines in its directory. Returns what it printed. */
function runScript(text: string, engineOptions: readonly string[] = []): string {
  const directory = freshDirectory('process');
  writeFileSync(join(directory, 'data'), seededLines(31, 30_000));
  writeFileSync(join(directory, 'script.mjs'), `import { createSorter, sort, sortFile } from '${LIBRARY}';\n${text}`);
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [...engineOptions, 'script.mjs'], {
    cwd: directory,
    encoding: 'utf8',
    timeout: HANG_MS,
  });
  expect({ status, signal, stderr }).toEqual({ status: 0, signal: null, stderr: '' });
  return stdout;
}

/** What a sort might change. The threads of libuv's pool start at the first call on a file. */
const STATE = `
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
const state = () => ({
  descriptors: readdirSync('/proc/self/fd').length,
  threads: Number(/^Threads:\\s+(\\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]),
  listeners: process.eventNames().map((name) => [String(name), process.listenerCount(name)]),
  exitCode: process.exitCode,
  umask: process.umask(),
  environment: JSON.stringify(process.env),
  flags: process.execArgv.join(),
  directory: process.cwd(),
});
`;

describe('in a process of its own', () => {
  it('prints nothing, adds no listener, and lets the process end', () => {
    expect(
      runScript(`${STATE}
        import { deepStrictEqual } from 'node:assert';
        await readFile('data');
        const before = state();
        await sortFile('data', 'out', { chunkSize: '64K', bufferSize: '4M', parallel: 2, engine: 'cpu' });
        await sort('nothing', 'out').catch(() => undefined);
        await sort('data', null, { check: true }).catch(() => undefined);
        await sort('data', 'out', { signal: AbortSignal.timeout(5) }).catch(() => undefined);
        // A call on a file that was under way when the sort was aborted ends a little later.
        for (let i = 0; i < 500 && state().descriptors !== before.descriptors; i++)
          await new Promise((resolve) => setTimeout(resolve, 10));
        const { threads: _, ...after } = state();
        const { threads, ...expected } = before;
        deepStrictEqual(after, expected);
      `),
    ).toBe('');
  });

  it('grows by nothing in 50 sorts', () => {
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

  it('ends by itself with a sorter that is open', () => {
    runScript(`const sorter = createSorter(); await sorter.sortFile('data', 'out', { engine: 'cpu', parallel: 2 });`);
  });

  it('leaves standard output open', () => {
    expect(runScript(`await sort(['b\\n', 'a\\n'].values(), process.stdout); console.log('after');`)).toBe(
      'a\nb\nafter\n',
    );
  });

  it('does not warn of listeners on standard output or on a signal', () => {
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

  it('leaves the memory of V8 as it is, also with little of it', () => {
    const semiSpace = `require('node:v8').getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size`;
    expect(
      runScript(`
        import { createRequire } from 'node:module';
        const require = createRequire(import.meta.url);
        await sortFile('data', 'out', { bufferSize: '2M', engine: 'cpu' });
        const kept = [];
        for (let i = 0; i < 3_000_000; i++) { kept.push({ i }); if (kept.length > 200_000) kept.length = 0; }
        console.log(${semiSpace} > 4 << 20);
      `),
    ).toBe('true\n');
  });

  it('is required by CommonJS where Node can do that', () => {
    if (process.features.require_module !== true) return;
    expect(
      runScript(`import { createRequire } from 'node:module';
        console.log(Object.keys(createRequire(import.meta.url)('${new URL(LIBRARY).pathname}')).sort().join());`),
    ).toBe('GpusortError,createSorter,sort,sortFile\n');
  });

  it('ends soon when the process exits in the middle of a sort, and leaves at most one temporary file', () => {
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
});

it('keeps the warnings of several sorts apart', async () => {
  const packed = gzipSync('b\na\n');
  const sorter = createSorter({ engine: 'cpu' });
  const results = await Promise.all(
    Array.from({ length: 6 }, async (_, i) => {
      const own: string[] = [];
      const { warnings } = await sorter.sort([i % 2 === 0 ? packed : 'b\na\n'].values(), new Collected(), {
        onWarning: (sentence) => own.push(sentence),
      });
      expect(own).toEqual(warnings);
      return warnings.length;
    }),
  );
  expect(results).toEqual([1, 0, 1, 0, 1, 0]);
  await sorter.close();
});

it('keeps several sorts apart, with and without threads', async () => {
  const inputs = [41, 42, 43, 44].map((seed) => seededLines(seed, 20_000));
  const settings = { chunkSize: '64K', bufferSize: '4M', engine: 'cpu', parallel: 2 } as const;
  const expected = [];
  for (const input of inputs) expected.push(await sorted([input].values()));
  const outputs = await Promise.all(inputs.map((input) => sorted([input].values(), settings)));
  const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
  expect(outputs.map(digest)).toEqual(expected.map(digest));
});

it('refuses sorts once a sorter is closed, after those that run', async () => {
  const sorter = createSorter({ reverse: true });
  const output = new Collected();
  const running = sorter.sort(['a\n', 'b\n'].values(), output);
  await sorter[Symbol.asyncDispose]();
  expect(output.bytes.toString()).toBe('b\na\n');
  await running;
  await expect(sorter.sort(['a\n'].values(), output)).rejects.toMatchObject({
    code: 'usage',
    message: 'the sorter is closed',
  });
});

it('returns statistics of one sort', async () => {
  await new Promise((resolve) => {
    setTimeout(resolve, 50);
  });
  const { statistics } = await createSorter({ statistics: true, verify: true }).sort(
    ['b\n', 'a\n'].values(),
    new Collected(),
  );
  expect(statistics).toMatchObject({ schemaVersion: 1, exitStatus: 0, verification: { sameRecords: true } });
  for (const { firstStartMs, lastEndMs } of statistics!.stages) {
    expect(firstStartMs).toBeGreaterThanOrEqual(0);
    expect(lastEndMs).toBeLessThanOrEqual(statistics!.wallMs);
  }
});
