/**
 * The first half of a sort: reads chunks into the engine's memory and orders them there, several at a time. Knows no
 * runs and no output.
 */
import type { Distributed, Engine, Sorted } from '../engines/contract.js';
import type { Recorder } from '../report/recorder.js';
import type { LargeRecord } from '../runs/large.js';
import { InOrder } from '../system/in-order.js';
import type { Verification } from '../verify/verification.js';
import type { ChunkReader } from './chunks.js';

/** The result of a portion of the input. */
type Ordered =
  | { readonly kind: 'large'; readonly record: LargeRecord; readonly bytes: number }
  | { readonly kind: 'chunk'; readonly texts: readonly (Sorted | Distributed)[]; readonly bytes: number };

/** Takes the results of chunks, one at a time, in input order. */
interface Taker {
  take(text: Sorted | Distributed): Promise<void>;
  takeLarge(record: LargeRecord): Promise<void>;
}

/** Orders chunks concurrently. Resolves to the number of bytes of text read. */
export async function orderChunks(
  engine: Engine,
  reader: ChunkReader,
  { verification, recorder }: { readonly verification: Verification | null; readonly recorder: Recorder },
  { take, takeLarge }: Taker,
): Promise<number> {
  let [read, sorted, allRead] = [0, 0, false];
  const takeOne = async (ordered: Ordered): Promise<void> => {
    if (ordered.kind === 'large') {
      await verification?.addLarge(ordered.record);
      await takeLarge(ordered.record);
    } else
      for (const text of ordered.texts) {
        verification?.addSorted(text.records!);
        await take(text);
      }
    sorted += ordered.bytes;
    if (allRead) recorder.advance('sorting', ordered.bytes);
  };
  const underway = new InOrder(engine.lanes - 1, takeOne);
  try {
    for (let portion = await reader.portion(engine); portion !== null; portion = await reader.portion(engine)) {
      if (portion.kind === 'large') {
        const { record } = portion;
        read += record.bytes;
        underway.put(Promise.resolve({ kind: 'large', record, bytes: record.bytes }));
      } else {
        const { chunk, bytes, filled } = portion;
        read += bytes;
        const ordered = filled.then(() => engine.order(chunk, bytes));
        underway.put(ordered.then((texts) => ({ kind: 'chunk', texts, bytes })));
      }
      await underway.room();
    }
    allRead = true;
    recorder.advance('sorting', sorted, read);
  } catch (error) {
    // The engine is closed afterwards.
    await Promise.allSettled([underway.taken()]);
    throw error;
  }
  await underway.taken();
  return read;
}
