/** Encoding and decoding of typed keys on the device, against the host's (src/keys/record-encoding.ts). */
import { beforeAll, expect, it } from 'vitest';
import type { Gpu } from '../../../src/gpu/device/device.js';
import { readBack } from '../../../src/gpu/device/dispatch.js';
import { DevicePool, Scratch } from '../../../src/gpu/device/pool.js';
import { loadRecode, Recoder } from '../../../src/gpu/records/recode.js';
import type { RecordPart } from '../../../src/job.js';
import { planEncoding } from '../../../src/keys/record-encoding.js';
import { describeGpu } from '../../setup/gpu.js';
import { type RandomBelow, randomBelow } from '../../support/random.js';
import { encodeRecords } from '../../support/typed-records.js';
import { uploadText, useGpu } from '../helpers.js';

const KINDS = ['unsigned', 'signed', 'float'] as const;

/** A key at a random place of records of `size` bytes. */
function randomPart(random: RandomBelow, size: number): RecordPart {
  const sizes = [1, 2, 4, 8, 16].filter((bytes) => bytes <= size);
  const kind = random(4) === 0 ? null : KINDS[random(3)]!;
  const bytes = kind === null ? 1 + random(size) : sizes[random(sizes.length)]!;
  return {
    offset: random(size - bytes + 1),
    length: bytes,
    type: kind === null ? null : { kind, bytes, bigEndian: random(2) === 1 },
    reverse: random(2) === 1,
  };
}

describeGpu('typed keys on the device', () => {
  const useTestGpu = useGpu();
  let gpu: Gpu;
  beforeAll(() => {
    gpu = useTestGpu();
  });

  it('are encoded and decoded as on the host, in records of all sizes with overlapping keys', async () => {
    const random = randomBelow(21);
    let encodings = 0;
    for (let round = 0; round < 300; round++) {
      const size = 1 + random(13);
      const parts = Array.from({ length: 1 + random(3) }, () => randomPart(random, size));
      const { encoding } = planEncoding(size, parts, random(2) === 1, null);
      if (encoding === null) continue;
      encodings++;
      const text = Uint8Array.from({ length: size * (1 + random(20)) }, () =>
        random(2) === 0 ? random(256) : [0, 127, 128, 255][random(4)]!,
      );
      await loadRecode(gpu, encoding);
      const scratch = new Scratch(new DevicePool(gpu));
      const recoder = new Recoder(gpu, encoding);
      const encoded = await recoder.encode(scratch, uploadText(gpu, text), text.length);
      const expected = text.slice();
      encodeRecords(encoding, expected);
      expect(Buffer.from(await readBack(gpu, encoded, 0, text.length)).equals(expected), JSON.stringify(encoding)).toBe(
        true,
      );
      // From any record on.
      const from = size * random(text.length / size);
      const decoded = await recoder.decode(scratch, encoded, from, text.length - from);
      expect(
        Buffer.from(await readBack(gpu, decoded, 0, text.length - from)).equals(text.subarray(from)),
        JSON.stringify(encoding),
      ).toBe(true);
      recoder.close();
      scratch.end();
    }
    expect(encodings).toBeGreaterThan(200);
  });

  it('are encoded in a text of several workgroups', async () => {
    const random = randomBelow(22);
    const part: RecordPart = {
      offset: 1,
      length: 4,
      type: { kind: 'float', bytes: 4, bigEndian: false },
      reverse: false,
    };
    const encoding = planEncoding(7, [part], false, null).encoding!;
    const text = Uint8Array.from({ length: 7 * 3001 }, () => random(256));
    await loadRecode(gpu, encoding);
    const scratch = new Scratch(new DevicePool(gpu));
    const recoder = new Recoder(gpu, encoding);
    const encoded = await recoder.encode(scratch, uploadText(gpu, text), text.length);
    const expected = text.slice();
    encodeRecords(encoding, expected);
    expect(Buffer.from(await readBack(gpu, encoded, 0, text.length)).equals(expected)).toBe(true);
    recoder.close();
    scratch.end();
  });
});
