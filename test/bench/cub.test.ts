/** CUB beside the kernel benchmark: which sorts run, what they get, and where ratios are shown. */
import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
// @ts-expect-error: plain JavaScript, because the benchmarks run without a build of their own
import { ALGORITHMS } from '../../tools/bench/kernels/algorithms.mjs';
// @ts-expect-error
import { cubSorts } from '../../tools/bench/kernels/cub.mjs';
// @ts-expect-error
import { ratePlots } from '../../tools/bench/kernels/plots.mjs';
// @ts-expect-error
import { algorithmTable, report } from '../../tools/bench/kernels/report.mjs';
// @ts-expect-error
import { targetLine } from '../../tools/bench/kernels/targets.mjs';
import { freshDirectory } from '../battery/runner.js';
import { describeGpu } from '../setup/gpu.js';

const ROOT = join(import.meta.dirname, '../..');
const folder = freshDirectory('cub');

interface Algorithm {
  readonly name: string;
  readonly cases: readonly { readonly name: string }[];
}
const algorithmOf = (name: string): Algorithm => (ALGORITHMS as Algorithm[]).find((one) => one.name === name)!;
const sortsOf = (name: string, about: string): string[] => {
  const algorithm = algorithmOf(name);
  const one = algorithm.cases.find((each) => each.name === about);
  return cubSorts(algorithm, one).map(({ sort }: { sort: string }) => sort);
};

it('runs the sorts of CUB that belong to an algorithm', () => {
  expect(sortsOf('radix-sort', 'u32 pairs uniform')).toEqual(['radix']);
  expect(sortsOf('quicksort', 'u64 keys uniform')).toEqual(['merge-sort']);
  expect(sortsOf('segmented-sort', 'u32 pairs segments of 1024')).toEqual(['segmented']);
  expect(sortsOf('merge-path-wide', 'u64 pairs unequal runs')).toEqual(['merge']);
  expect(sortsOf('msd-radix', 'strings urls')).toEqual(['refine']);
  // Variants are compared with their algorithm only, and cub.cu has no floats.
  expect(sortsOf('merge-sort-windows', 'u32 keys uniform')).toEqual([]);
  expect(sortsOf('string-merge-paper', 'strings urls')).toEqual([]);
  expect(sortsOf('radix-sort', 'f32 keys uniform')).toEqual([]);
});

describe('a ratio', () => {
  const base = {
    ...{ id: 'radix-sort, u32 keys uniform, 2^27', algorithm: 'radix-sort', case: 'u32 keys uniform', size: 27 },
    ...{ n: 2 ** 27, spans: [4, 4, 4], spanMs: 4, busyMs: 4, wallMs: 5, bytes: 1, inputBytes: 1, passes: 1 },
    ...{ launches: {}, seen: null, copyRate: 3000, machine: { date: '2026-11-30' } },
  };
  const beside = {
    ...{ peer: 'CUB radix sort', times: [3, 3, 3], rate: 44_739, version: '3.0.1', date: '2026-11-30' },
    machine: 'NVIDIA H200, driver 580, CUDA 13.0',
  };
  const table = (row: object): string => algorithmTable(algorithmOf('radix-sort'), [row]);
  const target = { algorithms: ['radix-sort'], case: base.case, size: 27, least: 0.8, peer: 'CUB radix sort' };

  it('is shown only to a peer of the same run, which takes the place of its committed rate', () => {
    expect(table(base)).toContain('| CUB radix sort 42.2, gridwise OneSweep 3.29 |');
    expect(table({ ...base, peers: [beside] })).toContain(
      '| CUB radix sort 44.7 (ratio 0.75), gridwise OneSweep 3.29 |',
    );
    expect(table({ ...base, peers: [{ peer: beside.peer, error: 'out of\nmemory' }] })).toContain(
      '| CUB radix sort failed: out of memory, gridwise OneSweep 3.29 |',
    );
  });

  it('is judged only in the same run', () => {
    expect(targetLine(target, [base])).toMatch(/: not measured$/);
    expect(targetLine(target, [{ ...base, peers: [beside] }])).toMatch(
      /: at least 0\.8 x CUB radix sort in the same run: 0\.750 x, not met by 0\.0500 x$/,
    );
    expect(targetLine({ ...target, least: 0.7 }, [{ ...base, peers: [beside] }])).toMatch(/0\.750 x, met$/);
  });

  it('names its card, driver, versions and date', () => {
    expect(report([{ ...base, peers: [beside] }], [])).toContain(
      '- peers in the same run: CUB 3.0.1, NVIDIA H200, driver 580, CUDA 13.0, 2026-11-30',
    );
    expect(report([{ ...base, peers: [{ peer: beside.peer, error: 'no memory' }] }], [])).not.toContain(
      'peers in the same',
    );
  });

  it('has the rate of the same run in plots', () => {
    const smaller = { ...base, size: 26, n: 2 ** 26 };
    const [before, after] = [smaller, { ...smaller, peers: [beside] }].map((row) => ratePlots([row]).uniform as string);
    expect(before).toContain('CUB radix sort, 2^27: 42.2');
    expect(after).toContain('CUB radix sort, 2^26: 44.7');
    expect(after).not.toContain('CUB radix sort, 2^27');
  });
});

