/** Blocks that are read back in pieces: each is passed on once, whole, in order and with its size. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { BLOCK_TEXT } from '../../../../src/codecs/bgzf.js';
import type { BlockSize } from '../../../../src/contract/engine.js';
import { writeDeflated } from '../../../../src/engines/gpu/engine/write-blocks.js';
import { property } from '../../../support/property.js';
import { randomBelow } from '../../../support/random.js';

property(
  'passes on whole blocks, wherever pieces cut them',
  [fc.nat(), fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 90 }), fc.integer({ min: 1, max: 200 })],
  async (seed, count, longest, mostPiece) => {
    const below = randomBelow(seed);
    const sizes = Uint32Array.from({ length: count }, () => 1 + below(longest));
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    const data = Buffer.from(Array.from({ length: bytes }, () => below(256)));
    const textBytes = (count - 1) * BLOCK_TEXT + 1 + below(BLOCK_TEXT);
    const written: Buffer[] = [];
    const passed: BlockSize[] = [];
    const pieces: Promise<void>[] = [];
    await writeDeflated(
      {
        emit: async (_text, from, length, write) => {
          expect([from, length]).toEqual([0, bytes]);
          for (let at = 0; at < bytes; ) {
            const piece = Buffer.from(data.subarray(at, at + 1 + below(mostPiece)));
            at += piece.length;
            // The memory of a piece is used again once it is written; that of earlier ones may still be written.
            pieces.push(write(piece).then(() => void piece.fill(0)));
          }
          await Promise.all(pieces);
        },
      },
      { data: null as unknown as GPUBuffer, bytes, sizes },
      textBytes,
      {
        write: async (block, of) => {
          expect(of.reduce((sum, one) => sum + one.bytes, 0)).toBe(block.length);
          passed.push(...of);
          const place = written.push(Buffer.alloc(0)) - 1;
          for (let waits = below(9); waits > 0; waits--) await Promise.resolve();
          written[place] = Buffer.from(block);
        },
      },
    );
    const texts = Array.from(sizes, (_, i) => Math.min(BLOCK_TEXT, textBytes - i * BLOCK_TEXT));
    expect(passed).toEqual(texts.map((text, i) => ({ text, bytes: sizes[i] })));
    expect(Buffer.concat(written).equals(data)).toBe(true);
  },
  { runs: 300 },
);
