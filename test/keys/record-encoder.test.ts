/**
 * The kernels that encode and decode records, against the same on the host. They come from the build, so build first.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { placeRecordEncoding } from '../../src/cpu/encode-text.js';
import { compileKernels, openKernels, placeTexts } from '../../src/cpu/kernels.js';
import { shapeOf } from '../../src/cpu/shape.js';
import type { RecordPart } from '../../src/job.js';
import { RecordEncoder } from '../../src/keys/record-encoder.js';
import { planEncoding } from '../../src/keys/record-encoding.js';
import { byFixed } from '../cpu/support.js';
import { property } from '../support/property.js';
import { randomBelow } from '../support/random.js';
import { encodeRecords } from '../support/typed-records.js';

const GUARD = 0xab;

property(
  'the kernels encode and decode as the host does, and change nothing else',
  [fc.nat()],
  (seed) => {
    const below = randomBelow(seed);
    const module = compileKernels();
    const size = 1 + below(below(2) === 0 ? 16 : 40);
    const parts: RecordPart[] = Array.from({ length: 1 + below(3) }, () => {
      const length = [1, 2, 4, 8, 16].filter((width) => width <= size)[below(5)] ?? 1;
      const kind = (['unsigned', 'signed', 'float'] as const)[below(length === 4 || length === 8 ? 3 : 2)];
      const type = below(4) === 0 ? null : { kind, bytes: length, bigEndian: below(2) === 0 };
      return { offset: below(size - length + 1), length, type, reverse: below(2) === 0 };
    });
    const { encoding } = planEncoding(size, parts, false, null);
    if (encoding === null) return;
    const records = Uint8Array.from({ length: size * below(40) }, () => [0, 0x80, 0xff, below(256)][below(4)]);
    const kernels = placeRecordEncoding(openKernels(module, shapeOf(byFixed(size, null, { encoding }))), encoding);
    const text = placeTexts(kernels, [records, new Uint8Array(32).fill(GUARD)]);
    const end = text.end - 32;
    const wanted = records.slice();
    encodeRecords(encoding, wanted);
    const bytes = (): Uint8Array => new Uint8Array(kernels.memory.buffer, text.begin, records.length + 32).slice();
    kernels.encodeRecords(text.begin, end);
    expect(Buffer.compare(bytes().subarray(0, records.length), wanted), JSON.stringify(encoding)).toBe(0);
    kernels.decodeRecords(text.begin, end);
    expect(Buffer.compare(bytes().subarray(0, records.length), records), JSON.stringify(encoding)).toBe(0);
    expect(bytes().subarray(records.length)).toEqual(new Uint8Array(32).fill(GUARD));
  },
  { runs: 600 },
);

it('encodes and decodes a record of more bytes than a Map holds', () => {
  const size = 20_000_001;
  const key = { length: 4, type: { kind: 'unsigned', bytes: 4, bigEndian: false }, reverse: false } as const;
  const { encoding } = planEncoding(
    size,
    [
      { offset: size - 4, ...key },
      { offset: 0, ...key },
    ],
    false,
    null,
  );
  const record = new Uint8Array(size).fill(7);
  record.set([1, 2, 3, 4]);
  record.set([5, 6, 8, 9], size - 4);
  const encoded = record.slice();
  new RecordEncoder(encoding!).encode(encoded);
  expect([...encoded.subarray(0, 9)]).toEqual([9, 8, 6, 5, 4, 3, 2, 1, 7]);
  new RecordEncoder(encoding!).decode(encoded);
  expect(Buffer.compare(encoded, record)).toBe(0);
});
