/**
 * The networks by which a thread sorts eight keys (kernels/wgsl/keys/sort-eight-*.wgsl): which one a sort uses, and all
 * inputs of zeros and ones in all divisions into segments. A network that sorts these sorts everything (Knuth, volume
 * 3, section 5.3.4).
 */
import { expect, it } from 'vitest';
import type { Gpu } from '../../../../src/engines/gpu/device/device.js';
import type { FixedKeySpec } from '../../../../src/engines/gpu/keys/key-sort.js';
import { localitySort } from '../../../../src/engines/gpu/keys/locality-sort/locality-sort.js';
import { mergeSort } from '../../../../src/engines/gpu/keys/merge-sort/merge-sort.js';
import { segmentedSort } from '../../../../src/engines/gpu/keys/segmented-sort/segmented-sort.js';
import { describeGpu } from '../../../setup/gpu.js';
import { makeKeys } from '../distributions.js';
import { useGpu } from '../helpers.js';
import { checkParts, checkSort, U32_KEYS, U32_PAIRS } from './conformance.js';
import { segmentsBy } from './sorts.js';

const PATTERNS = 2 ** 8;
const DIVISIONS = 2 ** 7;

/** Every pattern of eight zeros and ones, as often as eight keys can be divided. */
const keys = Uint32Array.from({ length: 8 * PATTERNS * DIVISIONS }, (_, i) => ((i >> 3) >> (i & 7)) & 1);
/** Each pattern in each division. */
const bounds: number[] = [];
for (let i = 0; i < keys.length; i++) {
  const division = Math.floor((i >> 3) / PATTERNS);
  if ((i & 7) === 0 || ((division >> ((i & 7) - 1)) & 1) === 1) bounds.push(i);
}
bounds.push(keys.length);

/** The networks of the kernels that a sort loads. */
async function networksOf(
  gpu: Gpu,
  load: (gpu: Gpu, spec: FixedKeySpec) => Promise<unknown>,
  spec: FixedKeySpec,
): Promise<string[]> {
  const found: string[] = [];
  const pipelines: Gpu['pipelines'] = Object.create(gpu.pipelines);
  pipelines.load = (name, constants = {}) => {
    const { NETWORK: network } = constants.variants ?? {};
    if (network !== undefined) found.push(network);
    return gpu.pipelines.load(name, constants);
  };
  await load({ ...gpu, pipelines }, spec);
  return found;
}

describeGpu.each([
  { name: 'stable', spec: U32_PAIRS },
  { name: 'unstable', spec: U32_KEYS },
])('the $name network', ({ name, spec }) => {
  const gpu = useGpu();

  it('sorts zeros and ones in all segments', async () => {
    const sort = segmentsBy('flags', segmentedSort());
    expect(await networksOf(gpu(), sort.load, spec)).toEqual([name]);
    await checkParts(gpu(), sort, { spec, keys, parts: 'sorted', bounds });
  });

  it('sorts zeros and ones in blocks', async () => {
    const sort = mergeSort({ block: { threads: 1, perThread: 8 } });
    expect(await networksOf(gpu(), sort.load, spec)).toEqual([name]);
    for (let pattern = 1; pattern < PATTERNS; pattern += 20)
      await checkSort(gpu(), sort, spec, keys.subarray(8 * pattern, 8 * pattern + 8));
  });
});

describeGpu('the stable network', () => {
  const gpu = useGpu();

  it('sorts keys without values on request', async () => {
    for (const sort of [mergeSort({ stableNetwork: true }), localitySort({ stableNetwork: true })]) {
      expect(await networksOf(gpu(), sort.load, U32_KEYS)).toEqual(['stable']);
      await checkSort(gpu(), sort, U32_KEYS, makeKeys('uniform', 3000, 1, 5));
    }
  });
});
