/** Inputs whose bytes are kept: readers that begin again, bytes that are dropped, and ends of all kinds. */
import { expect, it } from 'vitest';
import { Declined } from '../../src/contract/engine.js';
import { keepAtMost, keptBytes, Replay } from '../../src/input/replay.js';
import { type ByteSource, FillingSource } from '../../src/system/byte-source.js';
import { randomBelow } from '../support/random.js';

const BLOCK = 64;

/** Bytes that arrive in parts of random sizes, in the caller's memory or elsewhere, as a pipe may return them. */
class Arriving implements ByteSource {
  readonly bytes: Uint8Array;
  reads = 0;
  isClosed = false;
  /** Set: reads wait for this. */
  gate: Promise<void> | null = null;
  private at = 0;
  private readonly below: (limit: number) => number;

  constructor(length: number, seed: number) {
    this.below = randomBelow(seed);
    this.bytes = Uint8Array.from({ length }, () => this.below(256));
  }

  async read(target?: Uint8Array): Promise<Uint8Array | null> {
    this.reads++;
    await this.gate;
    const part = this.bytes.subarray(this.at, this.at + 1 + this.below(3 * BLOCK));
    if (part.length === 0) return null;
    if (target === undefined || this.below(4) === 0) {
      this.at += part.length;
      return Uint8Array.from(part);
    }
    const fitting = part.subarray(0, target.length);
    target.set(fitting);
    this.at += fitting.length;
    return target.subarray(0, fitting.length);
  }

  close(): void {
    this.isClosed = true;
  }
}

const opened = (source: ByteSource): Replay => new Replay(async () => source, BLOCK);

async function some(reader: ByteSource, least: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (let bytes = 0; bytes < least; ) {
    const part = await reader.read();
    if (part === null) break;
    parts.push(Buffer.from(part));
    bytes += part.length;
  }
  return Buffer.concat(parts);
}

it('gives each reader all bytes, whatever earlier ones have read', async () => {
  for (let seed = 1; seed <= 40; seed++) {
    const below = randomBelow(seed);
    const source = new Arriving(below(900), seed);
    const replay = opened(source);
    const ahead = below(300);
    const { bytes, isWhole, head } = await replay.readAhead(ahead);
    expect(isWhole ? bytes === source.bytes.length : bytes >= ahead).toBe(true);
    expect(Buffer.from(source.bytes).subarray(0, head.length).equals(head)).toBe(true);
    for (let i = 0; i < 3; i++) {
      const reader = replay.reader();
      const part = await some(reader, below(600));
      expect(part.equals(source.bytes.subarray(0, part.length))).toBe(true);
      reader.close();
    }
    expect(source.isClosed).toBe(false);
    replay.readLast();
    expect(replay.canRepeat).toBe(false);
    const last = new FillingSource(replay.reader());
    const all = Buffer.alloc(source.bytes.length + 1);
    let filled = 0;
    for (let count = 1; count > 0; filled += count)
      count = await last.fill(all.subarray(filled, filled + 1 + below(2 * BLOCK)));
    expect(all.subarray(0, filled).equals(source.bytes)).toBe(true);
    last.close();
    expect(source.isClosed).toBe(true);
  }
});

it('lets an open reader go on as the last one, and drops what it has read', async () => {
  const source = new Arriving(40 * BLOCK, 3);
  const replay = opened(source);
  const reader = replay.reader();
  const first = await some(reader, 10 * BLOCK);
  expect(replay.keptBytes).toBeGreaterThanOrEqual(10 * BLOCK);
  replay.readLast();
  const rest = await some(reader, Infinity);
  expect(Buffer.concat([first, rest]).equals(source.bytes)).toBe(true);
  expect(replay.keptBytes).toBeLessThanOrEqual(2 * BLOCK);
});

it('opens the input at the first read, and knows its size once it has ended', async () => {
  let opens = 0;
  const source = new Arriving(100, 5);
  const replay = new Replay(async () => {
    opens++;
    return source;
  }, BLOCK);
  const reader = replay.reader();
  expect([opens, replay.bytes]).toEqual([0, null]);
  await some(reader, Infinity);
  expect([opens, replay.bytes]).toEqual([1, 100]);
  await expect(opened(new Arriving(0, 1)).readAhead(1)).resolves.toMatchObject({ bytes: 0, isWhole: true });
});

it('ends the reads that wait if their reader is closed, and loses no byte', async () => {
  const source = new Arriving(300, 7);
  const replay = opened(source);
  await replay.readAhead(1);
  let open = (): void => {};
  source.gate = new Promise((resolve) => {
    open = resolve;
  });
  const reader = replay.reader();
  const waiting = some(reader, Infinity);
  await new Promise((resolve) => setImmediate(resolve));
  reader.close();
  expect((await waiting).length).toBeLessThan(300);
  const { reads } = source;
  source.gate = null;
  open();
  expect((await some(replay.reader(), Infinity)).equals(source.bytes)).toBe(true);
  expect(source.reads).toBeGreaterThan(reads);
});

it('reports a failure where it is, to each reader, and ends all readers when it is closed', async () => {
  const broken: ByteSource = { read: async () => Promise.reject(new Error('for the test')), close: () => {} };
  const replay = opened(broken);
  expect(await replay.readAhead(5)).toMatchObject({ bytes: 0, isWhole: false });
  for (let i = 0; i < 2; i++) await expect(replay.reader().read()).rejects.toThrow('for the test');
  const closed = opened(new Arriving(300, 9));
  const reader = closed.reader();
  await some(reader, 100);
  closed.close();
  expect([await reader.read(), await closed.reader().read(), closed.keptBytes]).toEqual([null, null, 0]);
});

it('lets readers change what they get', async () => {
  const source = new Arriving(20 * BLOCK, 11);
  const replay = opened(source);
  const expected = Buffer.from(source.bytes);
  for (const reader of [replay.reader(), replay.reader()])
    for (let at = 0, part = await reader.read(); part !== null; part = await reader.read()) {
      expect(expected.subarray(at, at + part.length).equals(part)).toBe(true);
      at += part.length;
      part.fill(0);
    }
});

it('declines to keep more than all inputs together may, until they are read for the last time', async () => {
  const inputs = [1, 2].map((seed) => ({ replay: opened(new Arriving(20 * BLOCK, seed)) }));
  const [first, second] = inputs.map(({ replay }) => replay.reader());
  keepAtMost(inputs, 30 * BLOCK);
  expect(await some(first!, Infinity)).toHaveLength(20 * BLOCK);
  await expect(some(second!, Infinity)).rejects.toThrow(Declined);
  expect(keptBytes(inputs)).toBeGreaterThan(30 * BLOCK);
  expect(keptBytes(inputs)).toBeLessThan(34 * BLOCK);
  keepAtMost(inputs, null);
  for (const { replay } of inputs) expect(await some(replay.reader(), Infinity)).toHaveLength(20 * BLOCK);
  expect(keptBytes(inputs)).toBeLessThanOrEqual(4 * BLOCK);
});
