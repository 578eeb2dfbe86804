/**
 * A digest identifies a set of records regardless of their order. --verify compares the digests of input and output.
 */
import type { DigestStatistics, VerificationStatistics } from './statistics.js';

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

/** The numbers of records that entered and left a stage. */
export interface StageRecords {
  readonly stage: string;
  readonly recordsIn: number;
  readonly recordsOut: number;
}

export interface Verified {
  readonly input: Digest;
  readonly output: Digest;
  /** Whether input and output had to have the same records, and had them. */
  readonly same: boolean;
  readonly stages: readonly StageRecords[];
}

/** A hash as 16 hexadecimal digits. */
export function hashText(hash: bigint): string {
  return hash.toString(16).padStart(16, '0');
}

const digestSentence = ({ records, bytes, hash }: Digest): string =>
  `${records} records, ${bytes} bytes, hash ${hashText(hash)}`;

export function verifiedSentences({ input, output, same, stages }: Verified): string[] {
  const what = same
    ? `the output is in order and holds the records of the input: ${digestSentence(output)}`
    : `the output is in order: ${digestSentence(output)}; input: ${digestSentence(input)}`;
  return [
    `verified: ${what}`,
    ...stages.map(
      ({ stage, recordsIn, recordsOut }) =>
        `verified: ${stage}: ${recordsIn} records in, ${recordsOut} out, ${recordsIn - recordsOut} dropped`,
    ),
  ];
}

export function verifiedJson({ input, output, same, stages }: Verified): VerificationStatistics {
  const digest = ({ records, bytes, hash }: Digest): DigestStatistics => ({ records, bytes, hash: hashText(hash) });
  return {
    input: digest(input),
    output: digest(output),
    sameRecords: same,
    stages: stages.map(({ stage, recordsIn, recordsOut }) => ({
      stage,
      recordsIn,
      recordsOut,
      recordsDropped: recordsIn - recordsOut,
    })),
  };
}
