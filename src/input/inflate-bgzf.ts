/**
 * Inflates BGZF in codec threads. Compressed bytes are read ahead into shared memory, whole blocks of about 1 MiB of
 * text are one task, and their texts come out in order. Whole records of BAM become lines in the same task. An input
 * of less than one buffer starts no thread.
 */

import { findBlocks, MOST_BLOCK_BYTES } from '../codecs/bgzf.js';
import { detectCompression } from '../codecs/detect.js';
import type { CodecOutcome } from '../codecs/tasks.js';
import { CodecThreads } from '../codecs/threads.js';
import { type BamFraming, type FramedPart, mostLineBytes } from '../records/bam.js';
import { type ByteSource, FillingSource } from '../system/byte-source.js';
import { GpusortError } from '../system/errors.js';
import { type Begin, ReadAhead } from '../system/in-order.js';
import { copyBytes } from '../system/memory.js';
import { createSharedMemory } from '../system/threads/buffers.js';
import { type CompressedInput, notAPart, SHOWN_BYTES } from './damaged.js';

/** Compressed bytes that are read at once. */
const INPUT_BYTES = 1 << 20;
/** Text of a task. */
const TASK_TEXT = 1 << 20;

/** A buffer of compressed bytes, in use by the feeder and by tasks. */
interface Input {
  readonly memory: SharedArrayBuffer;
  users: number;
}

/** Blocks in bytes [from, to) of an input, which begin at byte `at` of the file, and the length of their text. */
interface Blocks {
  readonly from: number;
  readonly to: number;
  readonly text: number;
  readonly at: number;
}

/** Blocks that are inflated. */
interface Inflated {
  readonly outcome: CodecOutcome;
  readonly target: SharedArrayBuffer;
  readonly text: number;
  /** Offset of the first block in the file. */
  readonly at: number;
}

class BgzfReader implements ByteSource {
  private readonly reader: FillingSource;
  private readonly input: CompressedInput;
  private readonly framing: BamFraming | null;
  private readonly codecs: CodecThreads;
  private readonly ahead: ReadAhead<Inflated>;
  private readonly inputs = createSharedMemory(2);
  private readonly targets: ReturnType<typeof createSharedMemory>;
  private isClosed = false;
  /** Whether more than the first text is wanted, and the resolver for the feeder that waits for this. */
  private isReadOn = false;
  private readOn: () => void = () => {};
  /** The memory of the text returned last. */
  private returned: SharedArrayBuffer | null = null;

  constructor(reader: ByteSource, input: CompressedInput, threads: number, framing: BamFraming | null) {
    // While all threads work, as many texts and as many tasks are waiting.
    const most = 2 * threads + 2;
    this.reader = new FillingSource(reader);
    this.input = input;
    this.framing = framing;
    this.codecs = new CodecThreads(threads);
    this.ahead = new ReadAhead(most, (begin) => this.feed(begin));
    this.targets = createSharedMemory(most);
  }

  async read(): Promise<Uint8Array | null> {
    if (this.returned !== null) this.give(this.returned);
    this.returned = null;
    for (;;) {
      const next = await this.ahead.next();
      if (next === null) return null;
      const { outcome } = next;
      if ('broken' in outcome) throw this.brokenAt(next.at + outcome.at, outcome.broken);
      if (next.text === 0) {
        this.give(next.target);
        continue;
      }
      this.returned = next.target;
      const framed = 'records' in outcome ? (outcome as FramedPart) : null;
      if (this.framing !== null) this.framing.framed = framed;
      return new Uint8Array(next.target, 0, framed?.bytes ?? next.text);
    }
  }

  close(): void {
    this.isClosed = true;
    this.readOn();
    this.ahead.close();
    this.reader.close();
    void this.codecs.close();
  }

