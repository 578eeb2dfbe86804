/**
 * Keys of binary records, read from gpusort's options and compared as its manual says. An oracle: it shares no code
 * with src/, compares values where they are, and makes no normalized keys.
 */
import { parseArgs } from 'node:util';

/**
 * @typedef {object} Part a part of a record by which records are ordered
 * @property {number} offset
 * @property {number} length in bytes
 * @property {'bytes' | 'u' | 'i' | 'f'} type
 * @property {boolean} big the most significant byte is first
 * @property {boolean} reverse
 *
 * @typedef {object} RecordOrder
 * @property {number} size of a record, in bytes
 * @property {Part[]} keys
 * @property {Part[]} rest decides between records with equal keys
 */

const TYPE = /^(?:(?<plain>[ui]8)|(?<letter>[uif])(?<bits>16|32|64|128)(?<order>le|be)?)$/;

/** A number type such as u32be; null: there is no such type. */
function typeOf(text) {
  const parts = TYPE.exec(text)?.groups;
  if (parts === undefined) return null;
  if (parts.plain !== undefined) return { length: 1, type: parts.plain[0], big: false };
  const bits = Number(parts.bits);
  const exists = { u: bits <= 128, i: bits <= 64, f: bits === 32 || bits === 64 }[parts.letter];
  return exists ? { length: bits / 8, type: parts.letter, big: parts.order === 'be' } : null;
}

/**
 * A key such as 0:10, 8:u64be, 4:4:f32:r.
 * @param {string} text
 * @param {boolean} reverse of a key without letters
 * @returns {Part}
 */
export function parseKey(text, reverse) {
  const fields = text.split(':');
  const letters = fields.length > 2 && fields.at(-1) === 'r' ? fields.pop() : '';
  const offset = Number(fields[0]);
  const [length, name] = /^\d+$/.test(fields[1]) ? [Number(fields[1]), fields[2]] : [null, fields[1]];
  const type = name === undefined || name === 'bytes' ? length && { length, type: 'bytes', big: true } : typeOf(name);
  const contradicts = type && length !== null && length !== type.length;
  if (!type || contradicts || !/^\d+$/.test(fields[0]) || fields.length > (length === null ? 2 : 3))
    throw new Error(`not a key: '${text}'`);
  return { offset, ...type, reverse: reverse || letters === 'r' };
}

/** A packed array's type such as u32le or u32le+u64: one key at the beginning of each record. */
function arrayOrder(text, reverse) {
  const [key, value, ...more] = text.split('+').map(typeOf);
  if (!key || value === null || more.length > 0) throw new Error(`not a type of an array: '${text}'`);
  return { size: key.length + (value?.length ?? 0), keys: [{ offset: 0, ...key, reverse }], rest: [] };
}

/**
 * The order that gpusort's options request.
 * @param {{ 'record-size'?: string, key?: readonly string[], array?: string, reverse?: boolean, stable?: boolean,
 *   unique?: boolean }} options `stable` or `unique`: records with equal keys are not compared further
 * @param {readonly string[]} ties more keys, for records with equal keys
 * @returns {RecordOrder}
 */
export function recordOrder(options, ties = []) {
  const { reverse = false } = options;
  const then = ties.map((text) => parseKey(text, false));
  if (options.array !== undefined) return { ...arrayOrder(options.array, reverse), rest: then };
  const size = Number(options['record-size']);
  if (!(Number.isInteger(size) && size > 0)) throw new Error('give --array TYPE, or --record-size N');
  const whole = { offset: 0, length: size, type: 'bytes', big: true, reverse };
  const keys = (options.key ?? []).map((text) => parseKey(text, reverse));
  const outside = [...keys, ...then].find(({ offset, length }) => offset + length > size);
  if (outside) throw new Error(`a key at ${outside.offset} of ${outside.length} bytes is not within ${size} bytes`);
  if (keys.length === 0) return { size, keys: [whole], rest: then };
  return { size, keys, rest: options.stable || options.unique || then.length > 0 ? then : [whole] };
}

const text = { type: 'string' };
/** The options that recordOrder takes, for node:util's parseArgs. */
export const ORDER_OPTIONS = {
  array: text,
  'record-size': text,
  key: { ...text, short: 'k', multiple: true },
  reverse: { type: 'boolean', short: 'r' },
  stable: { type: 'boolean', short: 's' },
  unique: { type: 'boolean', short: 'u' },
};

/** The order that a command line of gpusort requests; its other options are skipped. */
export const orderOfCommand = (args, ties) =>
  recordOrder(parseArgs({ args: [...args], options: ORDER_OPTIONS, strict: false }).values, ties);

/** Compares a part of bytes of two records, which begin at the places a and b. */
function bytesComparer({ offset, length }, view) {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  return (a, b) => {
    for (let i = offset; i < offset + length; i++)
      if (bytes[a + i] !== bytes[b + i]) return bytes[a + i] - bytes[b + i];
    return 0;
  };
}

/** The same for a part that is a number of less than 32 bits. */
function smallComparer({ offset, length, type, big }, view) {
  const signed = type === 'i';
  if (length === 1) {
    return signed
      ? (a, b) => view.getInt8(a + offset) - view.getInt8(b + offset)
      : (a, b) => view.getUint8(a + offset) - view.getUint8(b + offset);
  }
  return signed
    ? (a, b) => view.getInt16(a + offset, !big) - view.getInt16(b + offset, !big)
    : (a, b) => view.getUint16(a + offset, !big) - view.getUint16(b + offset, !big);
}

/**
 * The same for larger numbers: word by word, the highest first. All bits of a negative float are complemented, which
 * gives IEEE 754's total order.
 */
function numberComparer({ offset, length, type, big }, view) {
  const little = !big;
  const [first, step] = big ? [offset, 4] : [offset + length - 4, -4];
  const [signed, float] = [type !== 'u', type === 'f'];
  return (a, b) => {
    let x = view.getInt32(a + first, little);
    let y = view.getInt32(b + first, little);
    const flipX = float ? x >> 31 : 0;
    const flipY = float ? y >> 31 : 0;
    x ^= flipX & 0x7fffffff;
    y ^= flipY & 0x7fffffff;
    if (x !== y) return signed ? (x < y ? -1 : 1) : x >>> 0 < y >>> 0 ? -1 : 1;
    for (let left = length - 4, at = first + step; left > 0; left -= 4, at += step) {
      const low = (view.getInt32(a + at, little) ^ flipX) >>> 0;
      const other = (view.getInt32(b + at, little) ^ flipY) >>> 0;
      if (low !== other) return low < other ? -1 : 1;
    }
    return 0;
  };
}

/**
 * Compares the records of `view` that begin at two places: negative, zero or positive.
 * @param {readonly Part[]} parts
 * @param {DataView} view
 * @returns {(a: number, b: number) => number}
 */
export function comparer(parts, view) {
  const compare = parts.map((part) => {
    const one = (part.type === 'bytes' ? bytesComparer : part.length < 4 ? smallComparer : numberComparer)(part, view);
    return part.reverse ? (a, b) => one(b, a) : one;
  });
  if (compare.length === 1) return compare[0];
  return (a, b) => {
    for (const one of compare) {
      const sign = one(a, b);
      if (sign !== 0) return sign;
    }
    return 0;
  };
}
