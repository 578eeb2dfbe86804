/**
 * A digest identifies a set of records regardless of their order. --verify compares the digests of input and output.
 */

export interface Digest {
  readonly records: number;
  /** The bytes of all records with their delimiters, counting one added to an unterminated last line. */
  readonly bytes: number;
  /** The sum of the records' hashes modulo 2^64 (kernels/wasm/verify/hash.ts). */
  readonly hash: bigint;
}

export const NO_RECORDS: Digest = { records: 0, bytes: 0, hash: 0n };

/** The digest of the union of two sets. */
export function addDigests(a: Digest, b: Digest): Digest {
  return { records: a.records + b.records, bytes: a.bytes + b.bytes, hash: BigInt.asUintN(64, a.hash + b.hash) };
}
