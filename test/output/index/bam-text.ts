/** The text of BAM files whose records have known places, and these places as a GPU finds them. */

/** A record's contig and its position, counted from 0. */
export type Place = readonly [contig: number, position: number];

/** A BAM file's text, uncompressed: a header with contigs a and b, and records of [contig, position]. */
export function bam(records: readonly Place[], bases = 1000, cigar = Buffer.alloc(0)): Buffer {
  const contig = (name: string): Buffer => {
    const bytes = Buffer.alloc(10);
    bytes.writeInt32LE(2);
    bytes.write(name, 4);
    bytes.writeInt32LE(bases, 6);
    return bytes;
  };
  const head = Buffer.from('BAM\x01\0\0\0\0\x02\0\0\0', 'latin1');
  const bodies = records.map(([number, position]) => {
    const bytes = Buffer.alloc(38);
    bytes.writeInt32LE(34 + cigar.length);
    bytes.writeInt32LE(number, 4);
    bytes.writeInt32LE(position, 8);
    bytes[12] = 2;
    bytes.writeUInt16LE(cigar.length / 4, 16);
    bytes.write('r', 36);
    return Buffer.concat([bytes, cigar]);
  });
  return Buffer.concat([head, contig('a'), contig('b'), ...bodies]);
}

/** The positions of records that span so many bases and take so many bytes (kernels/wgsl/bam/positions.wgsl). */
export function positionsOf(places: readonly Place[], bases: number, recordBytes: number): Uint32Array<ArrayBuffer> {
  return Uint32Array.from(places.flatMap(([contig, position]) => [contig, position + 1, bases, recordBytes + 2 ** 31]));
}
