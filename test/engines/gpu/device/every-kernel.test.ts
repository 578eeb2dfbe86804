/**
 * Every kernel compiles within the default limits, with all constants that its module uses. Dawn's validation on its
 * null backend needs no GPU and takes milliseconds a kernel. Nightly runs also compile all kernels with the system's
 * driver.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { create } from 'webgpu';
import { loadBamSort } from '../../../../src/engines/gpu/bam/sort-bam.js';
import { requestAdapter } from '../../../../src/engines/gpu/device/adapters.js';
import { type Gpu, openGpu, USAGE } from '../../../../src/engines/gpu/device/device.js';
import { loadDeviceRun } from '../../../../src/engines/gpu/engine/device-run.js';
import { loadInflater } from '../../../../src/engines/gpu/engine/inflater.js';
import { SORT_STAGES, sortStage } from '../../../../src/engines/gpu/engine/sorts.js';
import { loadPackedPrefixes } from '../../../../src/engines/gpu/hybrid/packed-prefixes.js';
import type { FixedKeySpec, FixedKeyType } from '../../../../src/engines/gpu/keys/key-sort.js';
import { localitySort } from '../../../../src/engines/gpu/keys/locality-sort/locality-sort.js';
import { runMerge } from '../../../../src/engines/gpu/keys/merge-path/merge.js';
import { mergeSort } from '../../../../src/engines/gpu/keys/merge-sort/merge-sort.js';
import { quicksort } from '../../../../src/engines/gpu/keys/quicksort/quicksort.js';
import { RADIX_TUNING, radixSort } from '../../../../src/engines/gpu/keys/radix-sort/radix-sort.js';
import { segmentedSort } from '../../../../src/engines/gpu/keys/segmented-sort/segmented-sort.js';
import { loadCopyBytes } from '../../../../src/engines/gpu/records/copy-bytes.js';
import { loadFraming } from '../../../../src/engines/gpu/records/frame.js';
import { loadGather } from '../../../../src/engines/gpu/records/gather.js';
import { loadInputHash } from '../../../../src/engines/gpu/records/input-hash.js';
import { loadKeyedLines } from '../../../../src/engines/gpu/records/keyed-lines/keyed-lines.js';
import { loadRecode } from '../../../../src/engines/gpu/records/recode.js';
import { loadTokenize } from '../../../../src/engines/gpu/records/tokenize.js';
import {
  loadOrder,
  loadOrderStatistics,
  ORDER_TUNING,
  WINDOWS,
} from '../../../../src/engines/gpu/strings/string-merge/order.js';
import { MERGE_TILE as TILE } from '../../../../src/engines/gpu/thresholds.js';
import { HYBRID_ALGORITHM } from '../../../../src/job/algorithm-table.js';
import type { Ordering } from '../../../../src/job/ordering.js';
import { describeGpu } from '../../../setup/gpu.js';
import { specsOf } from '../../../support/fixed-keys.js';
import { kernelNames } from '../../../support/kernel-names.js';
import { byNumber } from '../../../support/keyed.js';
import { LINES } from '../../../support/records.js';
import { NIGHTLY, sampled } from '../../../support/tier.js';
import { rowsBy } from '../../bam/sorting.js';
import { limitedAdapter, type Subgroups } from './default-device.js';

/** The types of keys that records and lines have. */
const KEY_TYPES: readonly FixedKeyType[] = ['u32', 'u64', 'u128', 'prefix'];
const KERNELS = kernelNames();

type Load = (gpu: Gpu) => Promise<unknown>;
const ofSpecs =
  (load: (gpu: Gpu, spec: FixedKeySpec) => Promise<unknown>): Load =>
  (gpu) =>
    Promise.all(specsOf(KEY_TYPES).map((spec) => load(gpu, spec)));

