/**
 * The requirements for every sort of the table (sorts.ts) on every device: it gives the result of the plain model for
 * all kinds of keys, distributions and sizes, writes nothing after the arrays, returns its memory, and refuses keys
 * that do not fit.
 */
import { expect, it } from 'vitest';
import type { Gpu } from '../../../../src/engines/gpu/device/device.js';
import { DevicePool, Scratch } from '../../../../src/engines/gpu/device/pool.js';
import type { FixedKeySpec, KeyArrays, KeySort } from '../../../../src/engines/gpu/keys/key-sort.js';
import { GpusortError } from '../../../../src/system/errors.js';
import { bufferBytes } from '../../../support/buffer-bytes.js';
import { KEY_TYPES, nameOf, type Problem, solved, specsOf, wordsOf } from '../../../support/fixed-keys.js';
import { NIGHTLY, sampled } from '../../../support/tier.js';
import { DISTRIBUTION_NAMES, type Distribution, makeKeys } from '../distributions.js';
import { readWords, sameWords, upload } from '../helpers.js';
import { byKernels, isPublic, type PartsSort, SHAPES, type SortRow, whole } from './sorts.js';

export const U32_KEYS: FixedKeySpec = { type: 'u32', values: false };
export const U32_PAIRS: FixedKeySpec = { type: 'u32', values: true };

/** Guard words after each array, which must not change. */
const GUARD_WORDS = 64;
const NOTHING = new Uint32Array(0);
const numbersTo = (n: number): Uint32Array => Uint32Array.from({ length: n }, (_, i) => i);

/** Expects that `arrays` begin with `keys` (and `values`) and that nothing was written after place `n`. */
export async function holds(
  gpu: Gpu,
  spec: FixedKeySpec,
  arrays: KeyArrays,
  n: number,
  keys: Uint32Array,
  values: Uint32Array,
): Promise<void> {
  const check = async (buffer: GPUBuffer, expected: Uint32Array, end: number, what: string): Promise<void> => {
    const words = await readWords(gpu, buffer);
    expect(sameWords(words.subarray(0, expected.length), expected), what).toBe(true);
    expect(
      words.subarray(end).every((word) => word === 0xa5a5a5a5),
      `words after the ${what}`,
    ).toBe(true);
  };
  await check(arrays.keys, keys, n * wordsOf(spec), 'keys');
  if (arrays.values !== null) await check(arrays.values, values, n, 'values');
}

/** Arrays of `n` keys, numbered, with room for guard words; without `keys` they contain only guard words. */
export function keyArrays(gpu: Gpu, spec: FixedKeySpec, n: number, keys: Uint32Array | null): KeyArrays {
  const numbers = keys === null ? NOTHING : numbersTo(n);
  return {
    keys: upload(gpu, keys ?? NOTHING, 4 * (n * wordsOf(spec) + GUARD_WORDS)),
    values: spec.values ? upload(gpu, numbers, 4 * (n + GUARD_WORDS)) : null,
  };
}

export function destroyArrays(...arrays: KeyArrays[]): void {
  for (const { keys, values } of arrays) {
    keys.destroy();
    values?.destroy();
  }
}

/**
 * Sorts on the device and expects the result of the plain model. `kept`: the pool of temporary buffers; default: a new
 * one.
 */
export async function checkParts(gpu: Gpu, sort: PartsSort, problem: Problem, kept?: DevicePool): Promise<void> {
  const { spec } = problem;
  const pool = kept ?? new DevicePool(gpu);
  const { input, bounds, sorted, order } = solved(problem);
  const n = order.length;
  const scratch = new Scratch(pool);
  const [from, spare] = [keyArrays(gpu, spec, n, input), keyArrays(gpu, spec, n, null)];
  await sort.load(gpu, spec);
  const result = await sort.sort(scratch, spec, from, spare, n, bounds);
  expect(result === from || result === spare).toBe(true);
  await holds(gpu, spec, result, n, sorted, order);
  // The other arrays may hold anything, unless the sort only reads its input.
  if (result === from) await holds(gpu, spec, spare, n, NOTHING, NOTHING);
  else if (sort.keepsInput) await holds(gpu, spec, from, n, input, numbersTo(n));
  else await holds(gpu, spec, from, n, NOTHING, NOTHING);
  scratch.end();
  if (kept === undefined) pool.destroyIdle();
  destroyArrays(from, spare);
}

