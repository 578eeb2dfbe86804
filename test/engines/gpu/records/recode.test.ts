/** Encoding and decoding of typed keys on the device, against the host's (src/keys/record-encoding.ts). */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readBack } from '../../../../src/engines/gpu/device/dispatch.js';
import { DevicePool, Scratch } from '../../../../src/engines/gpu/device/pool.js';
import { loadRecode, Recoder } from '../../../../src/engines/gpu/records/recode.js';
import type { RecordEncoding, RecordPart } from '../../../../src/job/ordering.js';
import { planEncoding } from '../../../../src/keys/record-encoding.js';
import { describeGpu } from '../../../setup/gpu.js';
import { property } from '../../../support/property.js';
import { type RandomBelow, randomBelow } from '../../../support/random.js';
import { encodeRecords } from '../../../support/typed-records.js';
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
  const gpu = useGpu();

  /** Encodes a text, then decodes it from a record on. */
  async function check(encoding: RecordEncoding, text: Uint8Array, fromRecord: number): Promise<void> {
    await loadRecode(gpu(), encoding);
    const scratch = new Scratch(new DevicePool(gpu()));
    const recoder = new Recoder(gpu(), encoding);
    const encoded = await recoder.encode(scratch, uploadText(gpu(), text), text.length);
    const expected = text.slice();
    encodeRecords(encoding, expected);
    expect(Buffer.from(await readBack(gpu(), encoded, 0, text.length)).equals(expected)).toBe(true);
    const from = encoding.size * fromRecord;
    const decoded = await recoder.decode(scratch, encoded, from, text.length - from);
    const found = Buffer.from(await readBack(gpu(), decoded, 0, text.length - from));
    expect(found.equals(text.subarray(from))).toBe(true);
    recoder.close();
    scratch.end();
  }

  // A seed draws sizes, up to three keys that may overlap, and one to twenty records.
  property(
    'are encoded and decoded as on the host',
    [fc.nat()],
    async (seed) => {
      const random = randomBelow(seed);
      const size = 1 + random(13);
      const parts = Array.from({ length: 1 + random(3) }, () => randomPart(random, size));
      const { encoding } = planEncoding(size, parts, random(2) === 1, null);
      fc.pre(encoding !== null);
      const text = Uint8Array.from({ length: size * (1 + random(20)) }, () =>
        random(2) === 0 ? random(256) : [0, 127, 128, 255][random(4)]!,
      );
      await check(encoding!, text, random(text.length / size));
    },
    { runs: 300 },
  );

  it('are encoded in a text of several workgroups', async () => {
    const random = randomBelow(22);
    const type = { kind: 'float', bytes: 4, bigEndian: false } as const;
    const { encoding } = planEncoding(7, [{ offset: 1, length: 4, type, reverse: false }], false, null);
    await check(
      encoding!,
      Uint8Array.from({ length: 7 * 3001 }, () => random(256)),
      17,
    );
  });
});