/** A stand-in for cub.cu: keeps its arguments and input. It cannot sort segments, and nothing twice. */
const STAND_IN = `#!${process.execPath}
const { readFileSync, writeFileSync } = require('node:fs');
const words = process.argv.slice(2);
if (words[0] === 'segmented') { console.error('error: no such sort'); process.exit(1); }
writeFileSync(${JSON.stringify(folder)} + '/' + words.join(' '), readFileSync(0), { flag: 'wx' });
console.log(JSON.stringify({ card: 'a card', cuda: '13.0', cub: '3.0.1', times: [2, 1, 4] }));
`;

describeGpu('on the device', () => {
  it('gives CUB the input of each problem once', { timeout: 120_000 }, () => {
    const program = join(folder, 'stand-in');
    writeFileSync(program, STAND_IN);
    chmodSync(program, 0o755);
    const json = join(folder, 'rows.json');
    const { status, stderr } = spawnSync(
      process.execPath,
      [
        ...[join(ROOT, 'tools/bench/kernels.mjs'), '--cub', program, '--json', json, '--sizes', '10', '--runs', '3'],
        ...['--only', 'segmented-sort,merge-path-wide,radix-refine,msd-radix'],
        ...['--cases', 'u64 pairs segments of 32,u32 pairs unequal runs,strings words'],
      ],
      { encoding: 'utf8', timeout: 110_000 },
    );
    expect(status, stderr).toBe(0);
    const rows = JSON.parse(readFileSync(json, 'utf8')).rows as { algorithm: string; peers: object[] }[];
    const own = (name: string): object[] => rows.find(({ algorithm }) => algorithm === name)!.peers;
    expect(own('segmented-sort')).toEqual([{ peer: 'CUB segmented sort', error: 'error: no such sort' }]);
    const peers = own('merge-path-wide');
    expect(peers).toEqual([
      expect.objectContaining({ peer: 'CUB merge', times: [2, 1, 4], rate: 0.512, version: '3.0.1' }),
    ]);
    expect(peers[0]).toMatchObject({ machine: expect.stringMatching(/^a card, driver .+, CUDA 13\.0$/) });
    // Both sorts of strings stand beside the same figures.
    expect(own('radix-refine')).toMatchObject([{ peer: 'CUB radix sort with refinement', times: [2, 1, 4] }]);
    expect(own('radix-refine')).toEqual(own('msd-radix'));

    // 1,024 keys, then begins of segments, of all 1,024 keys for a merge, whose second run has 1/128 of them.
    const sent = readFileSync(join(folder, 'merge u32-pairs 1024 1016 3'));
    expect(sent.length).toBe(4 * 1024 + 8);
    const words = new Uint32Array(sent.buffer, sent.byteOffset, 1026);
    const runs = [words.slice(0, 1016), words.slice(1016, 1024)];
    for (const run of runs) expect([...run]).toEqual([...run].sort((a, b) => a - b));
    expect([...words.slice(1024)]).toEqual([0, 1024]);
    const name = readdirSync(folder).find((one) => one.startsWith('refine text 1024 '))!;
    const text = readFileSync(join(folder, name));
    const starts = new Uint32Array(new Uint8Array(text.subarray(-4 * 1025)).buffer);
    expect([...starts].slice(0, 1024).map((at) => at === 0 || text[at - 1] === 10)).not.toContain(false);
    expect(starts[1024]).toBe(text.length - 4 * 1025);
    expect(name).toBe(`refine text 1024 ${starts[1024]} 3`);
  });
});
