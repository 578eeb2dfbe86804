/** Plain BAM for tests: random records, the file that they make, and the expected refusal of damaged ones. */
import type { RandomBelow } from '../support/random.js';

export interface BamFields {
  readonly reference?: number;
  readonly mate?: number;
  readonly name?: Uint8Array;
  readonly cigar?: number;
  readonly bases?: number;
  /** Everything after the name: CIGAR, bases, qualities, tags. */
  readonly body?: Uint8Array;
}

/** A record with its `block_size`; lengths that are not given fit the body. */
export function bamRecord({ reference = -1, mate = -1, name, cigar, bases, body }: BamFields): Buffer {
  const named = Buffer.from(name ?? '*\0');
  const rest = Buffer.from(body ?? []);
  const fixed = Buffer.alloc(36);
  fixed.writeUInt32LE(32 + named.length + rest.length, 0);
  fixed.writeInt32LE(reference, 4);
  fixed.writeInt32LE(-1, 8);
  fixed[12] = named.length;
  fixed.writeUInt16LE(cigar ?? 0, 16);
  fixed.writeUInt32LE(bases ?? 0, 20);
  fixed.writeInt32LE(mate, 24);
  fixed.writeInt32LE(-1, 28);
  return Buffer.concat([fixed, named, rest]);
}

/** Bytes of which one in `every` is a newline, or in the worst case one in two. */
export function drawBytes(below: RandomBelow, length: number, every = 300): Buffer {
  return Buffer.from(Array.from({ length }, () => (below(every) === 0 ? 10 : (11 + below(255)) & 255)));
}

export function drawRecord(below: RandomBelow, references: number, most = 700): Buffer {
  const bases = below(60);
  const cigar = below(5);
  const needed = 4 * cigar + Math.ceil(bases / 2) + bases;
  return bamRecord({
    reference: below(references + 1) - 1,
    mate: below(references + 1) - 1,
    name: Buffer.concat([drawBytes(below, below(20), 9), Buffer.alloc(1)]),
    cigar,
    bases,
    body: drawBytes(below, needed + below(most), [2, 20, 300, 100_000][below(4)]),
  });
}

/** The records of a file of them, and the offset of the one that must be refused; null: none. */
export function parseRecords(bytes: Buffer, references: number): { records: Buffer[]; bad: number | null } {
  const records: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const left = bytes.subarray(at);
    if (left.length < 36) return { records, bad: at };
    const size = left.readInt32LE(0);
    const needed =
      32 + left[12] + 4 * left.readUInt16LE(16) + Math.floor((left.readUInt32LE(20) + 1) / 2) + left.readUInt32LE(20);
    const ids = [left.readInt32LE(4), left.readInt32LE(24)];
    const fits = size >= 32 && left[12] > 0 && needed <= size && ids.every((id) => id >= -1 && id < references);
    if (!fits || left.length < 4 + size) return { records, bad: at };
    records.push(left.subarray(0, 4 + size));
    at += 4 + size;
  }
  return { records, bad: null };
}