  /** Begins tasks until the input ends. */
  private async feed(begin: Begin<Inflated>): Promise<void> {
    /** Offset in the file of the buffer's first byte. */
    let base = 0;
    let filled = 0;
    let endsEmpty = false;
    let input: Input = { memory: this.inputs.take(INPUT_BYTES), users: 1 };
    for (;;) {
      const bytes = new Uint8Array(input.memory, 0, INPUT_BYTES);
      filled = await this.fill(bytes, filled);
      const isLast = filled < INPUT_BYTES;
      let at = 0;
      for (;;) {
        const group = findBlocks(bytes, at, filled, TASK_TEXT);
        if (group.to > at) {
          const [user, blocks] = [input, { from: at, to: group.to, text: group.text, at: base + at }];
          if (!(await begin(() => this.inflate(user, blocks)))) return;
          // The header is in the first text, and often nothing else is wanted.
          if (!this.isReadOn) await this.firstIsRead();
          if (this.isClosed) return;
          if (!isLast) this.codecs.start();
          endsEmpty = group.endsEmpty!;
        }
        if (group.broken !== null) {
          const rest = bytes.subarray(group.to, filled);
          if (endsEmpty && rest[0] === 0) return this.passPadding(rest, base + group.to);
          if (endsEmpty && detectCompression(rest) !== 'bgzf') throw await this.notABlock(rest, base + group.to);
          throw this.brokenAt(base + group.to, group.broken);
        }
        if (group.to === at) break;
        at = group.to;
      }
      if (isLast) {
        if (at < filled) throw this.cutOff(`the BGZF block at byte ${base + at + 1} is not complete`);
        if (!endsEmpty) throw this.cutOff('the end block of BGZF is missing');
        return;
      }
      // A block that is not complete is shorter than the longest.
      if (filled - at > 2 * MOST_BLOCK_BYTES) throw this.brokenAt(base + at, 'is too long');
      const next: Input = { memory: this.inputs.take(INPUT_BYTES), users: 1 };
      copyBytes(bytes.subarray(at, filled), new Uint8Array(next.memory));
      this.leave(input);
      input = next;
      base += at;
      filled -= at;
    }
  }

  /** Takes back a text that was read. */
  private give(target: SharedArrayBuffer): void {
    this.targets.give(target);
    this.isReadOn = true;
    this.readOn();
  }

  /** Waits until more than the first text is wanted. */
  private firstIsRead(): Promise<void> {
    return new Promise((resolve) => {
      if (this.isClosed) resolve();
      else this.readOn = resolve;
    });
  }

  /** Zeros may follow the end block, as gzip allows. `bytes`, at byte `at`, and everything after them must be zero. */
  private async passPadding(bytes: Uint8Array, at: number): Promise<void> {
    for (let next: Uint8Array | null = bytes, byte = at; next !== null; next = await this.reader.read()) {
      const other = next.findIndex((value) => value !== 0);
      if (other >= 0) throw await this.notABlock(next.subarray(other), byte + other);
      byte += next.length;
    }
  }

  /** The error for other data after the end block, at byte `at`: it begins with `bytes`. */
  private async notABlock(bytes: Uint8Array, at: number): Promise<GpusortError> {
    let head = Buffer.from(bytes.subarray(0, SHOWN_BYTES));
    while (head.length < SHOWN_BYTES) {
      const next = await this.reader.read();
      if (next === null) break;
      head = Buffer.concat([head, next]);
    }
    return notAPart(this.input, 'BGZF block', at, head);
  }

  /** Reads until `bytes` is full or the input ends; returns how many bytes it has then. */
  private async fill(bytes: Uint8Array, filled: number): Promise<number> {
    return filled + (await this.reader.fill(bytes.subarray(filled)));
  }

  private async inflate(input: Input, { from, to, text, at }: Blocks): Promise<Inflated> {
    const references = this.framing?.references ?? null;
    const target = this.targets.take(references === null ? TASK_TEXT : mostLineBytes(TASK_TEXT));
    input.users++;
    try {
      const task = { kind: 'inflate', from: input.memory, at: from, to, target, text, references } as const;
      return { outcome: await this.codecs.perform(task), target, text, at };
    } finally {
      this.leave(input);
    }
  }

  private leave(input: Input): void {
    if (--input.users === 0) this.inputs.give(input.memory);
  }

  private brokenAt(at: number, what: string): GpusortError {
    return new GpusortError('bad-records', `${this.input.label}: the BGZF block at byte ${at + 1} ${what}`, {
      hint: 'Copy the file again, or check it with: bgzip -t FILE',
    });
  }

  private cutOff(what: string): GpusortError {
    return new GpusortError('bad-records', `${this.input.label} is cut off: ${what}`, {
      hint: 'Copy the file again, or write it again.',
    });
  }
}

/**
 * The text of `reader`, which begins with a BGZF block, and which it owns. `framing`: the text is BAM; `read` may then
 * return lines, and says so in `framing`. Throws the errors of decompression.
 */
export function inflateBgzf(
  reader: ByteSource,
  input: CompressedInput,
  threads: number,
  framing: BamFraming | null = null,
): ByteSource {
  return new BgzfReader(reader, input, threads, framing);
}
