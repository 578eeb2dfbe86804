/**
 * Concatenates texts from files or host memory into one text on the device. Knows nothing of records.
 */
import { inParallel } from '../../../system/promises.js';
import type { Gpu } from '../device/device.js';
import type { DevicePool } from '../device/pool.js';
import { DeviceText, type UploadRing } from './upload.js';

/** Concurrent reads for one piece, and concurrent pieces. */
const READS = 8;
const PIECES = 2;

/** A text of `bytes` bytes that can be read from any offset. */
export interface UploadSource {
  readonly bytes: number;
  readAt(byte: number, target: Uint8Array): Promise<void>;
}

/** The bytes of a source that belong at byte `at` of a piece. */
interface Portion {
  readonly source: UploadSource;
  readonly byte: number;
  readonly at: number;
  readonly length: number;
}

/** Reads all sources straight into upload memory; returns the text on the device. */
export async function uploadSources(
  gpu: Gpu,
  uploads: UploadRing,
  pool: DevicePool,
  sources: readonly UploadSource[],
): Promise<GPUBuffer> {
  const { pieceBytes } = uploads;
  const bytes = sources.reduce((sum, source) => sum + source.bytes, 0);
  const pieces: Portion[][] = Array.from({ length: Math.ceil(bytes / pieceBytes) }, () => []);
  let at = 0;
  for (const source of sources) {
    for (let byte = 0; byte < source.bytes; ) {
      const within = at % pieceBytes;
      const length = Math.min(source.bytes - byte, pieceBytes - within);
      pieces[Math.floor(at / pieceBytes)].push({ source, byte, at: within, length });
      byte += length;
      at += length;
    }
  }
  const text = new DeviceText(gpu, uploads, pool, bytes, bytes);
  try {
    await inParallel(pieces, PIECES, async (portions, i) => {
      const piece = await text.openPiece(i * pieceBytes);
      let filled = 0;
      try {
        await inParallel(portions, READS, ({ source, byte, at: begin, length }) =>
          source.readAt(byte, piece.bytes.subarray(begin, begin + length)),
        );
        filled = Math.min(pieceBytes, bytes - i * pieceBytes);
      } finally {
        piece.commit(filled);
      }
    });
    return await text.take();
  } catch (error) {
    text.release();
    throw error;
  }
}
