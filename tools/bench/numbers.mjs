/**
 * Binary benchmark files of numbers, and of records with numbers. A kind is named as `--array` names a type, followed
 * by a distribution: `u32`, `f64-gaussian`, `u64+u64-staggered`, `u32be`. A value after the plus sign is the record's
 * place in the file, so that a checker can see whether a sort was stable. `events` are log records with a 64-bit time.
 */
import { codesOf, DISTRIBUTION_NAMES } from './distributions.mjs';
import { fillRandom } from './random.mjs';

/** Records of a block: a few megabytes, see generate.mjs. */
const BLOCK_RECORDS = 1 << 18;
const DISTRIBUTION = `(?:-(?<distribution>${DISTRIBUTION_NAMES.join('|')}))?`;
const NUMBERS = new RegExp(
  `^(?<letter>[uif])(?<bits>8|16|32|64|128)(?<order>le|be)?(?:\\+u(?<value>32|64))?${DISTRIBUTION}$`,
);
const EVENTS = new RegExp(`^events${DISTRIBUTION}$`);

/** Some of these kinds, for lists of kinds. */
export const NUMBER_KINDS = ['u32', 'u64', 'i32', 'f32', 'f64', 'u64+u64', 'u32+u64', 'u16be', 'events'];

/**
 * A kind as in generate.mjs, with the size of its records.
 * @param {string} name
 * @returns {{ lineBytes: number, open: (total: number) => (state: number) => object } | null} null: not such a kind
 */
export function numberKind(name) {
  const event = EVENTS.exec(name)?.groups;
  if (event !== undefined)
    return { lineBytes: EVENT_BYTES, open: (total) => events(event.distribution ?? 'near256', total) };
  const type = typeOf(name);
  if (type === null) return null;
  return { lineBytes: type.bits / 8 + 4 * type.valueWords, open: (total) => numbers(type, total) };
}

/** The type that a name describes; null: it describes none. */
function typeOf(name) {
  const parts = NUMBERS.exec(name)?.groups;
  if (parts === undefined) return null;
  const { letter, order = 'le', value = '0', distribution = 'uniform' } = parts;
  const bits = Number(parts.bits);
  const exists = letter === 'u' || (letter === 'i' ? bits < 128 : bits === 32 || bits === 64);
  // Values are written as whole words.
  if (!exists || (bits < 32 && value !== '0')) return null;
  return { letter, bits, big: order === 'be', valueWords: Number(value) / 32, distribution };
}

/** Each entry changes codes, the highest word first, to the bits of numbers of a type in the same order. */
const BITS = {
  u() {
    /* codes are unsigned numbers */
  },
  i([high], count) {
    for (let i = 0; i < count; i++) high[i] ^= 0x80000000;
  },
  /** From -1 to 1: code 2^31 is about 0. No NaN, and one zero only. */
  f([high, low], count) {
    if (low === undefined) {
      const floats = new Float32Array(high.buffer);
      for (let i = 0; i < count; i++) floats[i] = (high[i] - 2 ** 31) / 2 ** 31;
      return;
    }
    const float = new Float64Array(1);
    const bits = new Uint32Array(float.buffer);
    for (let i = 0; i < count; i++) {
      float[0] = (high[i] - 2 ** 31 + low[i] / 2 ** 32) / 2 ** 31;
      low[i] = bits[0];
      high[i] = bits[1];
    }
  },
};

/** The blocks of a packed array. */
function numbers(type, total) {
  const { bits, letter, big, valueWords, distribution } = type;
  const count = Math.min(BLOCK_RECORDS, total);
  const next = codesOf(distribution, Math.ceil(bits / 32), total, count);
  const lineBytes = bits / 8 + 4 * valueWords;
  const block = Buffer.alloc(count * lineBytes);
  const target = bits === 8 ? block : new (bits === 16 ? Uint16Array : Uint32Array)(block.buffer, block.byteOffset);
  let first = 0;
  return (state) => {
    const made = next(first, count, state);
    BITS[letter](made.codes, count);
    if (bits < 32) putSmall(target, made.codes[0], bits);
    else putWords(target, made.codes, big, first, valueWords);
    if (big && bits === 16) block.swap16();
    first += count;
    return { state: made.state, block, lineBytes };
  };
}

function putSmall(target, high, bits) {
  for (let i = 0; i < high.length; i++) target[i] = high[i] >>> (32 - bits);
}

const swapped = (word) => (word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24);

/** Writes numbers of 32 bits or more, the highest word first, and their places after them, as records. */
function putWords(target, bits, big, first, valueWords) {
  const words = bits.length + valueWords;
  for (const [w, word] of bits.entries()) {
    const place = big ? w : bits.length - 1 - w;
    if (big) for (let i = 0, at = place; i < word.length; i++, at += words) target[at] = swapped(word[i]);
    else for (let i = 0, at = place; i < word.length; i++, at += words) target[at] = word[i];
  }
  for (let w = 0; w < valueWords; w++)
    for (let i = 0, at = bits.length + w; i < bits[0].length; i++, at += words)
      target[at] = w === 0 ? first + i : (first + i) / 2 ** 32;
}

const EVENT_BYTES = 32;
const EVENT_WORDS = EVENT_BYTES / 4;
/** 22 November 2026, 00:00 UTC, in nanoseconds. */
const MIDNIGHT = 1_795_305_600n * 1_000_000_000n;
const [MIDNIGHT_LOW, MIDNIGHT_HIGH] = [Number(MIDNIGHT & 0xffffffffn), Number(MIDNIGHT >> 32n)];
const DAY_NANOSECONDS = 86400e9;

/**
 * Events of a day, near their order in time unless another distribution is given: source (u32), type (u32), time (u64,
 * nanoseconds), a measurement (f64) and the number of the event (u64).
 */
function events(distribution, total) {
  const count = Math.min(BLOCK_RECORDS, total);
  const next = codesOf(distribution, 2, total, count);
  const block = Buffer.alloc(count * EVENT_BYTES);
  const words = new Uint32Array(block.buffer, block.byteOffset);
  const floats = new Float64Array(block.buffer, block.byteOffset);
  const random = new Uint32Array(count);
  let first = 0;
  return (state) => {
    const made = next(first, count, state);
    const [high, low] = made.codes;
    state = fillRandom(random, made.state);
    for (let i = 0, at = 0; i < count; i++, at += EVENT_WORDS) {
      const time = MIDNIGHT_LOW + Math.floor((high[i] + low[i] / 2 ** 32) * (DAY_NANOSECONDS / 2 ** 32));
      words[at] = random[i] >>> 20;
      words[at + 1] = random[i] & 15;
      words[at + 2] = time;
      words[at + 3] = MIDNIGHT_HIGH + Math.floor(time / 2 ** 32);
      floats[(at >> 1) + 2] = (random[i] & 0xffff) / 64;
      words[at + 6] = first + i;
      words[at + 7] = (first + i) / 2 ** 32;
    }
    first += count;
    return { state, block, lineBytes: EVENT_BYTES };
  };
}
