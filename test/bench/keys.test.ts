/** The keys that the kernel benchmarks make on the device: numbers of all types in the order of the same codes. */
import { afterAll, beforeAll, expect, it } from 'vitest';
// @ts-expect-error: plain JavaScript, because the benchmarks run without a build of their own
import { keyCases } from '../../tools/bench/kernels/cases.mjs';
// @ts-expect-error
import { openGpu, readWords, requestAdapter } from '../../tools/bench/kernels/device.mjs';
// @ts-expect-error
import { makeKeyInput } from '../../tools/bench/kernels/keys.mjs';
import { describeGpu } from '../setup/gpu.js';

const BITS = 10;
type Gpu = Awaited<ReturnType<typeof import('../../src/engines/gpu/device/device.js').openGpu>>;
type Numbers = Int32Array | Float32Array | BigInt64Array | Float64Array;

const RANGE = 2n ** 63n;
/** The nearest number of a type towards 0 for the code of a key, a fraction of half the range. */
const TYPES: Readonly<
  Record<string, { code: string; view: (buffer: ArrayBuffer) => Numbers; number: (code: bigint) => number | bigint }>
> = {
  i32: { code: 'u32', view: (buffer) => new Int32Array(buffer), number: (code) => Number(code - 2n ** 31n) },
  f32: {
    code: 'u32',
    view: (buffer) => new Float32Array(buffer),
    number: (code) => towardsZero(code - 2n ** 31n, 24) / 2 ** 31,
  },
  i64: { code: 'u64', view: (buffer) => new BigInt64Array(buffer), number: (code) => code - RANGE },
  f64: {
    code: 'u64',
    view: (buffer) => new Float64Array(buffer),
    number: (code) => towardsZero(code - RANGE, 53) / 2 ** 63,
  },
};

/** A number with its highest `digits` binary digits only. */
function towardsZero(value: bigint, digits: number): number {
  const size = value < 0n ? -value : value;
  const rest = BigInt(Math.max(0, size.toString(2).length - digits));
  return Number((size >> rest) << rest) * (value < 0n ? -1 : 1);
}

describeGpu('keys of the benchmarks', () => {
  let gpu: Gpu;
  beforeAll(async () => {
    gpu = await openGpu(await requestAdapter());
  });
  afterAll(() => gpu.close());

  const wordsOf = async (type: string, distribution: string): Promise<Uint32Array> => {
    const [one] = keyCases([`${type} keys`], [distribution]);
    const input = await makeKeyInput(gpu, one, BITS);
    const words = await readWords(gpu, input.given.keys, (input.given.keys.size / 4) | 0);
    input.end();
    return words;
  };

  it.each(Object.keys(TYPES))('%s are numbers for the codes of unsigned keys', async (type) => {
    const { code, view, number } = TYPES[type];
    for (const distribution of ['uniform', 'sorted', 'zero']) {
      const codes = await wordsOf(code, distribution);
      const all = code === 'u32' ? Array.from(codes, BigInt) : [...new BigUint64Array(codes.buffer)];
      const made = [...view((await wordsOf(type, distribution)).buffer as ArrayBuffer)];
      expect(made.slice(0, all.length), distribution).toEqual(all.map((one) => number(one)));
      expect(new Set(all).size, distribution).toBe(distribution === 'zero' ? 1 : all.length);
    }
  });
});
