/**
 * Concatenates texts from files or host memory into one text on the device. Knows nothing of records.
 */
import { inParallel } from '../../promises.js';
import type { Gpu } from '../device/device.js';
import type { BufferPool } from '../device/pool.js';
import { DeviceText, type UploadRing } from './upload.js';

/** Concurrent reads for one piece, and concurrent pieces. */
const READS = 8;
const PIECES = 2;

/** A text of `bytes` bytes that can be read from any offset. */
export interface UploadPart {
  readonly bytes: number;
  readAt(byte: number, target: Uint8Array): Promise<void>;
}

/** The bytes of a part that belong at byte `at` of a piece. */
interface Portion {
  readonly part: UploadPart;
  readonly byte: number;
  readonly at: number;
  readonly length: number;
}

/** Reads all parts straight into upload memory; returns the text on the device. */
export async function uploadParts(
  gpu: Gpu,
  uploads: UploadRing,
  pool: BufferPool,
  parts: readonly UploadPart[],
): Promise<GPUBuffer> {
  const { pieceBytes } = uploads;
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
  const pieces: Portion[][] = Array.from({ length: Math.ceil(bytes / pieceBytes) }, () => []);
  let at = 0;
  for (const part of parts) {
    for (let byte = 0; byte < part.bytes; ) {
      const within = at % pieceBytes;
      const length = Math.min(part.bytes - byte, pieceBytes - within);
      pieces[Math.floor(at / pieceBytes)].push({ part, byte, at: within, length });
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
        await inParallel(portions, READS, ({ part, byte, at: begin, length }) =>
          part.readAt(byte, piece.bytes.subarray(begin, begin + length)),
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
