/**
 * The first half of a sort: reads chunks into the engine's memory and orders them there, several at a time. Knows no
 * runs and no output.
 */
import type { CountedRecords, Distributed, Engine, InflatedRecords, Repeats, Sorted } from '../contract/engine.js';
import type { Recorder } from '../report/recorder.js';
import type { LargeRecord } from '../runs/large.js';
import type { InputPlace } from '../runs/placed-run.js';
import { internalError } from '../system/errors.js';
import { InOrder } from '../system/in-order.js';
import type { Verification } from '../verify/verification.js';
import type { ChunkReader } from './chunks.js';

/** The result of a portion of the input. */
type Ordered =
  | { readonly kind: 'large'; readonly record: LargeRecord; readonly bytes: number }
  | {
      readonly kind: 'chunk';
      readonly texts: readonly (Sorted | Distributed)[];
      readonly bytes: number;
      readonly place: InputPlace | null;
    };

/** Takes the results of chunks, one at a time, in input order. */
interface ChunkTaker {
  /** `place`: where the text was read, if it may be read there again. */
  take(text: Sorted | Distributed, place: InputPlace | null): Promise<void>;
  takeLarge(record: LargeRecord): Promise<void>;
}

interface OrderedChunks {
  /** The bytes of text that were read. */
  readonly bytes: number;
  /** How often each distinct record occurred; null: every record was taken. */
  readonly repeats: Repeats | null;
}

/** Orders chunks concurrently. */
export async function orderChunks(
  engine: Engine,
  reader: ChunkReader,
  { verification, recorder }: { readonly verification: Verification | null; readonly recorder: Recorder },
  { take, takeLarge }: ChunkTaker,
): Promise<OrderedChunks> {
  let [read, sorted, allRead] = [0, 0, false];
  let large = 0;
  let repeats: Repeats | null = null;
  const takeOne = async (ordered: Ordered): Promise<void> => {
    if (ordered.kind === 'large') {
      await verification?.addLarge(ordered.record);
      await takeLarge(ordered.record);
    } else
      for (const text of ordered.texts) {
        verification?.addSorted(text.records!);
        await take(text, ordered.place);
      }
    sorted += ordered.bytes;
    if (allRead) recorder.advance('sorting', ordered.bytes);
  };
  /** The last stretch: they are inflated one after another. */
  let inflated: Promise<InflatedRecords> = Promise.resolve({ texts: [], bytes: 0 });
  const underway = new InOrder(engine.lanes - 1, takeOne);
  try {
    for (let portion = await reader.portion(engine); portion !== null; portion = await reader.portion(engine)) {
      if (portion.kind === 'large') {
        const { record } = portion;
        read += record.bytes;
        // `bytes` excludes the delimiter.
        large += record.bytes + 1;
        underway.put(Promise.resolve({ kind: 'large', record, bytes: record.bytes }));
      } else if (portion.kind === 'stretch') {
        const { order, discard } = portion;
        inflated = inflated.then(order, (error: unknown) => {
          discard();
          throw error;
        });
        underway.put(
          inflated.then(({ texts, bytes }) => {
            read += bytes;
            return { kind: 'chunk', texts, bytes, place: null };
          }),
        );
      } else {
        const { chunk, bytes, filled, place } = portion;
        read += bytes;
        const ordered = filled.then(() => engine.order(chunk, bytes));
        underway.put(ordered.then((texts) => ({ kind: 'chunk', texts, bytes, place })));
      }
      await underway.room();
    }
    await inflated;
    allRead = true;
    recorder.advance('sorting', sorted, read);
    if (engine.counted !== undefined) {
      await underway.taken();
      const counted = await engine.counted(large);
      recorder.advance('sorting', 0, counted?.bytes ?? 0);
      repeats = await orderCounted(engine, counted, underway);
    }
  } catch (error) {
    // The engine is closed afterwards.
    await Promise.allSettled([underway.taken()]);
    throw error;
  }
  await underway.taken();
  return { bytes: read, repeats };
}

/** Orders the records that the engine has counted. */
async function orderCounted(
  engine: Engine,
  counted: CountedRecords | null,
  underway: InOrder<Ordered>,
): Promise<Repeats | null> {
  if (counted === null) return null;
  for (let left = counted.bytes; left > 0; ) {
    const chunk = await engine.openChunk(Math.min(left, counted.chunkBytes, engine.chunkBytes));
    const bytes = counted.fill(chunk.bytes!);
    if (bytes === 0) throw internalError(`${left} bytes of counted records are missing`);
    left -= bytes;
    underway.put(engine.order(chunk, bytes).then((texts) => ({ kind: 'chunk', texts, bytes, place: null })));
    await underway.room();
  }
  return counted.repeats;
}
