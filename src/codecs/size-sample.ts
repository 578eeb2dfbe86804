/**
 * The compressed size of a text, estimated while it is read: every 16th part is compressed as the output would be.
 * Parts are compressed independently, so the estimate is good if they are alike.
 */
import type { CompressedForm } from '../job/job.js';
import { InOrder } from '../system/in-order.js';
import { createSharedMemory } from '../system/threads/buffers.js';
import { BLOCK_TEXT } from './bgzf.js';
import { type GroupCodec, openGroupCodec } from './group-codec.js';

/** One part in this many is compressed. */
const SAMPLED = 16;

/** Bytes of all texts, of the parts that were compressed, and of these compressed. */
interface SampledSize {
  readonly text: number;
  readonly sample: number;
  readonly compressed: number;
}

/** A part that is compressed: its memory, its bytes, and its compressed bytes. */
interface Part {
  readonly from: SharedArrayBuffer;
  readonly bytes: number;
  readonly compressed: number;
}

/** Takes the next bytes of a text, which may change afterwards; null: the text has ended. */
export type TextTaker = (bytes: Uint8Array | null) => Promise<void>;

/** Holds threads and memory until it is closed. */
export class SizeSample {
  private readonly codec: GroupCodec;
  private readonly partBytes: number;
  private readonly memory: ReturnType<typeof createSharedMemory>;
  private readonly parts: InOrder<Part>;
  private text = 0;
  private sample = 0;
  private compressed = 0;

  constructor(form: CompressedForm, level: number, threads: number) {
    const most = threads + 1;
    this.codec = openGroupCodec(form, level, threads, most);
    this.partBytes = form === 'bgzf' ? BLOCK_TEXT : this.codec.groupText;
    this.parts = new InOrder(most, (part) => this.add(part));
    this.memory = createSharedMemory(most);
  }

  /** For one text. Several may be read at the same time. The first part of each is in the sample. */
  taker(): TextTaker {
    const { partBytes } = this;
    let parts = 0;
    let filled = 0;
    let part: SharedArrayBuffer | null = null;
    const endPart = async (): Promise<void> => {
      const [full, bytes] = [part, filled];
      part = null;
      filled = 0;
      parts++;
      if (full !== null) await this.compress(full, bytes);
    };
    return async (bytes) => {
      if (bytes === null) {
        if (filled > 0) await endPart();
        return;
      }
      this.text += bytes.length;
      for (let at = 0; at < bytes.length; ) {
        const more = bytes.subarray(at, at + partBytes - filled);
        if (parts % SAMPLED === 0) {
          part ??= this.memory.take(partBytes);
          new Uint8Array(part, filled).set(more);
        }
        filled += more.length;
        at += more.length;
        if (filled === partBytes) await endPart();
      }
    };
  }

  /** Call it once all texts have ended. */
  async size(): Promise<SampledSize> {
    await this.parts.taken();
    const { text, sample, compressed } = this;
    return { text, sample, compressed };
  }

  close(): Promise<void> {
    return this.codec.close();
  }

  private async compress(from: SharedArrayBuffer, bytes: number): Promise<void> {
    const compressed = async (): Promise<Part> => {
      const outcome = await this.codec.compress(from, bytes);
      outcome.release();
      return { from, bytes, compressed: outcome.bytes.length };
    };
    this.parts.put(compressed());
    // For a text of one part, starting threads takes longer than it saves.
    this.codec.start();
    await this.parts.room();
  }

  private add({ from, bytes, compressed }: Part): void {
    this.sample += bytes;
    this.compressed += compressed;
    this.memory.give(from);
  }
}
