/**
 * Runs a program on blocks: it reads a block from standard input and writes the result to standard output. Each block
 * has a process of its own, without a shell; several run at once. It does not know what the program does.
 */

import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { atExit } from '../report/cleanup.js';
import type { GpusortError } from '../system/errors.js';
import { Turns } from '../system/promises.js';

/** The errors of a program, worded by the code that uses it. */
interface ProgramErrors {
  cannotRun(error: unknown): GpusortError;
  failed(options: readonly string[], what: string): GpusortError;
}

export class BlockProgram {
  private readonly program: Buffer;
  private readonly errors: ProgramErrors;
  private readonly turns: Turns;
  private readonly running = new Set<ChildProcess>();
  private closed = false;
  private readonly forget: () => void;

  /** `width`: the maximum number of processes at once. */
  constructor(program: Buffer, width: number, errors: ProgramErrors) {
    this.program = program;
    this.errors = errors;
    this.turns = new Turns(width);
    this.forget = atExit(() => this.end());
  }

  /**
   * Runs the program with `options` on `block` and returns its output. Throws if the program cannot be run or fails.
   */
  run(block: Uint8Array, options: readonly string[]): Promise<Buffer> {
    return this.turns.run(() => this.filter(block, options));
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
        reject(this.errors.cannotRun(error));
      });
      child.on('close', (status, signal) => {
        this.running.delete(child);
        if (status === 0) resolve(Buffer.concat(output));
        else reject(this.errors.failed(options, `terminated abnormally: ${signal ?? `exit status ${status}`}`));
      });
      child.stdin.end(input);
    });
  }

  private start(options: readonly string[]): ChildProcessByStdio<Writable, Readable, null> {
    if (this.closed) throw this.errors.failed(options, 'was not run: the sort has ended');
    try {
      if (this.program.length === 0) throw Object.assign(new Error('no name'), { code: 'ENOENT' });
      const child = spawn(this.program.toString(), options, { stdio: ['pipe', 'pipe', 'inherit'] });
      this.running.add(child);
      return child;
    } catch (error) {
      throw this.errors.cannotRun(error);
    }
  }
}
