/**
 * Turns the records of CSV into lines that end in NUL, and back (kernels/wasm/keys/csv.ts). It changes bytes in place
 * or in a copy, part by part, and knows no files. All inputs and the output share one instance of the kernels.
 */
import { copyBytes, growTo, KERNEL_SLACK, newMemory } from '../system/memory.js';
import { compileKeyKernels, openKeyKernels } from './key-maker.js';

interface CsvKernels {
  firstFree(): number;
  setState(state: number): void;
  stateOf(): number;
  openQuoteAt(): number;
  endRecords(at: number, end: number, separator: number): number;
  endLines(at: number, end: number): void;
}

/** Text passes through the kernels' memory in parts that fit a processor's own cache. */
const PART_BYTES = 1 << 18;
/** The same numbers as in kernels/wasm/keys/csv.ts. */
const FIELD_BEGIN = 0;
const QUOTED = 2;
const INPUT_BEGIN = 4;

/** The kernels, and the address of the buffer for a part of a text. */
interface CsvWorkbench {
  readonly csv: CsvKernels;
  readonly memory: WebAssembly.Memory;
  readonly room: number;
}

let loaded: CsvWorkbench | undefined;

function workbench(): CsvWorkbench {
  if (loaded !== undefined) return loaded;
  const memory = newMemory();
  const csv = openKeyKernels<CsvKernels>(compileKeyKernels(), memory);
  const room = csv.firstFree();
  growTo(memory, room + PART_BYTES + KERNEL_SLACK);
  return (loaded = { csv, memory, room });
}

/** Replaces the record-ending newlines of one input by NUL, as its text arrives. Places are counted in the input. */
export class RecordEnder {
  private readonly separator: number;
  private state: number;
  private done: number;
  private quote = 0;

  /** Takes text from place `from` on, where a record must begin. */
  constructor(separator: number, from = 0) {
    this.separator = separator;
    this.state = from === 0 ? INPUT_BEGIN : FIELD_BEGIN;
    this.done = from;
  }

  /** Changes the next bytes of the input in place. Returns the place of a NUL that was in the input, or null. */
  end(text: Uint8Array): number | null {
    const { csv, memory, room } = workbench();
    csv.setState(this.state);
    for (let at = 0; at < text.length; at += PART_BYTES) {
      const part = text.subarray(at, at + PART_BYTES);
      const copy = new Uint8Array(memory.buffer, room, part.length);
      copyBytes(part, copy);
      const stop = csv.endRecords(room, room + part.length, this.separator) - room;
      if (stop < part.length) return this.done + stop;
      copyBytes(copy, part);
      if (csv.openQuoteAt() !== 0) this.quote = this.done + csv.openQuoteAt() - room;
      this.done += part.length;
    }
    this.state = csv.stateOf();
    return null;
  }

  /** The place after the bytes passed so far. */
  get place(): number {
    return this.done;
  }

  /** The place of the last opening quote if it is not closed; otherwise null. */
  openQuote(): number | null {
    return this.state === QUOTED ? this.quote : null;
  }
}

/** Copies a text to `copy`, which has as many bytes, with NULs replaced by newlines. */
export function endedByNewlines(text: Uint8Array, copy: Uint8Array): Uint8Array {
  const { csv, memory, room } = workbench();
  for (let at = 0; at < text.length; at += PART_BYTES) {
    const part = text.subarray(at, at + PART_BYTES);
    const changed = new Uint8Array(memory.buffer, room, part.length);
    copyBytes(part, changed);
    csv.endLines(room, room + part.length);
    copy.set(changed, at);
  }
  return copy;
}
