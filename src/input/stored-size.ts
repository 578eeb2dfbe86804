/** The size of inputs as they are stored, compressed or not, as far as it is known before they are read. */
import { detectCompression } from '../codecs/detect.js';
import type { StoredSize } from '../plan/bam.js';
import { type InputFile, knownBytes } from './files.js';

/** Bytes that show a compression. */
const HEAD_BYTES = 64;

/**
 * The bytes of all inputs as stored: BAM compressed, text plain. Null: some input is neither a file nor a pipe of this
 * kind. Reads ahead in pipes until `ahead` bytes of inputs are known; null: reads nothing of pipes.
 */
export async function storedSize(inputs: readonly InputFile[], ahead: number | null): Promise<StoredSize | null> {
  if (inputs[0]?.framing?.kind !== 'bam') {
    const bytes = knownBytes(inputs);
    return bytes === null ? null : { bytes, isWhole: true };
  }
  let bytes = 0;
  let isWhole = true;
  for (const { replay, compressed, extent } of inputs) {
    if (replay === undefined) {
      if (!compressed || extent?.begin !== 0) return null;
      bytes += extent.end;
    } else if (ahead === null) {
      isWhole = false;
    } else {
      const arrived = await replay.readAhead(Math.max(HEAD_BYTES, ahead - bytes));
      if (replay.bytes !== 0 && detectCompression(arrived.head.subarray(0, HEAD_BYTES)) !== 'bgzf') return null;
      bytes += arrived.bytes;
      isWhole &&= arrived.isWhole;
    }
  }
  return { bytes, isWhole };
}
