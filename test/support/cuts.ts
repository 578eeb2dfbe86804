/** Texts in parts: readers of streams must not depend on where a stream is cut. */
import fc, { type Arbitrary } from 'fast-check';

/** The lengths of parts, used one after another and repeated. */
export type PartSizes = readonly number[];

/** Parts of up to `most` bytes; often of one byte each, and often a single one. */
export function partSizes(most: number): Arbitrary<PartSizes> {
  const some = fc.array(fc.integer({ min: 1, max: most }), { minLength: 1, maxLength: 6, size: 'max' });
  return fc.oneof({ weight: 4, arbitrary: some }, fc.constant([1]), fc.constant([1 << 30]));
}

/** The parts of some bytes, which are views of them. */
export function* partsOf(bytes: Uint8Array, sizes: PartSizes): Generator<Uint8Array> {
  for (let at = 0, i = 0; at < bytes.length; i++) yield bytes.subarray(at, (at += sizes[i % sizes.length]));
}

/** A consumer of a stream, as engines feed it. */
interface Taker {
  write(block: Uint8Array): Promise<void>;
  finish(): Promise<void>;
}

/**
 * Writes bytes in parts and finishes. Like the memory of engines, that of a part is shared with threads, and reused
 * after the write. With `waits`, each write ends before the next begins.
 */
export async function pour(
  taker: Taker,
  bytes: Uint8Array,
  { sizes, waits }: { readonly sizes: PartSizes; readonly waits: boolean },
): Promise<void> {
  const writes: Promise<void>[] = [];
  for (const part of partsOf(bytes, sizes)) {
    const block = new Uint8Array(new SharedArrayBuffer(part.length));
    block.set(part);
    const taken = taker.write(block).then(() => {
      block.fill(0x2a);
    });
    writes.push(taken);
    if (waits) await taken;
  }
  await Promise.all(writes);
  await taker.finish();
}

/** How a text is poured: in parts of up to `most` bytes. */
export const pouring = (most: number): Arbitrary<{ sizes: PartSizes; waits: boolean }> =>
  fc.record({ sizes: partSizes(most), waits: fc.boolean() });
