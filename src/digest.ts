/**
 * What identifies a set of records, whatever their order: --verify compares that of the input with that of the output.
 */

export interface Digest {
  readonly records: number;
  /** Of all records, each with the delimiter that ends it, which is added to a last line without one. */
  readonly bytes: number;
  /** The sum, modulo 2^64, of the records' hashes (kernels/verify/hash.ts). */
  readonly hash: bigint;
}

export const NO_RECORDS: Digest = { records: 0, bytes: 0, hash: 0n };

/** The digest of both sets together. */
export function addDigests(a: Digest, b: Digest): Digest {
  return { records: a.records + b.records, bytes: a.bytes + b.bytes, hash: BigInt.asUintN(64, a.hash + b.hash) };
}
