/**
 * Inputs that cannot be read twice, such as pipes, but whose bytes are kept in memory so that they can: a sort may try
 * a road that turns out to be impossible. Each reader begins at the first byte, and reads on where the kept bytes end.
 * Knows no formats.
 */
import { Declined } from '../contract/engine.js';
import { formatBytes } from '../report/units.js';
import type { ByteSource } from '../system/byte-source.js';
import { collectAll } from '../system/garbage.js';
import { copyBytes } from '../system/memory.js';

/** Bytes are kept in blocks of this size. */
const BLOCK_BYTES = 1 << 20;
/**
 * The last reader collects garbage after each quarter of what was kept, at least this many bytes, until as many bytes
 * again have been read: dropped blocks, and what was made of their bytes, do not make V8 collect. It takes some 10 ms.
 */
const GARBAGE_BYTES = 4 << 20;
const NOTHING = new Uint8Array(0);

/** What is known of an input after some of it was read. */
interface ArrivedBytes {
  /** The bytes read so far. */
  readonly bytes: number;
  /** Whether these are all. */
  readonly isWhole: boolean;
  /** Its first bytes. */
  readonly head: Uint8Array;
}

export class Replay {
  private readonly openSource: () => Promise<ByteSource>;
  private readonly blockBytes: number;
  private source: ByteSource | null = null;
  /** The kept bytes [begin, end). All blocks are full, except for the last one. */
  private readonly blocks: Uint8Array[] = [];
  private begin = 0;
  private end = 0;
  /** The rest of the last block. The source may fill it between two reads, so it is used before other memory is. */
  private room: Uint8Array = NOTHING;
  /** `open`: every byte is kept; `last`: the next reader is the last one, so its bytes are dropped as it reads. */
  private state: 'open' | 'last' | 'closed' = 'open';
  /** When the last reader next collects garbage, after how many bytes again, and up to which byte. */
  private garbage = { at: Infinity, every: 0, end: 0 };
  /** Checks what all inputs keep before more is read. */
  private check: () => void = () => {};
  private isReading = false;
  private hasEnded = false;
  private failure: { readonly error: unknown } | null = null;
  /** Resolvers of the calls that wait for bytes, or for a close. */
  private wakes: (() => void)[] = [];

  /** `open` is called at the first read. `blockBytes`: for tests. */
  constructor(open: () => Promise<ByteSource>, blockBytes = BLOCK_BYTES) {
    this.openSource = open;
    this.blockBytes = blockBytes;
  }

  /** Bytes of memory that it takes. */
  get keptBytes(): number {
    return this.end - this.begin;
  }

  /** Whether the input can be read from its beginning. */
  get canRepeat(): boolean {
    return this.state === 'open';
  }

  /** All bytes of the input; null: it has not been read to its end. */
  get bytes(): number | null {
    return this.hasEnded ? this.end : null;
  }

  /** Reads until `bytes` bytes have arrived, or all. A failure is reported when its place is read. */
  async readAhead(bytes: number): Promise<ArrivedBytes> {
    while (this.end < bytes && !this.isOver) await this.more();
    return { bytes: this.end, isWhole: this.hasEnded, head: this.bytesAt(0) };
  }

  /**
   * The input from its first byte. Closing it leaves the input open, unless it is the last reader. Throws Declined if
   * more would be kept than may be.
   */
  reader(): ByteSource {
    let at = 0;
    let memory: Uint8Array | null = null;
    let isClosed = false;
    return {
      read: async (target) => {
        if (this.state === 'last') this.dropBefore(at);
        while (at === this.end && !this.isOver && !isClosed) {
          if (this.passesOn) {
            const bytes = await this.source!.read(target);
            at = this.begin = this.end += bytes?.length ?? 0;
            return bytes;
          }
          if (this.state === 'open') this.check();
          await this.more();
        }
        if (isClosed || this.state === 'closed') return null;
        if (at === this.end && this.failure !== null) throw this.failure.error;
        const bytes = this.bytesAt(at);
        if (bytes.length === 0) return null;
        // A caller may change the bytes that it gets.
        const copy =
          this.state === 'open' ? copied(bytes, target ?? (memory ??= new Uint8Array(this.blockBytes))) : bytes;
        at += copy.length;
        return copy;
      },
      close: () => {
        isClosed = true;
        this.wake();
        if (this.state === 'last') this.close();
      },
    };
  }

  /** `check` throws if no more bytes may be kept. */
  keepWhile(check: () => void): void {
    this.check = check;
  }

