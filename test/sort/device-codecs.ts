/** Sorts of compressed files by a GPU that inflates and compresses, compared with those by processors. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { PROGRAM } from '../../src/run/caller.js';
import { runJob } from '../../src/run/run-job.js';
import type { ByteSource } from '../../src/system/byte-source.js';
import { expectSameBytes, freshDirectory } from '../battery/runner.js';
import { unBgzf } from '../support/genomics-bam.js';
import { type Ended, parsed, runHere } from '../support/in-process.js';
import { changed, ownRecorder } from '../support/jobs.js';

/** The bytes of inputs that are pipes, by the names that they have in the arguments. */
export type Pipes = Readonly<Record<string, Uint8Array>>;

/** What the GPU says that it does besides sorting; the levels follow. */
export const INFLATES = 'the GPU inflates BGZF';
export const COMPRESSES = 'the GPU compresses the output';
export const BOTH = 'the GPU inflates BGZF and compresses the output';

export interface Sorted extends Ended {
  /** The text of the output; null: there is none. */
  readonly text: Buffer | null;
  readonly notes: readonly string[];
}

export class Codecs {
  readonly directory: string;
  private readonly output: string;

  constructor(name: string) {
    this.directory = freshDirectory(name);
    mkdirSync(join(this.directory, 'out'), { recursive: true });
    this.output = join(this.directory, 'out', 'sorted');
  }

  path(name: string): string {
    return join(this.directory, name);
  }

  /** Writes a file, and returns its path. */
  write(name: string, bytes: string | Uint8Array): string {
    writeFileSync(this.path(name), bytes);
    return this.path(name);
  }

  async sort(engine: 'cpu' | 'gpu', args: readonly string[], pipes: Pipes = {}): Promise<Sorted> {
    const notes: string[] = [];
    const note = (one: string): void => void notes.push(one);
    const words = ['--engine', engine, ...args];
    const ended = await runHere(
      () => parsed(words, 'gpusort'),
      'gpusort',
      // Not as -o, which some options do not go with.
      (job) => changed(job, { output: Buffer.from(this.output) }),
      (job) => {
        const names = job.input.files.filter((name) => name !== null && name.toString() in pipes);
        const sources = new Map(names.map((name) => [name, arriving(pipes[name!.toString()]!)]));
        return runJob(job, Object.assign(ownRecorder(), { note }), { ...PROGRAM, sources });
      },
    );
    const isThere = readdirSync(join(this.directory, 'out')).length > 0;
    const bytes = isThere ? readFileSync(this.output) : null;
    rmSync(this.output, { force: true });
    return { ...ended, notes, text: bytes === null ? null : textOf(bytes) };
  }

  /** Sorts by both engines, and expects the same. `device`: what the GPU says that it does; null: nothing. */
  async expectSame(args: readonly string[], device: string | null, pipes: Pipes = {}): Promise<Sorted> {
    const gpu = await this.expectEqual(args, pipes);
    expectDevice(gpu.notes, device);
    return gpu;
  }

  /** The same, whatever the GPU does. */
  async expectEqual(args: readonly string[], pipes: Pipes = {}): Promise<Sorted> {
    const [gpu, cpu] = [await this.sort('gpu', args, pipes), await this.sort('cpu', args, pipes)];
    expect({ status: gpu.status, messages: gpu.messages }).toEqual({ status: cpu.status, messages: cpu.messages });
    expect(gpu.text === null).toBe(cpu.text === null);
    if (gpu.text !== null) expectSameBytes(gpu.text, cpu.text!);
    return gpu;
  }
}

/** The bytes of a pipe, some at a time. */
function arriving(bytes: Uint8Array): ByteSource {
  let at = 0;
  const read = async (): Promise<Uint8Array | null> => {
    const part = Uint8Array.from(bytes.subarray(at, at + 5000));
    at += part.length;
    return part.length === 0 ? null : part;
  };
  return { read, close: () => {} };
}

/** Expects that the GPU did what it said, and did not give up. */
export function expectDevice(notes: readonly string[], device: string | null): void {
  const said = notes.filter((note) => /^the GPU (inflates|compresses)/.test(note));
  if (device === null) expect(said).toEqual([]);
  else expect(said.map((note) => note.replace(/, (as )?at level \d$/, ''))).toEqual([device]);
  expect(notes.filter((note) => /cannot inflate|continuing with/.test(note))).toEqual([]);
}

/** The text of BGZF, which must be valid, or of anything else. */
function textOf(bytes: Buffer): Buffer {
  if (bytes.length === 0 || bytes.readUInt16BE(0) !== 0x1f8b) return bytes;
  return bytes.toString('latin1', 12, 14) === 'BC' ? unBgzf(bytes) : gunzipSync(bytes);
}
