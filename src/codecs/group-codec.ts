/** Compresses groups of text in codec threads or, for forms that only a program writes, in processes. */
import { type CompressedForm, type ProgramForm, THREAD_FORMS, type ThreadForm } from '../job/job.js';
import { createSharedMemory } from '../system/threads/buffers.js';
import { checkProgram, compressBlock, openCompressor, type ProgramCompression } from './programs.js';
import { type CompressedGroup, compressedRoom, GROUP_TEXT } from './tasks.js';
import { CodecThreads } from './threads.js';
import { zstd } from './zstd.js';

/** A group's compressed bytes, which are valid until release(), and the lengths of its blocks. */
export interface Compressed {
  readonly bytes: Uint8Array;
  readonly blocks: readonly number[];
  release(): void;
}

/** Holds threads, processes and memory until it is closed. */
export interface GroupCodec {
  /** Bytes of text in a group. */
  readonly groupText: number;
  /** Makes threads execute the tasks from now on, because the stream is long enough to outweigh their start-up time. */
  start(): void;
  /** Compresses the first `bytes` bytes of `text`, at most a group. */
  compress(text: SharedArrayBuffer, bytes: number): Promise<Compressed>;
  close(): Promise<void>;
}

/** Bytes of text in a group that a process compresses: starting the process takes a few milliseconds. */
const PROGRAM_TEXT = 4 << 20;

const isThreadForm = (form: CompressedForm): form is ThreadForm => (THREAD_FORMS as readonly string[]).includes(form);

/**
 * `threads`: 0: the calling thread compresses. At most `most` groups are compressed or not yet released. Throws
 * `compress-failed` if a program is needed and cannot be run.
 */
export function openGroupCodec(form: CompressedForm, level: number, threads: number, most: number): GroupCodec {
  if (isThreadForm(form) && (form !== 'zstd' || zstd() !== null)) return inThreads(form, level, threads, most);
  return inProcesses(form as ProgramForm | 'zstd', level, Math.max(1, threads));
}

function inThreads(form: ThreadForm, level: number, threads: number, most: number): GroupCodec {
  const codecs = new CodecThreads(threads);
  const targets = createSharedMemory(most);
  const room = compressedRoom(form, GROUP_TEXT[form]);
  return {
    groupText: GROUP_TEXT[form],
    start: () => codecs.start(),
    compress: async (from, bytes) => {
      const target = targets.take(room);
      const outcome = await codecs.perform({ kind: 'compress', form, level, from, bytes, target });
      const { bytes: length, blocks } = outcome as CompressedGroup;
      return { bytes: new Uint8Array(target, 0, length), blocks, release: () => targets.give(target) };
    },
    close: () => codecs.close(),
  };
}

function inProcesses(form: ProgramCompression, level: number, width: number): GroupCodec {
  checkProgram(form, level);
  const program = openCompressor(form, width);
  return {
    groupText: PROGRAM_TEXT,
    start: () => undefined,
    compress: async (text, length) => {
      const bytes = await compressBlock(program, new Uint8Array(text, 0, length), level);
      return { bytes, blocks: [bytes.length], release: () => undefined };
    },
    close: async () => program.close(),
  };
}