/** The same for a sort of all keys. */
export function checkSort(
  gpu: Gpu,
  sort: Pick<KeySort, 'load' | 'sort'>,
  spec: FixedKeySpec,
  keys: Uint32Array,
): Promise<void> {
  return checkParts(gpu, whole(sort), { spec, keys });
}

/** A pool that is out of memory from take number `failing` (from 0) on. It counts the buffers in use. */
export class FailingPool extends DevicePool {
  out = 0;
  failing = Infinity;
  override async take(bytes: number, label: string): Promise<GPUBuffer> {
    if (this.failing-- <= 0) throw new GpusortError('out-of-device-memory', 'none left');
    const buffer = await super.take(bytes, label);
    this.out++;
    return buffer;
  }
  override give(...buffers: GPUBuffer[]): void {
    this.out -= buffers.length;
    super.give(...buffers);
  }
}

/** Calls `sort` with pools that run out of memory later and later, until it succeeds. All buffers must be returned. */
export async function returnsMemory(gpu: Gpu, sort: (pool: FailingPool) => Promise<void>): Promise<void> {
  for (let failing = 0, done = false; !done; failing++) {
    const pool = new FailingPool(gpu);
    pool.failing = failing;
    try {
      await sort(pool);
      done = true;
    } catch (error) {
      expect(error).toMatchObject({ code: 'out-of-device-memory' });
    }
    expect(pool.out).toBe(0);
    pool.destroyIdle();
  }
}

/** Bounds of some shape for n keys; runs to be merged get an empty one, too. */
function boundsOf({ parts, tile }: SortRow, n: number, seed: number): number[] {
  const shapes = Object.values(SHAPES);
  const bounds = shapes[seed % shapes.length](n, tile);
  return parts === 'merged' ? [0, ...bounds] : bounds;
}

/**
 * Registers the tests of a row's sort on a GPU, most of them with keys by `spec`. `seed` draws the other kinds of keys,
 * not the same ones for each row.
 */
