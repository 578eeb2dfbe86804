/** Sorts BAM as it is, and as plainly as possible. */
import { isDeepStrictEqual } from 'node:util';
import type { BamSort } from '../../../src/contract/bam-sort.js';
import type { BlockSize } from '../../../src/contract/engine.js';
import type { Ordering } from '../../../src/job/ordering.js';
import { partsOf } from '../../../src/keys/orders.js';
import { bamHeaderBytes } from '../../../src/records/headers.js';
import { drawRecord } from '../../records/bam-reference.js';
import { BGZF_END, unBgzf } from '../../support/genomics-bam.js';
import { randomBelow } from '../../support/random.js';

export const REFERENCES = 3;

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

/** The ordering whose keys are rows, for an order that needs no list of references. */
export function rowsBy(by: string): Ordering {
  const parts = partsOf({ format: 'bam', guessed: false, by, as: null, program: null }, null);
  return {
    format: { kind: 'lines', delimiter: 10 },
    key: { kind: 'normalized', parts, seed: null },
    ...{ reverse: false, unique: false, lastResort: false },
  };
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

/** What a sort has written. */
export interface SortedBam {
  /** The text, as the sort wrote it or gave it away beside the blocks. */
  readonly text: Buffer;
  /** The text before the blocks, and that of the blocks. */
  readonly blocks: Buffer;
}

/** The sizes of whole blocks, by their headers and trailers. */
function sizesOf(file: Buffer): BlockSize[] {
  const sizes: BlockSize[] = [];
  for (let at = 0; at < file.length; at += sizes.at(-1)!.bytes) {
    const bytes = file.readUInt16LE(at + 16) + 1;
    sizes.push({ text: file.readUInt32LE(at + bytes - 4), bytes });
  }
  return sizes;
}

/** Adds a file that a sort has begun. */
type AddFile = (sort: BamSort, file: Buffer) => Promise<void>;

/** The bytes of files, many at once. */
const addBytes: AddFile = async (sort, file) => {
  for (let begin = 0; begin < file.length; ) {
    const bytes = Math.min(sort.stretchBytes, file.length - begin);
    const { chunk, from } = sort.openStretch(bytes);
    for (let at = 0; at < bytes; at += sort.pieceBytes) {
      const piece = await chunk.openPiece(from + at);
      const length = Math.min(sort.pieceBytes, bytes - at);
      piece.bytes.set(file.subarray(begin + at, begin + at + length));
      piece.commit(length);
    }
    begin += bytes;
    await sort.add(chunk, bytes);
  }
};

/**
 * Sorts files, each with a header of so many bytes; closes the sort. `writtenBytes`: those of the header of the output.
 */
export async function sorted(
  sort: BamSort,
  files: readonly Buffer[],
  headerBytes: number,
  { writtenBytes = headerBytes, add = addBytes }: { readonly writtenBytes?: number; readonly add?: AddFile } = {},
): Promise<SortedBam> {
  const text: Buffer[] = [];
  const before: Buffer[] = [];
  const blocks: Buffer[] = [];
  try {
    for (const file of files) {
      sort.begin(headerBytes);
      await add(sort, file);
      await sort.end();
    }
    const prepared = await sort.prepare();
    await prepared.write({
      headerBytes: writtenBytes,
      text: async (block) => {
        text.push(Buffer.from(block));
        before.push(Buffer.from(block));
      },
      blocks: {
        compress: async (head) => {
          text.push(Buffer.from(head));
          before.push(Buffer.from(head));
        },
        text: async (block) => void text.push(Buffer.from(block)),
        positions: null,
        write: async (bytes, sizes) => {
          const file = Buffer.from(bytes);
          if (!isDeepStrictEqual(sizesOf(file), sizes)) throw new Error('the blocks have other sizes');
          blocks.push(file);
        },
      },
    });
  } finally {
    await sort.close();
  }
  return {
    text: Buffer.concat(text),
    blocks: Buffer.concat([...before, unBgzf(Buffer.concat([...blocks, BGZF_END]))]),
  };
}
