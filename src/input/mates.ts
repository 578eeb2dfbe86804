/**
 * Joins the FASTQ files of paired reads into one sequence of records, which end in NUL: a read of the first file, its
 * mate in the second file, and so on. Sorting the sequence applies one permutation to all files; src/output/mates.ts
 * splits the result.
 */

import { compileKeyKernels, openKeyKernels } from '../keys/key-maker.js';
import { emptyLineError, type FastxKernels, PART_BYTES, ReadState } from '../records/fastx-kernels.js';
import { numberOf } from '../report/units.js';
import type { ByteSource } from '../system/byte-source.js';
import { GpusortError } from '../system/errors.js';
import { copyBytes, growTo, KERNEL_SLACK, newMemory } from '../system/memory.js';

interface MateInput {
  readonly label: string;
  /** Returns the file's bytes unchanged. */
  readonly reader: ByteSource;
}

/** Bytes that a read of the joined records returns, except the last one. */
const RESULT_BYTES = 1 << 20;

/** The same numbers as in kernels/wasm/keys/records/fastx.ts. */
const NEEDS_TEXT = 0;
const FULL = 1;
const TURN = 0;
const TARGET = 1;
const FILES = 2;
const FILE_WORDS = 3;

const NEWLINE = 10;
const RETURN = 13;

/**
 * Joins files of mates. Throws `bad-records` if a record is not FASTQ, names of mates differ, or a file has fewer
 * reads than another.
 */
export function joinMates(files: readonly MateInput[]): ByteSource {
  const joiner = new Joiner(files);
  return {
    read: () => joiner.read(),
    close: () => {
      for (const { reader } of files) reader.close();
    },
  };
}

/**
 * One of the files. The kernel takes its text from a buffer in its memory, and leaves text there that it could not
 * join.
 */
interface Mate extends MateInput {
  readonly state: ReadState;
  /** The address of its buffer, which has PART_BYTES. */
  readonly room: number;
  /** Bytes that the reader returned and that are not yet in the buffer. */
  left: Uint8Array;
  /** Whether the reader has ended; a missing last newline has then been added. */
  ended: boolean;
  /** Whether all its reads have been joined. */
  over: boolean;
}

class Joiner {
  private readonly memory = newMemory();
  private readonly kernels = openKeyKernels<FastxKernels>(compileKeyKernels(), this.memory);
  private readonly mates: readonly Mate[];
  /** The kernel's table, and its address. */
  private readonly table: Uint32Array;
  private readonly tableAt: number;
  private readonly text: Uint8Array;
  private readonly target: number;

  constructor(files: readonly MateInput[]) {
    this.tableAt = Math.ceil(this.kernels.firstFree() / 16) * 16;
    const words = FILES + files.length * FILE_WORDS;
    const states = this.tableAt + Math.ceil(words / 4) * 16;
    const rooms = states + files.length * ReadState.BYTES;
    this.target = rooms + files.length * (PART_BYTES + KERNEL_SLACK);
    growTo(this.memory, this.target + RESULT_BYTES + KERNEL_SLACK);
    this.text = new Uint8Array(this.memory.buffer);
    this.table = new Uint32Array(this.memory.buffer, this.tableAt, words);
    this.mates = files.map((file, i) => {
      const stateAt = states + i * ReadState.BYTES;
      const room = rooms + i * (PART_BYTES + KERNEL_SLACK);
      ReadState.forLines(4).copyTo(this.memory, stateAt);
      this.table.set([room, room, stateAt], FILES + i * FILE_WORDS);
      return {
        ...file,
        state: new ReadState(this.memory.buffer, stateAt),
        room,
        left: new Uint8Array(0),
        ended: false,
        over: false,
      };
    });
  }

  async read(): Promise<Uint8Array | null> {
    const { kernels, mates, table, target } = this;
    table[TARGET] = target;
    while (!mates[0].over) {
      const why = kernels.joinReads(this.tableAt, mates.length, target + RESULT_BYTES);
      const turn = table[TURN];
      if (why === FULL) break;
      if (why !== NEEDS_TEXT) await this.stopAt(turn);
      else if (!(await this.fill(turn))) await this.endAt(turn);
    }
    const bytes = table[TARGET] - target;
    return bytes === 0 ? null : this.text.subarray(target, target + bytes);
  }

  /** Reads the next text of a file into its buffer; false: there is none. */
  private async fill(i: number): Promise<boolean> {
    const mate = this.mates[i];
    if (mate.left.length === 0 && !mate.ended) {
      const bytes = await mate.reader.read();
      mate.ended = bytes === null;
      mate.left = bytes ?? Uint8Array.from(mate.state.lacksNewline ? [NEWLINE] : []);
    }
    const part = mate.left.subarray(0, PART_BYTES);
    mate.left = mate.left.subarray(part.length);
    copyBytes(part, this.text, mate.room);
    this.table.set([mate.room, mate.room + part.length], FILES + i * FILE_WORDS);
    return part.length > 0;
  }

  /** The text of a file that is not yet joined. */
  private rest(i: number): Uint8Array {
    return this.text.subarray(this.table[FILES + i * FILE_WORDS], this.table[FILES + i * FILE_WORDS + 1]);
  }

  /** Throws the problem at which a file's text stopped. An empty line is the end of the reads. */
  private async stopAt(i: number): Promise<void> {
    const { label, state } = this.mates[i];
    const first = this.mates[0];
    if (state.namesDiffer) {
      const files = `${first.label} and ${label}`;
      const names = `${first.state.name} and ${state.other}`;
      throw new GpusortError('bad-records', `${files}: names differ at read ${readsOf(state) + 1}: ${names}`, {
        hint: 'Mates have equal names up to the first blank, except for /1 and /2.',
      });
    }
    state.check(label, this.rest(i)[0]);
    await this.endAt(i);
  }

  /** Ends a file, after its last read. */
  private async endAt(i: number): Promise<void> {
    const mate = this.mates[i];
    mate.state.checkEnd(mate.label);
    if (!(await this.passEmptyLines(i))) throw emptyLineError(mate.label, mate.state.ended + 1);
    mate.over = true;
    if (i > 0) throw this.shorter(i, 0);
    for (let k = 1; k < this.mates.length; k++) if (!(await this.passEmptyLines(k))) throw this.shorter(0, k);
  }

  /** Whether only empty lines are left in a file. */
  private async passEmptyLines(i: number): Promise<boolean> {
    let rest = this.rest(i);
    do {
      for (const byte of rest) {
        if (byte !== NEWLINE && byte !== RETURN) return false;
      }
      // The state is that after the last read, so no newline is missing.
    } while ((await this.fill(i)) && (rest = this.rest(i)));
    return true;
  }

  private shorter(i: number, than: number): GpusortError {
    const { label, state } = this.mates[i];
    const reads = readsOf(state);
    return new GpusortError(
      'bad-records',
      `${label} has ${numberOf(reads, 'read')}, but ${this.mates[than].label} has more`,
      { hint: 'Files of mates have equal numbers of reads.' },
    );
  }
}

/** The number of reads of a file that have ended. */
function readsOf(state: ReadState): number {
  return Math.floor(state.ended / 4);
}
