/**
 * The compressed size of a text, estimated while it is read: every 16th part is compressed as the output would be.
 * Parts are compressed independently, so the estimate is good if the parts are alike.
 */
import type { CompressedForm } from '../job/job.js';
import { OrderedStage } from '../system/ordered-stage.js';
import { BLOCK_TEXT } from './bgzf.js';
import { type GroupCodec, openGroupCodec } from './group-codec.js';

/** One part in this many is compressed. */
const SAMPLED = 16;

/** Bytes of all texts, of the sampled parts, and of the sampled parts after compression. */
interface SampledSize {
  readonly text: number;
  readonly sample: number;
  readonly compressed: number;
}

/** A part that is compressed: its bytes, and its compressed bytes. */
interface CompressedSample {
  readonly bytes: number;
  readonly compressed: number;
}

/** Takes the next bytes of a text, which may change afterwards; null: the text has ended. */
export type TextTaker = (bytes: Uint8Array | null) => Promise<void>;

/** Holds threads and memory until it is closed. */
export class SizeSample {
  private readonly codec: GroupCodec;
  private readonly partBytes: number;
  private readonly stage: OrderedStage<CompressedSample>;
  private text = 0;
  private sample = 0;
  private compressed = 0;

  constructor(form: CompressedForm, level: number, threads: number) {
    const atOnce = threads + 1;
    this.codec = openGroupCodec(form, level, threads, atOnce);
    this.partBytes = form === 'bgzf' ? BLOCK_TEXT : this.codec.groupText;
    this.stage = new OrderedStage({
      groupBytes: this.partBytes,
      atOnce,
      begin: (text, bytes) => ({ bytes, result: this.compress(text, bytes) }),
      take: (part) => this.add(part),
      stop: () => this.codec.close(),
    });
  }

  /**
   * The taker for one text. Several texts may be read at the same time. The first part of each text is in the sample.
   */
  taker(): TextTaker {
    const sampled = this.stage.stream();
    let before = 0;
    return async (bytes) => {
      if (bytes === null) {
        await sampled.flush();
        return;
      }
      this.text += bytes.length;
      const begin = before;
      before += bytes.length;
      for (const part of this.sampledOf(bytes, begin)) await sampled.write(part);
    };
  }

  /** Call it once all texts have ended. */
  async size(): Promise<SampledSize> {
    await this.stage.taken();
    const { text, sample, compressed } = this;
    return { text, sample, compressed };
  }

  close(): Promise<void> {
    return this.stage.close();
  }

  /** The bytes that are in the sample. `begin`: their offset in the text. */
  private *sampledOf(bytes: Uint8Array, begin: number): Generator<Uint8Array> {
    const { partBytes } = this;
    const apart = SAMPLED * partBytes;
    for (let part = -(begin % apart); part < bytes.length; part += apart)
      if (part + partBytes > 0) yield bytes.subarray(Math.max(0, part), part + partBytes);
  }

  private async compress(text: SharedArrayBuffer, bytes: number): Promise<CompressedSample> {
    const compressing = this.codec.compress(text, bytes);
    // Threads start only with the second part: for a text of one part, starting them takes longer than it saves.
    this.codec.start();
    const outcome = await compressing;
    outcome.release();
    return { bytes, compressed: outcome.bytes.length };
  }

  private add({ bytes, compressed }: CompressedSample): void {
    this.sample += bytes;
    this.compressed += compressed;
  }
}
