/** Copies bytes between two open files of this program. */
import { inParallel } from '../system/promises.js';
import { readFilling, writeFully } from '../system/transfer.js';

const BLOCK_BYTES = 4 << 20;
/** A read and a write overlap. */
const BLOCKS_AT_ONCE = 2;

/**
 * Copies bytes [begin, end) to another file, `shift` bytes further on. Rejects with the system's error once nothing is
 * under way. `onWritten` is called after each write, however short.
 */
export async function copyBytes(
  from: number,
  to: number,
  begin: number,
  end: number,
  shift = 0,
  onWritten?: () => void,
): Promise<void> {
  const blocks = Array.from(
    { length: Math.ceil(Math.max(0, end - begin) / BLOCK_BYTES) },
    (_, i) => begin + i * BLOCK_BYTES,
  );
  await inParallel(blocks, BLOCKS_AT_ONCE, async (at) => {
    const block = Buffer.allocUnsafe(Math.min(BLOCK_BYTES, end - at));
    if ((await readFilling(from, block, at)) < block.length) throw new Error('a temporary file became shorter');
    await writeFully(to, [block], at + shift, onWritten);
  });
}