const FLAGS = [false, true].flatMap((reverse) =>
  [false, true].flatMap((unique) => [false, true].map((lastResort) => ({ reverse, unique, lastResort }))),
);
const FORMS = [
  ['lines', {}],
  ['NUL', { format: { kind: 'lines', delimiter: 0 } }],
  ['keyed', {}],
  ['fixed', { format: { kind: 'fixed', size: 100 } }],
  ['by key', { format: { kind: 'fixed', size: 100 }, key: { kind: 'bytes', offset: 3, length: 5 } }],
] as const satisfies readonly (readonly [string, Partial<Ordering>])[];
const ORDERINGS: readonly Ordering[] = sampled(
  FLAGS.flatMap((flags) => FORMS.map(([form, changes]) => ({ form, flags, changes }))),
  {
    count: 40,
    seed: 1,
    values: ({ form, flags }) => [form, flags.reverse, flags.unique, flags.lastResort],
  },
).map(({ form, flags, changes }) => (form === 'keyed' ? byNumber(flags) : { ...LINES, ...changes, ...flags }));
const ofOrderings =
  (load: (gpu: Gpu, ordering: Ordering) => Promise<unknown>): Load =>
  (gpu) =>
    Promise.all(ORDERINGS.map((ordering) => load(gpu, ordering)));

/** For each part of the library, a function that loads every kernel the part can use. */
const PARTS: readonly (readonly [string, Load])[] = [
  [
    'the engine',
    ofOrderings((gpu, ordering) =>
      Promise.all([
        loadTokenize(gpu, ordering.format),
        loadGather(gpu, ordering),
        loadDeviceRun(gpu, ordering),
        loadCopyBytes(gpu),
      ]),
    ),
  ],
  ...Object.entries(SORT_STAGES).map(
    ([name, sort]) =>
      [
        name,
        ofOrderings((gpu, ordering) =>
          Promise.all([sort.load(gpu, ordering), sort.loadMerge(gpu, ordering), sort.loadStatistics?.(gpu, ordering)]),
        ),
      ] as const,
  ),
  [HYBRID_ALGORITHM, (gpu) => loadPackedPrefixes(gpu)],
  ['keyed lines', (gpu) => loadKeyedLines(gpu, byNumber())],
  ...[1, 6].map(
    (level) => [`BAM at level ${level}`, (gpu: Gpu) => loadBamSort(gpu, { level, rows: null, contigs: null })] as const,
  ),
  ['BAM by name', (gpu) => loadBamSort(gpu, { level: 1, rows: rowsBy('queryname'), contigs: null })],
  ['reads in BGZF', (gpu) => loadInflater(gpu, { format: { kind: 'lines', delimiter: 0 }, source: 'fastq' })],
  ['sequences', (gpu) => loadFraming(gpu, { format: { kind: 'lines', delimiter: 0 }, source: 'fasta' })],
  ['SAM as BAM', (gpu) => loadBamSort(gpu, { level: 1, rows: null, contigs: Buffer.from('a\n') })],
  [
    'records with short keys',
    (gpu) =>
      Promise.all(
        [{ lastResort: false }, { lastResort: false, unique: true }, { key: { kind: 'record' } as const }, {}].map(
          async (change) => {
            const ordering: Ordering = {
              ...LINES,
              format: { kind: 'fixed', size: 'key' in change ? 12 : 100 },
              key: { kind: 'bytes', offset: 3, length: 6 },
              ...change,
            };
            const stage = sortStage('radix', ordering);
            await Promise.all([stage.load(gpu, ordering), stage.loadMerge(gpu, ordering)]);
          },
        ),
      ),
  ],
  ['encoded records', (gpu) => loadRecode(gpu, { size: 4, steps: [] })],
  ['verify', ofOrderings((gpu, ordering) => loadInputHash(gpu, ordering.format))],
  [
    'segments',
    (gpu) =>
      Promise.all(
        (
          [
            { kind: 'blank' },
            { kind: 'bytes', offset: 3, length: 5 },
            {
              kind: 'fields',
              span: {
                begin: { field: 1, byte: 2, skipBlanks: true },
                end: { field: 3, byte: 4, skipBlanks: true },
                separator: Buffer.from('||'),
              },
            },
          ] as const
        ).flatMap((segments) =>
          [LINES, ...(segments.kind === 'bytes' ? [] : [byNumber()])].map((ordering) =>
            SORT_STAGES.segmented.load(gpu, { ...ordering, segments }),
          ),
        ),
      ),
  ],
  ...(['one', 'two'] as const).map(
    (sweep) => [`radix sort, sweeps: ${sweep}`, ofSpecs(radixSort({ ...RADIX_TUNING, sweep }).load)] as const,
  ),
  [
    'string merge sort by moving windows',
    ofOrderings((gpu, ordering) => {
      const tuning = { ...ORDER_TUNING, windows: WINDOWS };
      return Promise.all([loadOrder(gpu, ordering, tuning), loadOrderStatistics(gpu, ordering, tuning)]);
    }),
  ],
  ['merge sort', ofSpecs(mergeSort().load)],
  ...(['merge-four', 'merge', 'merge-registers', 'merge-narrow', 'merge-windows', 'moving-windows'] as const).map(
    (kernel) => [kernel, ofSpecs((gpu, spec) => runMerge({ kernel }).load(gpu, spec))] as const,
  ),
  ...(['wide', 'parts'] as const).map(
    (search) => [`merge, ${search} search`, ofSpecs((gpu, spec) => runMerge({ search }).load(gpu, spec))] as const,
  ),
  ['segmented sort', ofSpecs(segmentedSort().load)],
  ['segmented sort, jobs by a counter', ofSpecs(segmentedSort({ sharing: 'counted' }).load)],
  ['locality sort', ofSpecs(localitySort().load)],
  ['quicksort', ofSpecs(quicksort().load)],
];

