/** Problems of strings: lines are made on the host and sent to the device once; the device checks their order. */

import { DevicePool, Scratch } from '../../../dist/engines/gpu/device/pool.js';
import { recordOverrides, textBufferBytes } from '../../../dist/engines/gpu/records/records.js';
import { assumeRecords, loadTokenize, writeStarts } from '../../../dist/engines/gpu/records/tokenize.js';
import { blocksOf } from '../generate.mjs';
import { allocate, bind, launch, own, readWords, wordsOf } from './device.mjs';

/** Lines compared by all their bytes, as `LC_ALL=C sort -s` does. */
export const ORDERING = {
  format: { kind: 'lines', delimiter: 10 },
  key: { kind: 'record' },
  reverse: false,
  unique: false,
  lastResort: false,
};

/** Kinds of generate.mjs by their names here. `mean`: bytes of a string, without the delimiter. */
export const INPUTS = {
  random: { kind: 'random13', title: 'random printable strings of 4 to 23 bytes (mean 13.5)', mean: 13.6 },
  distinct: { kind: 'distinct13', title: 'as random, no two the same', mean: 13.6 },
  words: { kind: 'words', title: "words by Zipf's law (mean 7.7 bytes)", mean: 7.8 },
  urls: { kind: 'urls60', title: "URLs by Zipf's law, long common prefixes (mean 59)", mean: 59.3 },
  dna100: { kind: 'dna100', title: 'DNA, 100 bases', mean: 100 },
  wordlist: { kind: 'wordlist', title: 'a list of words (mean 7.9 bytes)', mean: 7.9 },
  sentences: { kind: 'sentences', title: 'sentences (mean 99 bytes), which often begin alike', mean: 99.3 },
  equal: { kind: 'equal32', title: 'one string of 32 bytes', mean: 32 },
  log64: { kind: 'log64', title: 'a log, each line less than 64 places from its place (35 bytes)', mean: 35 },
  log4096: { kind: 'log4096', title: 'the same, less than 4,096 places', mean: 35 },
  appended: { kind: 'appended', title: 'a log in order, but for its last hundredth', mean: 35 },
};

/**
 * Where the strings of a case are from.
 * @typedef {object} Source
 * @property {(maxBindingBytes: number, size: number) => string | null} unfit why there are no 2^size strings; null:
 *   there are
 * @property {(maxBindingBytes: number, size: number) => { n: number, room: number, blocks: () => Iterable<{ block:
 *   Buffer }> }} open their number, the most bytes of their text, and the text in blocks of whole lines
 */

/** Bytes of one write: a multiple of 4, and small enough for the queue's own ring of staging memory. */
const PIECE_BYTES = 2 ** 22;
/** The host waits after this many pieces, so that staging memory does not pile up. */
const PIECES_AHEAD = 32;

/** @returns {Source} the source of a case */
export const sourceOf = ({ input, source }) => source ?? generated(input);

function generated(input) {
  return {
    unfit: (maxBindingBytes, size) =>
      stringCount(maxBindingBytes, input, size) === null
        ? `the text is larger than a binding (${maxBindingBytes} bytes)`
        : null,
    open(maxBindingBytes, size) {
      const n = stringCount(maxBindingBytes, input, size);
      const { kind, mean } = INPUTS[input];
      // The total length deviates from its mean by about the square root of the number of strings, so leave room for
      // that.
      const room = Math.ceil(n * (mean + 1) + 64 * Math.sqrt(n) + 64);
      return { n, room, blocks: () => blocksOf(kind, { lines: n }) };
    },
  };
}

/**
 * The number of strings used for 2^size: fewer than 2^size if their text does not fit in a binding, but more than half
 * as many. Null: not even those fit.
 */
function stringCount(maxBindingBytes, input, size) {
  const fit = Math.floor((maxBindingBytes - 64) / (INPUTS[input].mean + 1));
  const n = 2 ** size;
  if (fit >= n) return n;
  return fit > n / 2 ? Math.floor(fit / 1000) * 1000 : null;
}

/** Writes the lines of `blocks` into a buffer; returns their bytes. */
async function sendText(gpu, text, blocks) {
  const piece = Buffer.alloc(PIECE_BYTES);
  let [filled, sent, pieces] = [0, 0, 0];
  const send = async (bytes) => {
    if (sent + bytes > text.size) throw new Error(`the text is larger than its buffer of ${text.size} bytes`);
    gpu.device.queue.writeBuffer(text, sent, piece, 0, bytes);
    sent += bytes;
    filled = 0;
    if (++pieces % PIECES_AHEAD === 0) await gpu.device.queue.onSubmittedWorkDone();
  };
  for (const { block } of blocks) {
    for (let at = 0; at < block.length; ) {
      const bytes = block.copy(piece, filled, at);
      filled += bytes;
      at += bytes;
      if (filled === PIECE_BYTES) await send(PIECE_BYTES);
    }
  }
  const textBytes = sent + filled;
  await send(Math.ceil(filled / 4) * 4);
  return textBytes;
}

const checkKernel = (gpu) => own(gpu, 'check-order', { overrides: recordOverrides(ORDERING) });

/** Makes about 2^size strings of a case, and the buffers for their sort and its check. */
export async function makeStringInput(gpu, one, size) {
  const { n, room: most, blocks } = sourceOf(one).open(gpu.maxBindingBytes, size);
  const room = Math.min(gpu.maxBindingBytes, textBufferBytes(most));
  const pool = new DevicePool(gpu);
  const scratch = new Scratch(pool);
  const text = scratch.add(await allocate(gpu, room, 'text'));
  const end = () => {
    scratch.end();
    pool.destroyIdle();
  };
  try {
    const textBytes = await sendText(gpu, text, blocks());
    await Promise.all([loadTokenize(gpu, ORDERING.format), checkKernel(gpu).load()]);
    const records = await writeStarts(
      scratch,
      await assumeRecords(scratch, text, textBytes, ORDERING.format, { count: n, boundaries: [] }),
      0,
      n,
    );
    await gpu.device.queue.onSubmittedWorkDone();
    return {
      n,
      textBytes,
      records,
      ordering: ORDERING,
      end,
      restore() {
        /* sorts do not change text and starts */
      },
      check: (result) => checkOrder(gpu, records, result),
    };
  } catch (error) {
    end();
    throw error;
  }
}

/** A sentence about the fault of an order of records; null: it is right. */
async function checkOrder(gpu, records, { order, count }) {
  const n = records.count;
  if (count !== n) return `${count} of ${n} strings`;
  const found = await wordsOf(gpu, new Uint32Array(2), 'found');
  try {
    launch(
      gpu,
      checkKernel(gpu),
      {
        text: bind(records.text, textBufferBytes(records.textBytes)),
        starts: bind(records.starts, 4 * (n + 1)),
        order: bind(order, 4 * n),
        found,
      },
      { n },
      n,
    );
    const [disorder, strangers] = await readWords(gpu, found, 2);
    if (strangers > 0) return `${strangers} of ${n} strings do not exist`;
    return disorder > 0 ? `${disorder} of ${n} places out of order` : null;
  } finally {
    found.destroy();
  }
}
