/** Buffers that grow. Large copies are made with pauses, so that the main thread stays responsive. */
import { rest } from './promises.js';

/** Bytes copied between two calls of `rest`. Most of the time is spent on pages that are touched for the first time. */
const COPY_BYTES = 16 << 20;

/**
 * Copies `pieces` to byte `filled` of `window`, with pauses. Returns the window, or a larger copy if it was too small.
 */
export async function appended(window: Buffer, filled: number, pieces: readonly Uint8Array[]): Promise<Buffer> {
  const end = pieces.reduce((sum, { length }) => sum + length, filled);
  let target = window;
  if (end > window.length) {
    target = Buffer.allocUnsafe(Math.max(2 * window.length, end));
    await copyInPieces(window.subarray(0, filled), target, 0);
  }
  let at = filled;
  for (const piece of pieces) {
    await copyInPieces(piece, target, at);
    at += piece.length;
  }
  return target;
}

/** The bytes of `pieces`, copied with pauses. */
export function joined(pieces: readonly Uint8Array[]): Promise<Buffer> {
  return appended(Buffer.alloc(0), 0, pieces);
}

/** Copies `from` to byte `place` of `target`, with pauses. */
async function copyInPieces(from: Uint8Array, target: Uint8Array, place: number): Promise<void> {
  for (let at = 0; at < from.length; at += COPY_BYTES) {
    target.set(from.subarray(at, at + COPY_BYTES), place + at);
    await rest();
  }
}
