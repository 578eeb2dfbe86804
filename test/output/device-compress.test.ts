/** Output that a device compresses: the same text as from threads, also if the device fails or there is none. */
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { BLOCK_TEXT } from '../../src/codecs/bgzf.js';
import type { DeviceDeflater } from '../../src/codecs/device-codec.js';
import { compressing } from '../../src/output/compress.js';
import { createRecorder } from '../../src/report/recorder.js';
import { PROGRAM } from '../../src/run/caller.js';
import { openDeflater } from '../../src/run/open-engine.js';
import { describeGpu } from '../setup/gpu.js';
import { randomBytes } from '../support/codecs.js';

const GROUP_TEXT = 16 * BLOCK_TEXT;

/** Compresses a text in blocks of 100,000 bytes; returns the file, its blocks, and the failure if there was one. */
async function compressed(text: Buffer, { anyDevice = true, threads = 1 } = {}) {
  const parts: Buffer[] = [];
  const blocks: [number, number][] = [];
  const failures: [string, number][] = [];
  const onBlock = (textBytes: number, bytes: number): unknown => blocks.push([textBytes, bytes]);
  const filter = compressing({ kind: 'bgzf', level: 1, threads, onBlock }, async (block) => {
    parts.push(Buffer.from(new Uint8Array(block)));
  });
  const failed = (error: Error, groups: number): unknown => failures.push([error.message, groups]);
  const open = (): Promise<DeviceDeflater> =>
    openDeflater(
      { anyDevice },
      createRecorder(() => {}),
      PROGRAM.takeGpu,
    );
  filter.useDevice({ open, failed, groupText: GROUP_TEXT });
  for (let at = 0; at < text.length; at += 100_000) await filter.write(text.subarray(at, at + 100_000));
  await filter.finish();
  return { file: Buffer.concat(parts), blocks, failures };
}

describeGpu('compresses on a device', () => {
  it.each([0, 1, BLOCK_TEXT, GROUP_TEXT, 2 * GROUP_TEXT + 12_345])('%d bytes of text', async (bytes) => {
    const text = randomBytes(5, bytes, 8);
    const { file, blocks, failures } = await compressed(text);
    expect(failures).toEqual([]);
    expect(gunzipSync(file).equals(text)).toBe(true);
    expect(blocks.map(([textBytes]) => textBytes)).toEqual(
      Array.from({ length: Math.ceil(bytes / BLOCK_TEXT) }, (_, i) => Math.min(BLOCK_TEXT, bytes - i * BLOCK_TEXT)),
    );
    expect(blocks.reduce((sum, [, size]) => sum + size, 28)).toBe(file.length);
  });
});

it('compresses in threads if there is no device', async () => {
  const text = randomBytes(6, 2 * GROUP_TEXT + 1, 8);
  const { file, blocks, failures } = await compressed(text, { anyDevice: false, threads: 2 });
  expect(failures).toHaveLength(1);
  expect(failures[0]![1]).toBe(0);
  expect(gunzipSync(file).equals(text)).toBe(true);
  expect(blocks).toHaveLength(Math.ceil(text.length / BLOCK_TEXT));
});
