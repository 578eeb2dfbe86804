/** An engine that counts the records of its chunks while it can, and lets another engine order the rest. */

import { decorated } from '../../../contract/decorated.js';
import type { Chunk, CountedRecords, Distributed, Engine, Sorted } from '../../../contract/engine.js';
import type { Recorder } from '../../../report/recorder.js';
import type { CrewEngine, DistinctRecords } from '../crew-engine.js';
import type { Counting } from './counting.js';

/** `engine` with the counting of `counting`. Closing it closes both. */
export function countingEngine(engine: CrewEngine, counting: Counting, recorder: Recorder): Engine {
  /** Bytes of records that were read and ordered, not counted. */
  let ordered = 0;
  /** Set once counting has ended, and chunks hold what was counted. */
  let distinct: DistinctRecords | null = null;

  async function order(chunk: Chunk, bytes: number): Promise<(Sorted | Distributed)[]> {
    const left = counting.goesOn ? await countFirst(chunk, bytes) : bytes;
    ordered += left;
    if (left > 0) return engine.order(chunk, left, distinct);
    chunk.release();
    return [];
  }

  /** Counts the first records of a chunk, and moves the others to its beginning; returns the bytes of the others. */
  async function countFirst(chunk: Chunk, bytes: number): Promise<number> {
    const text = chunk.bytes!;
    const start = performance.now();
    const done = await counting.take(text.buffer as SharedArrayBuffer, bytes);
    if (done > 0) {
      recorder.span('order', start, done);
      text.copyWithin(0, done, bytes);
    }
    return bytes - done;
  }

  async function counted(others: number): Promise<CountedRecords | null> {
    const hadRoom = counting.goesOn;
    const records = await counting.end(ordered + others);
    if (records === null) return null;
    distinct = { areFew: counting.isLittleLeft };
    recorder.note(
      hadRoom
        ? 'equal records were counted as they were read, and only the distinct ones were sorted'
        : 'counting equal records stopped partway: too many were distinct',
    );
    return records;
  }

  return decorated(engine, {
    portionBytes: () => (counting.goesOn ? counting.portionBytes : Infinity),
    order,
    counted,
    close: async () => {
      await Promise.all([engine.close(), counting.close()]);
    },
  });
}