  /** Keeps no more bytes than the next reader, or the one that is open, still needs. */
  readLast(): void {
    if (this.state !== 'open') return;
    this.state = 'last';
    const every = Math.max(GARBAGE_BYTES, this.end / 4);
    this.garbage = { at: every, every, end: 2 * this.end };
  }

  /** Drops all bytes and closes the input. Its readers end. */
  close(): void {
    this.state = 'closed';
    this.blocks.length = 0;
    this.begin = this.end;
    this.source?.close();
    this.wake();
  }

  /** Whether no more bytes will arrive. */
  private get isOver(): boolean {
    return this.hasEnded || this.failure !== null || this.state === 'closed';
  }

  /** Whether the last reader, for which no kept bytes are left, may read into memory of its own. */
  private get passesOn(): boolean {
    return this.state === 'last' && !this.isReading && this.room.length === 0 && this.source !== null;
  }

  /** The kept bytes from byte `at` to the end of their block. */
  private bytesAt(at: number): Uint8Array {
    const offset = at - this.begin;
    const first = Math.floor(offset / this.blockBytes) * this.blockBytes;
    const block = this.blocks[first / this.blockBytes] ?? NOTHING;
    return block.subarray(offset - first, Math.min(this.blockBytes, this.end - this.begin - first));
  }

  private dropBefore(at: number): void {
    while (this.blocks.length > 0 && this.begin + this.blockBytes <= at) {
      this.blocks.shift();
      this.begin += this.blockBytes;
    }
    if (at < this.garbage.at || at > this.garbage.end) return;
    this.garbage.at = at + this.garbage.every;
    collectAll();
  }

  /** Waits until bytes arrive, the input ends, or something is closed. */
  private more(): Promise<void> {
    if (!this.isReading) void this.readMore();
    return new Promise((resolve) => {
      this.wakes.push(resolve);
    });
  }

  private wake(): void {
    for (const wake of this.wakes.splice(0)) wake();
  }

  private async readMore(): Promise<void> {
    this.isReading = true;
    try {
      this.source ??= await this.openSource();
      if (this.state === 'closed') this.source.close();
      else {
        if (this.room.length === 0) this.addBlock();
        this.keep(await this.source.read(this.room));
      }
    } catch (error) {
      this.failure = { error };
    }
    this.isReading = false;
    this.wake();
  }

  private addBlock(): void {
    // V8 does not count shared memory, so what is kept does not change when it collects other garbage.
    this.room = new Uint8Array(new SharedArrayBuffer(this.blockBytes));
    this.blocks.push(this.room);
  }

  /** Keeps bytes that the source returned; they may lie in the room already. */
  private keep(bytes: Uint8Array | null): void {
    if (this.state === 'closed') return;
    if (bytes === null) this.hasEnded = true;
    for (let left = bytes ?? NOTHING; left.length > 0; ) {
      if (this.room.length === 0) this.addBlock();
      const { room } = this;
      const part = left.subarray(0, room.length);
      if (part.buffer !== room.buffer || part.byteOffset !== room.byteOffset) copyBytes(part, room);
      this.room = room.subarray(part.length);
      this.end += part.length;
      left = left.subarray(part.length);
    }
  }
}

/** The first of `bytes`, as many as `target` has room for, in `target`. */
function copied(bytes: Uint8Array, target: Uint8Array): Uint8Array {
  const part = bytes.subarray(0, target.length);
  copyBytes(part, target);
  return target.subarray(0, part.length);
}

/** An input, whose bytes may be kept. */
interface Replayed {
  readonly replay?: Replay | undefined;
}

/** Bytes of inputs that are kept in memory. */
export function keptBytes(inputs: readonly Replayed[]): number {
  return inputs.reduce((sum, { replay }) => sum + (replay?.keptBytes ?? 0), 0);
}

/** Bounds the bytes that are kept of all inputs together. Null: the inputs are read only once more. */
export function keepAtMost(inputs: readonly Replayed[], bytes: number | null): void {
  if (bytes === null) {
    readLast(inputs);
    return;
  }
  const check = (): void => {
    const kept = keptBytes(inputs);
    if (kept > bytes) throw new Declined(`what is kept of pipes, ${formatBytes(kept)}, does not fit into memory`);
  };
  for (const { replay } of inputs) replay?.keepWhile(check);
}

/** Inputs are read only once more: what is kept of them is dropped meanwhile. */
export function readLast(inputs: readonly Replayed[]): void {
  for (const { replay } of inputs) replay?.readLast();
}

/** Drops what is kept of inputs, and closes them. */
export function closeReplays(inputs: readonly Replayed[]): void {
  for (const { replay } of inputs) replay?.close();
}
