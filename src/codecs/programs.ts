/**
 * The programs for compressions that gpusort does not read and write itself, and for zstd if Node lacks it. They are
 * found on the PATH, as by a shell. Messages are in English, like those of gpusort.
 */
import { spawnSync } from 'node:child_process';
import type { ProgramForm } from '../job/job.js';
import { GpusortError, systemText } from '../system/errors.js';
import { BlockProgram } from './block-program.js';
import { ZSTD_VERSIONS, zstd } from './zstd.js';

/** A compression that a program reads and writes. */
export type ProgramCompression = ProgramForm | 'zstd';

interface CodecProgram {
  /** The name of the package in Debian; other systems use the same name or a similar one. */
  readonly debian: string;
  /** The options that decompress standard input to standard output. */
  readonly decompress: readonly string[];
  /** The message by which the program reports that it ignores the rest of the input; its exit status may be 0. */
  readonly ignoresRest?: RegExp;
}

/** The programs, by compression, which is also the program's name. */
const PROGRAMS: Readonly<Record<ProgramCompression, CodecProgram>> = {
  xz: { debian: 'xz-utils', decompress: ['-dc'] },
  bzip2: { debian: 'bzip2', decompress: ['-dc'], ignoresRest: /trailing garbage after EOF ignored/ },
  // It reports bytes that it ignores only with -v.
  lz4: { debian: 'lz4', decompress: ['-dcv'], ignoresRest: /followed by undecodable data/ },
  zstd: { debian: 'zstd', decompress: ['-dcq'] },
};

/** Whether a program must decompress this form. */
export const needsProgram = (form: string | null): form is ProgramCompression =>
  form !== null && form in PROGRAMS && (form !== 'zstd' || zstd() === null);

/** Throws `compress-failed` if the program that decompresses `label` cannot be run, before a sort spends time. */
export function checkDecompressor(program: ProgramCompression, label: string): void {
  const { error } = spawnSync(program, ['--version'], { stdio: 'ignore', env: programEnvironment() });
  if (error !== undefined) throw cannotRun(program, label, error);
}

export const decompressOptions = (program: ProgramCompression): readonly string[] => PROGRAMS[program].decompress;

/** The environment of a program: its messages are in English. */
export const programEnvironment = (): NodeJS.ProcessEnv => ({ ...process.env, LC_ALL: 'C' });

/** Whether a program reports that it ignores the rest of its input. */
export function ignoresRest(program: ProgramCompression, messages: string): boolean {
  return PROGRAMS[program].ignoresRest?.test(messages) === true;
}

/** The problem with the input of a program that ended with status `status`; null: there is none. */
export function inputProblem(program: ProgramCompression, status: number, messages: string): string | null {
  if (status === 0) return null;
  // The names of standard input mean nothing to the user. lz4 -v also prints its version and its progress.
  const lines = messages
    .split(/[\r\n]/)
    .map((text) => text.replace(/^[a-z0-9]+: /, '').replace(/^(\(stdin\)|\/\*stdin\*\\ ?): /, ''))
    .filter((text) => /\w/.test(text) && !text.startsWith('***'));
  const line = lines.find((text) => /error/i.test(text)) ?? lines[0];
  return `${program}: ${line?.trim().replace(/[;.]$/, '') ?? `exit status ${status}`}`;
}

/** The error for a program that cannot be started for `label`, an input or the output. */
export function cannotRun(program: ProgramCompression, label: string, error: unknown): GpusortError {
  const isMissing = (error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
  const newer = program === 'zstd' ? `, or use ${ZSTD_VERSIONS}` : '';
  return new GpusortError('compress-failed', `${label}: cannot run ${program}: ${systemText(error)}`, {
    cause: error,
    hint: isMissing
      ? `Install ${program} (Debian: ${PROGRAMS[program].debian})${newer}.`
      : 'Raise the limits on processes and open files, or use another file.',
  });
}

/** The error for a program that a signal ended. */
export function programKilled(program: ProgramCompression, label: string, signal: string): GpusortError {
  return new GpusortError('compress-failed', `${label}: ${program} was ended by ${signal}`, {
    hint: 'Sort again. If the system ended it for lack of memory, use a smaller -S.',
  });
}

const compressOptions = (level: number): readonly string[] => ['-c', `-${level}`];

/** Throws if `program` cannot compress at `level`. Tested with an empty text, before a sort spends time. */
export function checkProgram(program: ProgramCompression, level: number): void {
  const { error, status, signal, stderr } = spawnSync(program, compressOptions(level), {
    input: '',
    env: programEnvironment(),
  });
  if (error !== undefined) throw cannotRun(program, 'output', error);
  if (status !== 0) throw compressFailed(program, signal ?? inputProblem(program, status!, stderr.toString())!);
}

/** The program as a compressor of blocks, each of which becomes a stream or frame of its own. */
export function openCompressor(program: ProgramCompression, width: number): BlockProgram {
  return new BlockProgram(Buffer.from(program), width, {
    cannotRun: (error) => cannotRun(program, 'output', error),
    failed: (_, what) => compressFailed(program, `${program} ${what}`),
  });
}

/** Compresses a block at a level. */
export function compressBlock(program: BlockProgram, block: Uint8Array, level: number): Promise<Buffer> {
  return program.run(block, compressOptions(level));
}

function compressFailed(program: ProgramCompression, what: string): GpusortError {
  return new GpusortError('compress-failed', `output: cannot be compressed: ${what}`, {
    hint: `Use a pipeline instead: gpusort ... | ${program} > FILE`,
  });
}
