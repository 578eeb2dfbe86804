/** Collects the chunks of a ChunkReader, as text. */
import { expect } from 'vitest';
import type { Chunk, Engine } from '../../src/contract/engine.js';
import { ChunkReader } from '../../src/input/chunks.js';
import type { InputFile } from '../../src/input/files.js';
import type { Headers } from '../../src/input/header.js';
import type { RecordFormat } from '../../src/job/ordering.js';
import { recordFinder } from '../../src/records/record-finder.js';
import { TemporaryStore } from '../../src/runs/store.js';
import { silent } from './jobs.js';

/** `texts`: the memory of each chunk. */
type CollectingEngine = Engine & { readonly texts: Map<Chunk, Buffer> };

/**
 * An engine that only collects chunks. Pieces may be committed in any order, and all but the last must be full. At most
 * `ring` pieces are open at once. `readable`: the memory of its chunks may be read, so streams are read into it.
 */
export function collectingEngine(
  chunkBytes: number,
  pieceBytes: number,
  ring = Infinity,
  readable = false,
): CollectingEngine {
  let open = 0;
  const texts = new Map<Chunk, Buffer>();
  return {
    name: 'cpu',
    chunkBytes,
    mergeBytes: chunkBytes,
    pieceBytes,
    rangeBytes: chunkBytes,
    lanes: 1,
    mergesAhead: 1,
    shared: null,
    texts,
    openChunk: async () => {
      const memory = Buffer.alloc(chunkBytes);
      const chunk: Chunk = {
        capacity: chunkBytes,
        ...(readable && { bytes: memory }),
        openPiece: async (offset) => {
          expect(offset % pieceBytes).toBe(0);
          const bytes = memory.subarray(offset, Math.min(chunkBytes, offset + pieceBytes));
          while (open >= ring)
            await new Promise((resolve) => {
              setTimeout(resolve, 1);
            });
          open++;
          return {
            bytes,
            commit: (length) => {
              expect(length).toBeLessThanOrEqual(bytes.length);
              open--;
            },
          };
        },
        release: () => undefined,
      };
      texts.set(chunk, memory);
      return chunk;
    },
    order: () => {
      throw new Error('not here');
    },
    merge: () => {
      throw new Error('not here');
    },
    trim: () => 0,
    close: async () => undefined,
  };
}

/** The text of a chunk, or of a record that fits none, in latin1. */
export type Portion = string | { readonly large: string };

export async function portionsOf(
  inputs: readonly InputFile[],
  format: RecordFormat,
  engine: CollectingEngine,
  headers: Headers | null = null,
): Promise<Portion[]> {
  const store = new TemporaryStore([Buffer.from(process.env.GPUSORT_TEST_TMP ?? '/tmp')]);
  const reader = new ChunkReader(inputs, recordFinder(format), store, silent, { headers });
  const portions: Portion[] = [];
  try {
    for (let p = await reader.portion(engine); p !== null; p = await reader.portion(engine)) {
      if (p.kind === 'chunk') {
        await p.filled;
        portions.push(engine.texts.get(p.chunk)!.toString('latin1', 0, p.bytes));
      } else if (p.kind === 'large') {
        const bytes = Buffer.alloc(p.record.bytes);
        await p.record.readAt(0, bytes);
        portions.push({ large: bytes.toString('latin1') });
      }
    }
  } finally {
    reader.close();
    store.close();
  }
  return portions;
}
