/**
 * Records of 100 bytes with keys of 10, in the manner of the sort benchmark's: a random key, the record's number, and
 * filler. As text, a record is a line of printable bytes whose keys hold no blanks, so that `sort -s -k1.1,1.10` sorts
 * the same file.
 */
import { fillWords } from './random.mjs';

const RECORD_BYTES = 100;
const KEY_BYTES = 10;
const BLOCK_RECORDS = 40_000;
const DIGITS = '0123456789ABCDEF';
const DIGIT_CODES = Buffer.from(DIGITS);
/** Where the number's digits begin and end. */
const [NUMBER, NUMBER_END] = [12, 28];

/** Each byte becomes one of the 94 printable characters that are not blank. */
const printable = (bits) =>
  (((Math.imul(bits & 0x00ff00ff, 94) >>> 8) & 0x00ff00ff) | (Math.imul((bits >>> 8) & 0x00ff00ff, 94) & 0xff00ff00)) +
  0x21212121;

/** Adds one to hexadecimal digits. */
function countUp(record) {
  let at = NUMBER_END - 1;
  while (record[at] === DIGIT_CODES[15]) record[at--] = DIGIT_CODES[0];
  record[at] = DIGIT_CODES[DIGITS.indexOf(String.fromCharCode(record[at])) + 1];
}

/** The blocks of records whose keys are `map` of random words; `end` is the last byte of each. */
function blocks(map, between, end) {
  const block = Buffer.alloc(RECORD_BYTES * BLOCK_RECORDS);
  const keys = Buffer.alloc(KEY_BYTES * BLOCK_RECORDS);
  const words = new Uint32Array(keys.buffer, keys.byteOffset, keys.length / 4);
  const record = Buffer.alloc(RECORD_BYTES, between);
  record.fill('0', NUMBER, NUMBER_END);
  record.set(Buffer.from('the filler of a record is the same in all of them, because '), NUMBER_END + 2);
  record[RECORD_BYTES - 1] = end;
  return (state) => {
    state = fillWords(words, state, map);
    for (let at = 0, key = 0; at < block.length; at += RECORD_BYTES, key += KEY_BYTES) {
      block.set(record, at);
      for (let i = 0; i < KEY_BYTES; i++) block[at + i] = keys[key + i];
      countUp(record);
    }
    return { state, block, lineBytes: RECORD_BYTES };
  };
}

export const SORT_BENCHMARK_KINDS = {
  sortbenchmark: () => blocks((bits) => bits, 0, 0xff),
  sortbenchmarktext: () => blocks(printable, ' ', 10),
};
