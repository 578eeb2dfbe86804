/**
 * The hash of --verify in plain arithmetic, written from the description in kernels/wasm/verify/hash.ts. Tests compare
 * the kernels with it.
 */

import type { RecordFormat } from '../../src/job/ordering.js';
import type { Digest } from '../../src/report/digest.js';

const MASK = (1n << 64n) - 1n;
const WORD = 0xffffffffn;
const SEED = [0x243f6a88n, 0x85a308d3n, 0x13198a2en, 0x03707344n] as const;
const STRIDE = [0x9e3779b1n, 0x85ebca77n, 0xc2b2ae3dn, 0x27d4eb2fn] as const;

/** Word `lane` (0 to 3) of the hash's key for the 16 bytes of step `step`. */
function stepKey(step: number, lane: number): bigint {
  let mixed = (STRIDE[lane] * BigInt(step)) & WORD;
  mixed = ((mixed ^ (mixed >> 15n)) * 0x2c1b3c6dn) & WORD;
  return SEED[lane] ^ mixed ^ (mixed >> 12n);
}

/** The hash of a record without its delimiter. */
export function recordHash(record: Uint8Array): bigint {
  let [a, b] = [0n, 0n];
  for (let step = 0; step <= Math.floor(record.length / 16); step++) {
    const padded = Buffer.alloc(16);
    padded.set(record.subarray(step * 16, step * 16 + 16));
    const [w, x, y, z] = [0, 1, 2, 3].map((lane) => BigInt(padded.readUInt32LE(lane * 4)) ^ stepKey(step, lane)) as [
      bigint,
      bigint,
      bigint,
      bigint,
    ];
    a = (a + w * y + y + (z << 32n)) & MASK;
    b = (b + x * z + w + (x << 32n)) & MASK;
  }
  let hash = (a + b * 0x9e3779b185ebca87n + BigInt(record.length + 1) * 0xc2b2ae3d27d4eb4fn) & MASK;
  hash = ((hash ^ (hash >> 29n)) * 0x165667919e3779f9n) & MASK;
  return hash ^ (hash >> 32n);
}

/** The digest of records, which are passed without their delimiters. Delimiters count in `bytes`. */
export function digestOf(
  records: readonly Uint8Array[],
  format: RecordFormat = { kind: 'lines', delimiter: 10 },
): Digest {
  const bytes = records.reduce((sum, { length }) => sum + length, format.kind === 'lines' ? records.length : 0);
  return {
    records: records.length,
    bytes,
    hash: records.reduce((sum, record) => (sum + recordHash(record)) & MASK, 0n),
  };
}
