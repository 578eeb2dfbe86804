/**
 * The first half of a sort: chunks are read into the engine's memory and ordered there, several at a time. Knows no
 * runs and no output.
 */
import type { Distributed, Engine, Sorted } from '../engines/contract.js';
import type { Recorder } from '../report/recorder.js';
import type { LargeRecord } from '../runs/large.js';
import { allOver } from '../system/promises.js';
import type { Verification } from '../verify/verification.js';
import type { ChunkReader } from './chunks.js';

/** Takes what comes of chunks, one at a time, in input order. */
interface Taker {
  take(text: Sorted | Distributed): Promise<void>;
  takeLarge(record: LargeRecord): Promise<void>;
}

/** Orders chunks concurrently. Resolves to the bytes of text that were read. */
export async function orderChunks(
  engine: Engine,
  reader: ChunkReader,
  { verification, recorder }: { readonly verification: Verification | null; readonly recorder: Recorder },
  { take, takeLarge }: Taker,
): Promise<number> {
  let [read, sorted, allRead] = [0, 0, false];
  const hasSorted = (bytes: number): void => {
    sorted += bytes;
    if (allRead) recorder.advance('sorting', bytes);
  };
  const underway: Promise<void>[] = [];
  let last: Promise<void> = Promise.resolve();
  const follow = (next: Promise<void>): void => {
    last = next;
    last.catch(() => {
      /* handled below, perhaps only after the next chunk got its memory */
    });
    underway.push(last);
  };
  try {
    for (let portion = await reader.portion(engine); portion !== null; portion = await reader.portion(engine)) {
      if (portion.kind === 'large') {
        const { record } = portion;
        read += record.bytes;
        follow(
          last
            .then(() => verification?.addLarge(record))
            .then(() => takeLarge(record))
            .then(() => {
              hasSorted(record.bytes);
            }),
        );
      } else {
        const { chunk, bytes, filled } = portion;
        read += bytes;
        const ordered = filled.then(() => engine.order(chunk, bytes));
        // Wait until the chunk is read and sorted even if an earlier one failed, because the
        // engine is closed afterwards.
        follow(
          allOver([last, ordered]).then(async ([, list]) => {
            for (const text of list) {
              verification?.addSorted(text.records);
              await take(text);
            }
            hasSorted(bytes);
          }),
        );
      }
      if (underway.length >= engine.lanes) await underway.shift();
    }
    allRead = true;
    recorder.advance('sorting', sorted, read);
  } catch (error) {
    await Promise.allSettled(underway);
    throw error;
  }
  await last;
  return read;
}
