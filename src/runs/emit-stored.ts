/** Writes a part of a stored run that needs no merge. */
import type { BlockWriter, StoredText } from '../engines/contract.js';

/** Bytes per read. One block is read while another is written. */
const STORED_BLOCK_BYTES = 4 << 20;

/** Writes bytes [from, to) of a stored run. */
export async function emitStored(run: StoredText, from: number, to: number, write: BlockWriter): Promise<void> {
  const size = Math.min(STORED_BLOCK_BYTES, to - from);
  let next = Buffer.allocUnsafe(size);
  let other = Buffer.allocUnsafe(to - from > size ? size : 0);
  const read = async (at: number, block: Buffer): Promise<Buffer> => {
    const part = block.subarray(0, Math.min(size, to - at));
    await run.readAt(at, part);
    return part;
  };
  let ahead = read(from, next);
  for (let at = from; at < to; at += size) {
    const block = await ahead;
    [next, other] = [other, next];
    if (at + size < to) ahead = read(at + size, next);
    // A failed read is handled in the next iteration. If the write fails first, the rejection must not go unhandled.
    ahead.catch(() => {});
    try {
      await write(block);
    } catch (error) {
      await ahead.catch(() => {});
      throw error;
    }
  }
}
