/**
 * A module worker: all that takes long on the CPU, so that the page stays responsive. It keeps the input, generates and
 * verifies, and times the sorts that the page compares with. A message is [id, name, argument]; the answer [id, error,
 * result].
 */
import { generateKeys, randomWords } from './generate.js';
import { asWords, firstDifference, KEY_TYPES, keysOfBits, orderedBits } from './keys.js';
import { compareLines, joinLines, linePrefixes, lineStarts, refineTies } from './lines.js';

/** Keys of an average segment. */
const SEGMENT = 1000;

let type;
let keys;
let text;
let starts;
/** Ordered bits of the sorted keys, of keys sorted by segment, and of the lines in order; made when first asked for. */
let expected = {};

const operations = {
  /** Generates keys. Returns a copy, as all operations that return keys do. */
  generate(request) {
    setKeys(request.type, generateKeys(request));
    return keys.slice();
  },

  /** Takes the bytes of a file as keys. */
  read({ type: fileType, buffer }) {
    setKeys(fileType, new KEY_TYPES[fileType].Keys(buffer));
    return keys.slice();
  },

  /** Takes the bytes of a text file. Returns the prefixes of its lines. */
  readLines({ buffer }) {
    text = new Uint8Array(buffer);
    starts = lineStarts(text);
    setKeys('u64', new BigUint64Array(linePrefixes(text, starts).buffer));
    return keys.slice();
  },

  /** Where segments begin: the first at 0, the others at random. */
  begins() {
    const random = randomWords(2);
    const begins = new Set([0]);
    for (let n = Math.floor(keys.length / SEGMENT); n > 1; n--) begins.add(random() % keys.length);
    const sorted = Uint32Array.from(begins).sort();
    expected.begins = sorted;
    return sorted.slice();
  },

  /** The keys with each half sorted: the runs that the merge gets. */
  halves() {
    const half = Math.ceil(keys.length / 2);
    const bits = orderedBits(type, keys);
    bits.subarray(0, half).sort();
    bits.subarray(half).sort();
    return keysOfBits(type, bits);
  },

  /** Milliseconds of one sort by the browser's own sort(). */
  sort() {
    const copy = keys.slice();
    const begin = performance.now();
    copy.sort();
    return performance.now() - begin;
  },

  /** Milliseconds of one sort of the lines by their bytes. */
  sortLines() {
    const begin = performance.now();
    Uint32Array.from({ length: starts.length - 1 }, (_, i) => i).sort((a, b) => compareLines(text, starts, a, b));
    return performance.now() - begin;
  },

  /** Orders lines with equal prefixes. Returns the order and the number of these lines. */
  refine({ order }) {
    const tied = refineTies(text, starts, asWords(keys), order);
    return { order, tied };
  },

  /** The index of the first wrong key of a result, or -1. `result` is 'sorted' or 'segments'. */
  verify({ result, found }) {
    return firstDifference(type, found, result === 'segments' ? expectedSegments() : expectedSorted());
  },

  /** The index of the first wrong line, or -1. */
  verifyLines({ order }) {
    expected.lines ??= Uint32Array.from({ length: starts.length - 1 }, (_, i) => i).sort(
      (a, b) => compareLines(text, starts, a, b) || a - b,
    );
    return order.findIndex((line, i) => line !== expected.lines[i]);
  },

  /** The sorted text. */
  join({ order }) {
    return joinLines(text, starts, order);
  },
};

function setKeys(newType, newKeys) {
  type = newType;
  keys = newKeys;
  expected = {};
}

function expectedSorted() {
  return (expected.sorted ??= orderedBits(type, keys).sort());
}

function expectedSegments() {
  if (expected.segments === undefined) {
    const bits = orderedBits(type, keys);
    expected.begins.forEach((begin, i) => bits.subarray(begin, expected.begins[i + 1]).sort());
    expected.segments = bits;
  }
  return expected.segments;
}

addEventListener('message', ({ data: [id, name, argument] }) => {
  try {
    const result = operations[name](argument);
    const buffers = [result, result?.order].filter(ArrayBuffer.isView).map(({ buffer }) => buffer);
    postMessage([id, null, result], buffers);
  } catch (error) {
    postMessage([id, error, null]);
  }
});
