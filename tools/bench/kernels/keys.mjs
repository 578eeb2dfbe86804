/** Problems of fixed keys: made, restored before each run, and checked, all on the device. */
import { keyConstants, keyWords } from '../../../dist/engines/gpu/keys/key-sort.js';
import { fillWords } from '../random.mjs';
import { allocate, bind, copyBuffer, launch, own, readWords, wordsOf } from './device.mjs';

/**
 * The numbers of make-keys.wgsl. With `near16` and so on, keys are less than 16 places from their final places.
 * `appended`: in order, but for the last hundredth, which belongs anywhere.
 */
const DISTRIBUTIONS = {
  uniform: 0,
  zero: 1,
  bucket: 2,
  gaussian: 3,
  staggered: 4,
  sorted: 5,
  reversed: 6,
  sixteen: 7,
  zipf: 8,
  organPipe: 9,
  near16: 10,
  near256: 10,
  near4096: 10,
  twoValues: 11,
  runs: 12,
  unequalRuns: 13,
  appended: 14,
};
/** The sizes, as powers of two, that make-keys.wgsl supports. */
const [LEAST_BITS, MOST_BITS] = [8, 28];

/** Why 2^size keys cannot be made; null: they can. */
export function unfitKeys(size) {
  return size < LEAST_BITS || size > MOST_BITS ? `keys are made from 2^${LEAST_BITS} to 2^${MOST_BITS}` : null;
}

/** The numbers of make-keys.wgsl for the first letters of types. */
const NUMBERS = { u: 0, p: 0, i: 1, f: 2 };

function makeConstants(spec, distribution) {
  const near = /^near(\d+)$/.exec(distribution);
  return {
    WORDS: keyWords(spec),
    HIGH_FIRST: Number(spec.type === 'prefix'),
    NUMBER: NUMBERS[spec.type[0]],
    DISTRIBUTION: DISTRIBUTIONS[distribution],
    NEAR_BITS: near === null ? 1 : Math.log2(Number(near[1])),
  };
}

/**
 * The beginnings of segments, then n. Lengths are from 0 to twice `mean`, except the last. Null: everything is one
 * segment.
 */
function segmentBegins(n, mean) {
  if (mean === null) return Uint32Array.of(0, n);
  const lengths = new Uint32Array(2 * Math.ceil(n / mean) + 16);
  fillWords(lengths, 2026, (bits) => (bits >>> 4) % (2 * mean + 1));
  const begins = new Uint32Array(lengths.length + 1);
  let count = 1;
  for (let at = lengths[0]; at < n && count < lengths.length; at += lengths[count++]) begins[count] = at;
  begins[count] = n;
  return begins.slice(0, count + 1);
}

/**
 * Makes 2^size keys of a case, and the buffers for their sort and its check.
 * @param {{ spec: import('../../../dist/engines/gpu/keys/key-sort.js').FixedKeySpec, distribution: string, mean?: number }} one `mean`: the
 *   mean length of segments
 */
export async function makeKeyInput(gpu, { spec, distribution, mean = null }, size) {
  const n = 2 ** size;
  const words = keyWords(spec);
  const bytes = 4 * words * n;
  const held = [];
  const take = async (length, label) => {
    held.push(await allocate(gpu, length, label));
    return held.at(-1);
  };
  const end = () => {
    for (const buffer of held) buffer.destroy();
  };
  try {
    const arrays = async (label) => ({
      keys: await take(bytes, `${label} keys`),
      values: spec.values ? await take(4 * n, `${label} values`) : null,
    });
    const [given, from, spare] = [await arrays('given'), await arrays('sorted'), await arrays('spare')];
    const hostBegins = segmentBegins(n, mean);
    const begins = await wordsOf(gpu, hostBegins, 'begins');
    held.push(begins);
    const constants = { overrides: makeConstants(spec, distribution) };
    const [makeKeys, makeNumbers] = [own(gpu, 'make-keys', constants), own(gpu, 'make-numbers')];
    await Promise.all([makeKeys.load(), makeNumbers.load(), checkKernel(gpu, spec).load()]);
    launch(gpu, makeKeys, { keys: bind(given.keys, bytes) }, { bits: size }, n);
    if (given.values !== null) launch(gpu, makeNumbers, { numbers: bind(given.values, 4 * n) }, { n }, n);
    return {
      n,
      textBytes: 0,
      given,
      from,
      spare,
      hostBegins,
      begins,
      segments: hostBegins.length - 1,
      end,
      /** Restores the arrays to what they held before the sort. */
      restore() {
        copyBuffer(gpu, given.keys, from.keys, bytes);
        if (given.values !== null) copyBuffer(gpu, given.values, from.values, 4 * n);
      },
      check: (sorted) => checkKeys(gpu, spec, { given, sorted, begins, segments: hostBegins.length - 1, n }),
    };
  } catch (error) {
    end();
    throw error;
  }
}

const checkKernel = (gpu, spec) => own(gpu, 'check-keys', keyConstants(spec));

/** A sentence about the fault of a result; null: it is in order and holds the given keys (and values). */
async function checkKeys(gpu, spec, { given, sorted, begins, segments, n }) {
  const found = await wordsOf(gpu, new Uint32Array(6), 'found');
  try {
    const bytes = 4 * keyWords(spec) * n;
    launch(
      gpu,
      checkKernel(gpu, spec),
      {
        given: bind(given.keys, bytes),
        sorted: bind(sorted.keys, bytes),
        values: sorted.values === null ? begins : bind(sorted.values, 4 * n),
        begins,
        found,
      },
      { n, segments },
      n,
    );
    const [disorder, strangers, ...sums] = await readWords(gpu, found, 6);
    if (disorder > 0) return `${disorder} of ${n} places out of order`;
    if (strangers > 0) return `${strangers} of ${n} values not those of their keys`;
    return sums[0] === sums[2] && sums[1] === sums[3] ? null : 'other keys than those given';
  } finally {
    found.destroy();
  }
}
