/** Sorts BAM on the test's device, and as plainly as possible on the host. */
import { GpuBamSort } from '../../../../src/engines/gpu/bam/sort-bam.js';
import type { Gpu } from '../../../../src/engines/gpu/device/device.js';
import { bamHeaderBytes } from '../../../../src/records/headers.js';
import { createRecorder } from '../../../../src/report/recorder.js';
import { drawRecord } from '../../../records/bam-reference.js';
import { BGZF_END, unBgzf } from '../../../support/genomics-bam.js';
import { randomBelow } from '../../../support/random.js';

const REFERENCES = 3;
/** So small that a file has many stretches, texts and ranges. */
export const SIZES = { stretch: 16_384, piece: 4096, text: 100_000, range: 170_000 };

export function header(textBytes = 100): Buffer {
  const references = ['a', 'b', 'c'].map((name) => ({ name: Buffer.from(name), length: 200_000 }));
  return Buffer.from(bamHeaderBytes(Buffer.alloc(textBytes, '@CO\tmore\n'), references));
}

/** Records in few places, so that many have equal keys. */
export function records(count: number, longest = 700, seed = 5): Buffer[] {
  const below = randomBelow(seed);
  return Array.from({ length: count }, () => {
    const record = drawRecord(below, REFERENCES, longest);
    record.writeInt32LE(below(50) - 1, 8);
    record.writeUInt16LE(below(2) * 16 + below(2) * 4, 18);
    return record;
  });
}

/** By reference, of which none is the last, position and strand (samtools sort). */
export function inOrder(unsorted: readonly Buffer[]): Buffer {
  const keyOf = (record: Buffer): number[] => [
    record.readUInt32LE(4),
    record.readInt32LE(8),
    record.readUInt16LE(18) & 16,
  ];
  const keyed = unsorted.map((record) => ({ record, key: keyOf(record) }));
  keyed.sort(({ key: a }, { key: b }) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
  return Buffer.concat(keyed.map(({ record }) => record));
}

/** Sorts a file; resolves to the text, and to the text of the blocks if the device compresses. */
export async function sorted(
  gpu: Gpu,
  file: Buffer,
  headerBytes: number,
  sizes: object = SIZES,
  leastRate = 0,
): Promise<{ readonly text: Buffer; readonly blocks: Buffer; readonly announced: number }> {
  const start = { bytes: file.length, leastRate, headerBytes, references: REFERENCES };
  const sort = new GpuBamSort(
    { ...gpu, close: () => {} },
    start,
    createRecorder(false, () => {}),
    sizes,
  );
  const text: Buffer[] = [];
  const blocks: Buffer[] = [];
  let announced = 0;
  try {
    for (let begin = 0; begin < file.length; begin += sort.stretchBytes) {
      const bytes = Math.min(sort.stretchBytes, file.length - begin);
      const { chunk, from } = sort.openStretch(bytes);
      for (let at = 0; at < bytes; at += sort.pieceBytes) {
        const piece = await chunk.openPiece(from + at);
        const length = Math.min(sort.pieceBytes, bytes - at);
        piece.bytes.set(file.subarray(begin + at, begin + at + length));
        piece.commit(length);
      }
      await sort.add(chunk, bytes);
    }
    const prepared = await sort.prepare();
    const take = async (block: Uint8Array): Promise<void> => void text.push(Buffer.from(block));
    await prepared.write({
      ...{ headerBytes, text: take },
      blocks: {
        begin: async () => {},
        text: take,
        announce: (_, bytes) => {
          announced += bytes;
        },
        write: async (block) => void blocks.push(Buffer.from(block)),
      },
    });
  } finally {
    await sort.close();
  }
  const compressed = Buffer.concat(blocks);
  return {
    text: Buffer.concat(text),
    blocks: unBgzf(Buffer.concat([compressed, BGZF_END])),
    announced: announced - compressed.length,
  };
}