/** Subgroups: none, those of NVIDIA devices, and the widest possible range; and a device without immediates. */
const KINDS: readonly { readonly subgroups: Subgroups; readonly immediates: boolean }[] = sampled(
  [
    { subgroups: null, immediates: true },
    { subgroups: { least: 32, most: 32 }, immediates: true },
    { subgroups: { least: 4, most: 128 }, immediates: true },
    { subgroups: { least: 4, most: 128 }, immediates: false },
  ],
  { count: 4, seed: 1, values: ({ subgroups, immediates }) => [subgroups?.least ?? 'none', immediates] },
);

/** Checks that all of PARTS compile on the adapter as each kind of device, and that together they load every kernel. */
function compilesAll(real: () => Promise<GPUAdapter>): void {
  const seen = new Set<string>();
  describe.each(KINDS)('%o', ({ subgroups, immediates }) => {
    let gpu: Gpu;
    beforeAll(async () => {
      gpu = await openGpu(limitedAdapter(await real(), subgroups, immediates).adapter);
      const load = gpu.pipelines.load.bind(gpu.pipelines);
      const buffer = gpu.device.createBuffer({ size: 4096, usage: USAGE.STORAGE });
      gpu.pipelines.load = async (name, constants) => {
        seen.add(name);
        const kernel = await load(name, constants);
        // An error, which is reported below, unless the declarations are exactly what the compiled kernel binds.
        const entries = Array.from(kernel.bindings.values(), (binding) => ({ binding, resource: { buffer } }));
        gpu.device.createBindGroup({ label: name, layout: kernel.layout, entries });
        return kernel;
      };
    });
    afterAll(async () => {
      await gpu.noteErrors();
      const reason = gpu.lostReason();
      gpu.close();
      expect(reason).toBeUndefined();
    });
    it.each(PARTS)('%s', (_, load) => load(gpu).then(() => {}));
    it('rejects a kernel that exceeds them', async () => {
      await expect(
        gpu.pipelines.load('strings/string-merge/merge-tile', {
          consts: { TILE: 2 * TILE, COUNT_TEXT_READS: 0 },
          variants: { TEXT_READS: 'uncounted' },
        }),
      ).rejects.toThrow(/cannot compile kernel strings\/string-merge\/merge-tile: .*workgroup storage/is);
    });
  });
  it('loads every kernel', () => {
    expect([...seen].sort()).toEqual(KERNELS);
  });
}

/** Kept for the life of the process: garbage collection would destroy its devices. */
const WITHOUT_BACKEND = create(['backend=null']);

describe('Dawn takes all kernels within the default limits', () => {
  compilesAll(async () => (await WITHOUT_BACKEND.requestAdapter())!);
});

describeGpu('the driver compiles all kernels within the default limits', () => {
  describe.runIf(NIGHTLY)('nightly', () => {
    compilesAll(requestAdapter);
  });
});