export function conforms(gpu: () => Gpu, row: SortRow, seed: number, spec: FixedKeySpec = U32_PAIRS): void {
  const inPlace = byKernels(row, 'in place');
  const elsewhere = byKernels(row, 'elsewhere');
  const caseOf = (spec: FixedKeySpec, distribution: Distribution, n: number, drawn: number): Problem => ({
    spec,
    parts: row.parts,
    keys: makeKeys(distribution, n, wordsOf(spec), drawn),
    bounds: boundsOf(row, n, drawn),
  });
  const check = (sort: PartsSort, ...drawn: Parameters<typeof caseOf>) => checkParts(gpu(), sort, caseOf(...drawn));

  const specs = specsOf(KEY_TYPES, [false, true]);
  const others = [
    ...specs.map((one) => ({ by: 'the engine', spec: one })),
    ...specs.filter(({ type }) => isPublic(type)).map((one) => ({ by: 'gpusort/kernels', spec: one })),
  ];
  const drawn = [
    { by: 'the engine', spec },
    ...sampled(others, {
      count: 9,
      seed,
      values: ({ by }) => (by === 'gpusort/kernels' ? [by] : []),
      always: ({ by, spec: { descending } }, i) => (by === 'gpusort/kernels' || !descending) && (i + seed) % 5 === 0,
    }),
  ];

  it.each(drawn.map((one, i) => ({ ...one, name: nameOf(one.spec), i })))(
    '$by sorts $name',
    async ({ by, i, ...one }) => {
      if (by === 'the engine') {
        const names = sampled(DISTRIBUTION_NAMES, { count: 4, seed: seed + i });
        for (const [d, name] of [...names, 'extremes' as const].entries())
          await check(row.small, one.spec, name, 1000 + 97 * d, d + i);
        return;
      }
      const sizes = [0, 1, 2, 3, 255, 256, 257, 1023, 1024, 1025, 2047, 2048, 2049, 5000];
      for (const [c, n] of sampled(sizes, { count: 14, seed, values: (n) => [n < 2, n > 2048] }).entries())
        await check(c % 2 === 0 ? inPlace : elsewhere, one.spec, 'extremes', n, n + c);
      // Parts of up to three tiles; merges take two passes.
      for (const sort of [inPlace, elsewhere])
        for (const n of [200, 300]) await check(sort, one.spec, 'extremes', n, 5);
    },
  );

  it('sorts every size up to one more than two tiles', async () => {
    const { tile } = row;
    const isEdge = (n: number): boolean => n < 4 || (n + 1) % tile <= 2;
    const sizes = Array.from({ length: 2 * tile + 2 }, (_, n) => n);
    for (const n of sampled(sizes, { count: 40, seed, values: (n) => [isEdge(n) ? n : 'between'] }))
      await check(row.small, spec, n % 3 === 0 ? 'sixteen' : 'uniform', n, n);
  });

  it('sorts all distributions in parts of all shapes', async () => {
    // At least a third of them.
    const values = (_: Distribution, d: number): number[] => [d % 4];
    for (const [d, name] of sampled(DISTRIBUTION_NAMES, { count: 13, seed, values }).entries())
      await check(row.small, spec, name, 1500 + 41 * d, 2 + d);
  });

  it('sorts many keys', async () => {
    const sizes = [2 ** 14 + 1, 2 ** 16 + 1, 2 ** 15 - 1, 2 ** 16, 2 ** 17 - 1, 2 ** 17, 2 ** 17 + 1];
    for (const n of sampled(sizes, { count: 2, seed: 1, always: (_, i) => i < 2 }))
      await check(row.small, spec, 'gaussian', n, n + 4);
  });

  it('reuses buffers of earlier sorts', async () => {
    const pool = new DevicePool(gpu());
    for (const n of [5000, 4096, 5003]) await checkParts(gpu(), row.small, caseOf(spec, 'uniform', n, n), pool);
    pool.destroyIdle();
  });

  it('returns the buffers that it takes, whether or not memory suffices', async () => {
    const n = 6001;
    await row.small.load(gpu(), spec);
    const [from, spare] = [
      keyArrays(gpu(), spec, n, makeKeys('uniform', n, wordsOf(spec), 1)),
      keyArrays(gpu(), spec, n, null),
    ];
    const bounds = boundsOf(row, n, 5);
    const counted = bufferBytes(gpu().device);
    await returnsMemory(gpu(), async (pool) => {
      const scratch = new Scratch(pool);
      try {
        await row.small.sort(scratch, spec, from, spare, n, bounds);
        // The scratch holds nothing.
        expect(pool.out).toBe(0);
      } finally {
        scratch.end();
      }
    });
    expect(counted.live()).toBe(0);
    counted.end();
    destroyArrays(from, spare);
  });

  it('accepts as many keys as a binding holds, and refuses more before it allocates memory', async () => {
    // A multiple of the tiles of all rows.
    const most = 1024;
    const small: Gpu = { ...gpu(), maxBindingBytes: most * 4 * wordsOf(spec) };
    const keys = makeKeys('uniform', most + 1, wordsOf(spec), 3);
    await checkParts(small, row.small, { ...caseOf(spec, 'uniform', most, 3), bounds: [0, 1, most] });
    const pool = new FailingPool(small);
    pool.failing = 0;
    const [from, spare] = [keyArrays(small, spec, most + 1, keys), keyArrays(small, spec, most + 1, null)];
    await expect(
      row.small.sort(new Scratch(pool), spec, from, spare, most + 1, [0, 1, most + 1]),
    ).rejects.toMatchObject({
      code: 'out-of-device-memory',
      message: `too many keys at once for this GPU: 1025 of type ${spec.type}; a binding holds 1024`,
    });
    await holds(small, spec, from, most + 1, keys, numbersTo(most + 1));
    destroyArrays(from, spare);
  });

  it.runIf(NIGHTLY)(
    'sorts all kinds of keys, distributions and sizes',
    async () => {
      for (const one of specs)
        for (const [d, name] of DISTRIBUTION_NAMES.entries()) {
          for (const n of [63, 129, 1025, 4097]) await check(row.small, one, name, n, n + d);
          for (const n of [5000 + d, 2 ** 13 + 1]) await check(row.chosen, one, name, n, d);
          if (isPublic(one.type)) for (const sort of [inPlace, elsewhere]) await check(sort, one, name, 4097, d);
        }
    },
    3_600_000,
  );
}
