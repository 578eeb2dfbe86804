/** Streams share codec threads, which end with the last of them. */
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { type CompressedGroup, compressedRoom, GROUP_TEXT } from '../../src/codecs/tasks.js';
import { CodecThreads } from '../../src/codecs/threads.js';
import { randomBytes } from '../support/codecs.js';

const TEXT = randomBytes(4, 300_000, 4);

async function compressed(codecs: CodecThreads): Promise<Buffer> {
  const from = new SharedArrayBuffer(GROUP_TEXT.bgzf);
  new Uint8Array(from).set(TEXT);
  const target = new SharedArrayBuffer(compressedRoom('bgzf', TEXT.length));
  const task = { kind: 'compress', form: 'bgzf', level: 1, from, bytes: TEXT.length, target } as const;
  const { bytes } = (await codecs.perform(task)) as CompressedGroup;
  return Buffer.from(new Uint8Array(target, 0, bytes));
}

it('serves codec tasks of a stream after other streams, or all of them, have closed', async () => {
  const streams = [new CodecThreads(2), new CodecThreads(2), new CodecThreads(0)];
  for (const stream of streams) stream.start();
  const results = await Promise.all(streams.map(compressed));
  for (const result of results) expect(gunzipSync(result).equals(TEXT)).toBe(true);
  await streams[0]!.close();
  expect((await compressed(streams[1]!)).equals(results[0]!)).toBe(true);
  for (const stream of streams) await stream.close();
  const later = new CodecThreads(2);
  later.start();
  expect((await compressed(later)).equals(results[0]!)).toBe(true);
  await later.close();
});

it('rejects unfinished codec tasks when the last stream closes', async () => {
  for (const threads of [0, 1]) {
    const codecs = new CodecThreads(threads);
    codecs.start();
    const tasks = Array.from({ length: 8 }, () => compressed(codecs));
    const settled = Promise.allSettled(tasks);
    await codecs.close();
    const last = (await settled).at(-1)!;
    expect(last).toMatchObject({ status: 'rejected', reason: new Error('the threads are closed') });
  }
});

it('keeps codec threads for a stream with no task yet, and starts none for a closed stream', async () => {
  let started = 0;
  const count = (): void => {
    started++;
  };
  process.on('worker', count);
  try {
    const [first, second] = [new CodecThreads(2), new CodecThreads(2)];
    for (const stream of [first, second]) stream.start();
    await compressed(first);
    await first.close();
    await compressed(second);
    await second.close();
    await expect(compressed(second)).rejects.toThrow('the threads are closed');
    expect(started).toBe(1);
  } finally {
    process.off('worker', count);
  }
});
