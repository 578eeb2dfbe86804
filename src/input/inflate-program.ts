/**
 * Decompresses an input by a program. The text is complete only if the program has read all bytes and ends without an
 * error; otherwise read() throws instead of returning the end.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import {
  cannotRun,
  decompressOptions,
  ignoresRest,
  inputProblem,
  type ProgramCompression,
  programEnvironment,
  programKilled,
} from '../codecs/programs.js';
import { atExit } from '../report/cleanup.js';
import type { ByteSource } from '../system/byte-source.js';
import { quiet } from '../system/promises.js';
import { damagedInput, followedInput, partialRemedy } from './damaged.js';

/**
 * The number of characters of the program's messages that are kept. They are the last ones, because lz4 also reports
 * progress.
 */
const MOST_MESSAGES = 64 << 10;

/** The text of `reader`, which it owns and which gives data compressed by `compression`. */
export function inflateByProgram(reader: ByteSource, label: string, compression: ProgramCompression): ByteSource {
  return new ProgramReader(reader, label, compression);
}

/** How a process ended. */
interface ProcessEnd {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
}

interface Running {
  readonly texts: AsyncIterator<Buffer>;
  /** Rejects if the program cannot be run. */
  readonly ended: Promise<ProcessEnd>;
  kill(): void;
}

class ProgramReader implements ByteSource {
  private readonly reader: ByteSource;
  private readonly label: string;
  private readonly compression: ProgramCompression;
  private running: Running | null = null;
  private messages = '';
  /** Whether the program got all bytes of the input. */
  private isFed = false;
  /** The error of reading the input; undefined: none. */
  private failure: unknown;
  private isClosed = false;

  constructor(reader: ByteSource, label: string, compression: ProgramCompression) {
    this.reader = reader;
    this.label = label;
    this.compression = compression;
  }

  async read(): Promise<Uint8Array | null> {
    if (this.isClosed) return null;
    const { texts, ended } = (this.running ??= this.start());
    // If the process cannot be started, its streams fail; `ended` has the reason.
    const { value } = await texts.next().catch(() => ({ value: undefined }));
    if (value !== undefined) return value;
    const end = await ended;
    if (!this.isClosed) this.check(end);
    return null;
  }

  close(): void {
    this.isClosed = true;
    this.running?.kill();
    this.reader.close();
  }

  /** Throws unless the program has decompressed the whole input. */
  private check({ status, signal }: ProcessEnd): void {
    const { label, compression } = this;
    if (this.failure !== undefined) throw this.failure;
    if (status === null) throw programKilled(compression, label, signal!);
    if (ignoresRest(compression, this.messages)) throw followedInput(label, compression);
    const problem = inputProblem(compression, status, this.messages);
    if (problem !== null) throw damagedInput(label, `: ${problem}`, partialRemedy(compression));
    if (!this.isFed) throw damagedInput(label, `: ${compression} did not read all of it`);
  }

  private start(): Running {
    const { label, compression } = this;
    let child: ChildProcessByStdio<Writable, Readable, Readable>;
    try {
      child = spawn(compression, decompressOptions(compression), {
        stdio: ['pipe', 'pipe', 'pipe'],
        env: programEnvironment(),
      });
    } catch (error) {
      throw cannotRun(compression, label, error);
    }
    const kill = (): void => void child.kill('SIGKILL');
    const forget = atExit(kill);
    const ended = new Promise<ProcessEnd>((resolve, reject) => {
      child.on('error', (error) => reject(cannotRun(compression, label, error)));
      child.on('close', (status, signal) => resolve({ status, signal }));
    }).finally(forget);
    // Handled in read().
    quiet(ended);
    child.stderr.setEncoding('latin1').on('data', (text: string) => {
      this.messages = (this.messages + text).slice(-MOST_MESSAGES);
    });
    void this.feed(child.stdin).catch((error: unknown) => {
      this.failure = error;
      kill();
    });
    return { texts: child.stdout.iterator({ destroyOnReturn: false }), ended, kill };
  }

  /** Gives the program the input. Stops if it reads no more: its end shows whether that is an error. */
  private async feed(stdin: Writable): Promise<void> {
    stdin.on('error', () => {
      /* The callback of the write gets the error as well. */
    });
    for (let bytes = await this.reader.read(); bytes !== null; bytes = await this.reader.read()) {
      const block = bytes;
      const isTaken = await new Promise<boolean>((resolve) => {
        stdin.write(block, (error) => resolve(error == null));
      });
      if (!isTaken || this.isClosed) return;
    }
    this.isFed = true;
    stdin.end();
  }
}
