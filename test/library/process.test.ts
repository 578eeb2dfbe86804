/**
 * The library leaves no lasting change in the process. Most scripts run in a process of their own.
 * @own-process because tests that run the command replace what gives the library's runs their warnings
 */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createSorter } from '../../src/index.js';
import { LIBRARY, runScript, STATE } from './script.js';
import { Collected, seededLines, sortedBytes } from './support.js';

describe('in a process of its own', () => {
  it('prints nothing, leaves no listener and lets the process end', () => {
    expect(
      runScript(`${STATE}
        import { deepStrictEqual } from 'node:assert';
        await readFile('data');
        const before = state();
        await sortFile('data', 'out', { chunkSize: '64K', bufferSize: '4M', parallel: 2, engine: 'cpu' });
        await sort('nothing', 'out').catch(() => undefined);
        await sort('data', null, { check: true }).catch(() => undefined);
        await sort('data', 'out', { signal: AbortSignal.timeout(5) }).catch(() => undefined);
        // A file operation in progress when the sort was aborted ends a little later.
        for (let i = 0; i < 500 && state().descriptors !== before.descriptors; i++)
          await new Promise((resolve) => setTimeout(resolve, 10));
        const { threads: _, ...after } = state();
        const { threads, ...expected } = before;
        deepStrictEqual(after, expected);
      `),
    ).toBe('');
  });

  it('lets the process end while a sorter is open', () => {
    runScript(`const sorter = createSorter(); await sorter.sortFile('data', 'out', { engine: 'cpu', parallel: 2 });`);
  });

  it('lets the process end while streams of sorts are left alone, also if they failed', () => {
    runScript(`
      import { PassThrough } from 'node:stream';
      createSort();
      createSort().write('a');
      sorted(new PassThrough());
      sorted(new PassThrough().end('a'));
      createSort({ key: '0' }).on('error', () => undefined);
      sorted('nothing').on('error', () => undefined);
    `);
  });

  it('leaves standard output open after a sort', () => {
    expect(runScript(`await sort(['b\\n', 'a\\n'].values(), process.stdout); console.log('after');`)).toBe(
      'a\nb\nafter\n',
    );
  });

  it("leaves V8's young generation its size, also with a small bufferSize", () => {
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

  it('lets CommonJS require the library if Node can do that', () => {
    if (process.features.require_module !== true) return;
    expect(
      runScript(`import { createRequire } from 'node:module';
        console.log(Object.keys(createRequire(import.meta.url)('${new URL(LIBRARY).pathname}')).sort().join());`),
    ).toBe('GpusortError,createSort,createSorter,sort,sortFile,sorted,sortedLines\n');
  });
});

it('returns to each of several sorts only its own warnings', async () => {
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

it('runs several sorts at once, with and without threads', async () => {
  const inputs = [41, 42, 43, 44].map((seed) => seededLines(seed, 20_000));
  const settings = { chunkSize: '64K', bufferSize: '4M', engine: 'cpu', parallel: 2 } as const;
  const expected = [];
  for (const input of inputs) expected.push(await sortedBytes([input].values()));
  const outputs = await Promise.all(inputs.map((input) => sortedBytes([input].values(), settings)));
  const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
  expect(outputs.map(digest)).toEqual(expected.map(digest));
});

it('gives the settings of a sort precedence over those of its sorter', async () => {
  const sorter = createSorter({ reverse: true, count: true });
  const output = new Collected();
  await sorter.sort(['b\n', 'a\n', 'b\n'].values(), output, { reverse: false });
  expect(output.bytes.toString()).toBe('      1 a\n      2 b\n');
  await sorter.close();
});

it("ignores the command's presets in GPUSORT_OPTIONS", async () => {
  process.env.GPUSORT_OPTIONS = '--reverse';
  try {
    expect((await sortedBytes(['b\n', 'a\n'].values())).toString()).toBe('a\nb\n');
  } finally {
    delete process.env.GPUSORT_OPTIONS;
  }
});

it('closes a sorter after its running sorts, and then refuses more', async () => {
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

it('returns the statistics of one sort', async () => {
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
