/**
 * Runs the program of --compress-program on blocks. `PROG` compresses its standard input, `PROG -d` decompresses it.
 * Each block has a process of its own, without a shell; several run at once. It does not know where blocks are kept.
 */
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { atExit } from '../report/cleanup.js';
import { quoteName } from '../report/names.js';
import { GpusortError, systemText } from '../system/errors.js';
import { Turns } from '../system/promises.js';

const HINT = 'Name a program that compresses, and decompresses with -d, or omit --compress-program.';

export class BlockProgram {
  /** Maximum number of processes at once. */
  readonly width: number;
  private readonly program: Buffer;
  private readonly turns: Turns;
  private readonly running = new Set<ChildProcess>();
  private closed = false;
  private readonly forget: () => void;

  constructor(program: Buffer, width: number) {
    this.program = program;
    this.width = width;
    this.turns = new Turns(width);
    this.forget = atExit(() => this.end());
  }

  /** Compresses `text`. Throws `compress-failed` if the program cannot be run or fails. */
  compress(text: Uint8Array): Promise<Buffer> {
    return this.turns.run(() => this.filter(text, []));
  }

  /** Decompresses a block, which must give `bytes` bytes of text. Throws `compress-failed` otherwise. */
  async decompress(block: Uint8Array, bytes: number): Promise<Buffer> {
    const text = await this.turns.run(() => this.filter(block, ['-d']));
    if (text.length !== bytes) throw this.failure(['-d'], `gave ${text.length} bytes for a block of ${bytes}`);
    return text;
  }

  /** Kills the running processes. No more can be started. */
  close(): void {
    this.forget();
    this.end();
  }

  private end(): void {
    this.closed = true;
    for (const child of this.running) child.kill('SIGKILL');
  }

  private async filter(input: Uint8Array, options: readonly string[]): Promise<Buffer> {
    const child = this.start(options);
    return new Promise((resolve, reject) => {
      const output: Buffer[] = [];
      child.stdout.on('data', (part: Buffer) => {
        output.push(part);
      });
      child.stdin.on('error', () => {
        /* The program did not read all of its input. Its exit status and its output show whether that is an error. */
      });
      child.on('error', (error) => {
        reject(this.cannotRun(error));
      });
      child.on('close', (status, signal) => {
        this.running.delete(child);
        if (status === 0) resolve(Buffer.concat(output));
        else reject(this.failure(options, `terminated abnormally: ${signal ?? `exit status ${status}`}`));
      });
      child.stdin.end(input);
    });
  }

  private start(options: readonly string[]): ChildProcessByStdio<Writable, Readable, null> {
    if (this.closed) throw this.failure(options, 'was not run: the sort has ended');
    try {
      if (this.program.length === 0) throw Object.assign(new Error('no name'), { code: 'ENOENT' });
      const child = spawn(this.program.toString(), options, { stdio: ['pipe', 'pipe', 'inherit'] });
      this.running.add(child);
      return child;
    } catch (error) {
      throw this.cannotRun(error);
    }
  }

  private cannotRun(error: unknown): GpusortError {
    return new GpusortError(
      'compress-failed',
      `couldn't execute compress program ${quoteName(this.program)}: ${systemText(error)}`,
      { cause: error, hint: HINT },
    );
  }

  private failure(options: readonly string[], what: string): GpusortError {
    return new GpusortError(
      'compress-failed',
      `${[quoteName(this.program), ...options.map((option) => `[${option}]`)].join(' ')} ${what}`,
      { hint: HINT },
    );
  }
}
