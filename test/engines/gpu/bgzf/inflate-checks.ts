/** Inflates blocks on the device, and compares every one with zlib: verdict, text, checksum and the bytes around. */
import { crc32, type InflateRaw, inflateRawSync } from 'node:zlib';
import { expect } from 'vitest';
import { inflateOnDevice } from '../../../../src/engines/gpu/bgzf/inflate.js';
import type { Gpu } from '../../../../src/engines/gpu/device/device.js';
import { readBack } from '../../../../src/engines/gpu/device/dispatch.js';
import { DevicePool, Scratch } from '../../../../src/engines/gpu/device/pool.js';
import { damaged, deflated, someText, spliced } from '../../../support/deflate-streams.js';
import { type RandomBelow, randomBelow } from '../../../support/random.js';
import { upload } from '../helpers.js';

/** DEFLATE data, and the length of its text as the file says it. */
export interface Block {
  readonly name: string;
  readonly data: Uint8Array;
  readonly textBytes: number;
}

/** Bytes of the longest text of a block of BGZF. */
export const MOST_TEXT = 65_536;
const GUARD = 0xa5;
const GUARD_BYTES = 16;

/** The text, if zlib accepts the data, uses all of it, and the text has `textBytes` bytes (null: any number). */
export function inflatedByZlib(data: Uint8Array, textBytes: number | null): Buffer | null {
  try {
    const options = { info: true, maxOutputLength: 2 * MOST_TEXT } as const;
    // With `info` it returns both, which its type does not say.
    const { buffer, engine } = inflateRawSync(data, options) as unknown as { buffer: Buffer; engine: InflateRaw };
    if (engine.bytesWritten !== data.length || (textBytes ?? buffer.length) !== buffer.length) return null;
    return buffer;
  } catch {
    return null;
  }
}

/** Puts the data of blocks one after another, with bytes between them, from each alignment. */
function placed(blocks: readonly Block[], textBegin: number) {
  const places = new Uint32Array(4 * blocks.length);
  const parts: Uint8Array[] = [];
  let [at, text] = [0, textBegin];
  blocks.forEach(({ data, textBytes }, i) => {
    const between = Buffer.alloc((i * 7) % 11, 0x5b);
    parts.push(between, data);
    at += between.length;
    places.set([at, at + data.length, text, text + textBytes], 4 * i);
    at += data.length;
    text += textBytes;
  });
  return { places, compressed: Buffer.concat(parts) };
}

/**
 * Inflates the blocks to a text that begins after `textBegin` other bytes. Expects what zlib does with each; returns
 * the number that zlib accepts.
 */
export async function checkInflated(gpu: Gpu, blocks: readonly Block[], textBegin = 0): Promise<number> {
  const { places, compressed } = placed(blocks, textBegin);
  const input = upload(gpu, compressed);
  const { accepted } = await checkPlaces(gpu, input, places, blocks);
  input.destroy();
  return accepted.filter((one) => one).length;
}

/**
 * The same for blocks at these places (see `inflateOnDevice`). Returns which blocks both accept, their checksums, and
 * the text of all blocks.
 */
export async function checkPlaces(
  gpu: Gpu,
  input: GPUBuffer,
  places: Uint32Array<ArrayBuffer>,
  blocks: readonly Block[],
): Promise<{ readonly accepted: readonly boolean[]; readonly crcs: Uint32Array; readonly text: Uint8Array }> {
  const [textBegin, end] = [places[2] ?? 0, places.at(-1) ?? 0];
  const whole = Math.ceil(end / 4) * 4;
  const output = upload(gpu, new Uint8Array(0), whole + GUARD_BYTES);
  const pool = new DevicePool(gpu);
  const scratch = new Scratch(pool);
  const { status, crcs } = await inflateOnDevice(scratch, input, places, output);
  const text = await readBack(gpu, output, 0, whole + GUARD_BYTES);
  const accepted = blocks.map(({ name, data, textBytes }, i) => {
    const expected = inflatedByZlib(data, textBytes);
    // `expect` takes longer than a block.
    if (status[i] !== (expected === null ? 1 : 0)) expect.fail(`status ${status[i]} of ${name}`);
    if (expected === null) return false;
    const found = text.subarray(places[4 * i + 2], places[4 * i + 3]);
    if (Buffer.compare(found, expected) !== 0) expect.fail(`another text of ${name}`);
    if (crcs[i] !== crc32(expected)) expect.fail(`checksum ${crcs[i]} of ${name}`);
    return true;
  });
  expect(text.subarray(0, textBegin).every((byte) => byte === GUARD)).toBe(true);
  expect([...text.subarray(end, whole)]).toEqual(Array(whole - end).fill(0));
  expect([...text.subarray(whole)]).toEqual(Array(GUARD_BYTES).fill(GUARD));
  scratch.end();
  pool.destroyIdle();
  output.destroy();
  return { accepted, crcs, text };
}

/** Damaged data or bits without a meaning. Most say the length of the text before the damage, some zlib's or any. */
function seededBlock(seed: number): Block {
  const below = randomBelow(seed);
  const text = someText(below, below(20) === 0 ? below(MOST_TEXT + 1) : below(3000));
  const data = mutated(below, text);
  const accepted = inflatedByZlib(data, null);
  const fits = accepted !== null && accepted.length <= MOST_TEXT && below(4) > 0;
  const textBytes = fits ? accepted.length : below(4) > 0 ? text.length : below(MOST_TEXT + 1);
  return { name: `seed ${seed}`, data, textBytes };
}

function mutated(below: RandomBelow, text: Buffer): Buffer {
  const kind = below(8);
  if (kind === 0) return meaningless(below);
  const data = deflated(below, text);
  return kind === 1 ? spliced(below, data, deflated(below, someText(below, below(3000)))) : damaged(below, data);
}

/** Bits without a meaning that begin as a DEFLATE block does. */
function meaningless(below: RandomBelow): Buffer {
  const values = below(2) === 0 ? 256 : 4;
  const bytes = Buffer.from(Uint8Array.from({ length: 1 + below(400) }, () => below(values)));
  bytes[0] = (bytes[0] & ~7) | below(2) | (2 * below(4));
  return bytes;
}

/** The blocks of these seeds, each after a sound one that is shorter than a word or a little longer. */
export function seededBlocks(first: number, count: number): Block[] {
  return Array.from({ length: count }, (_, i) => first + i).flatMap((seed) => {
    const below = randomBelow(-1 - seed);
    const text = someText(below, below(10));
    const before = { name: `the block before seed ${seed}`, data: deflated(below, text), textBytes: text.length };
    return [before, seededBlock(seed)];
  });
}
