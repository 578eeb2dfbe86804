/** Sorts on one machine and distributed, in this process, and compares the outputs. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { expectSameBytes, freshDirectory } from '../battery/runner.js';
import { piped } from '../support/codecs.js';
import { unBgzf } from '../support/genomics-bam.js';
import { type Ended, parsed, runHere } from '../support/in-process.js';
import { changed } from '../support/jobs.js';
import { distributed, type Tasks } from './in-process.js';

/** The names of files and their contents. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

export interface Sorted extends Ended {
  /** The file of -o, or the parts and the manifest. */
  readonly output: Buffer;
  readonly parts: readonly Buffer[];
  readonly manifest: Manifest | null;
}

interface Manifest {
  readonly parts: readonly { readonly file: string; readonly bytes: number; readonly records: number }[];
  readonly bytes: number;
  readonly records: number;
}

/** The end of a file of BGZF: an empty block. */
const BGZF_END = Buffer.from('1f8b08040000000000ff0600424302001b0003000000000000000000', 'hex');

/** Sorts `files` in a directory of their own. `tasks`: null: on one machine. */
export async function sorted(words: readonly string[], files: Files, tasks: Tasks | null): Promise<Sorted> {
  const cwd = freshDirectory('cluster');
  const spill = freshDirectory('spill');
  for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content, 'latin1');
  const home = process.cwd();
  process.chdir(cwd);
  try {
    const ended = await runHere(
      () => parsed([...(words.includes('--engine') ? [] : ['--engine', 'cpu']), '-T', spill, ...words], 'gpusort'),
      'gpusort',
      (job) => changed(job, { output: job.output.file ?? Buffer.from('out') }),
      tasks === null ? undefined : distributed({ merges: true, ...tasks }),
    );
    const made = readdirSync(cwd).filter((name) => !(name in files));
    if (ended.status !== 0) return { ...ended, output: Buffer.alloc(0), parts: [], manifest: null };
    // Nothing else is left.
    expect(made).toHaveLength(1);
    expect(readdirSync(spill)).toEqual([]);
    if (tasks?.parts !== true) return { ...ended, output: readFileSync(made[0]), parts: [], manifest: null };
    const manifest = JSON.parse(readFileSync(join(made[0], 'manifest.json'), 'latin1')) as Manifest;
    const parts = manifest.parts.map(({ file }) => readFileSync(join(made[0], file)));
    expect(readdirSync(made[0])).toHaveLength(parts.length + 1);
    return { ...ended, output: Buffer.concat(parts), parts, manifest };
  } finally {
    process.chdir(home);
  }
}

/** Compares the output of a distributed sort with that of one machine, after decompression. */
export async function expectSame(words: readonly string[], files: Files, tasks: Tasks): Promise<Sorted> {
  const one = await sorted(words, files, null);
  expect(one).toMatchObject({ status: 0, messages: '' });
  const many = await sorted(words, files, tasks);
  expect({ status: many.status, messages: many.messages }).toEqual({ status: 0, messages: '' });
  expectSameBytes(plain(many.output), plain(one.output));
  const isBgzf = one.output.subarray(-BGZF_END.length).equals(BGZF_END);
  if (isBgzf && tasks.parts !== true) expect(countOf(many.output, BGZF_END)).toBe(1);
  if (many.manifest !== null) expectManifest(many, many.manifest);
  return many;
}

function expectManifest({ parts }: Sorted, manifest: Manifest): void {
  expect(manifest.parts.map(({ bytes }) => bytes)).toEqual(parts.map(({ length }) => length));
  expect(manifest.bytes).toBe(parts.reduce((sum, { length }) => sum + length, 0));
  expect(manifest.records).toBe(manifest.parts.reduce((sum, { records }) => sum + records, 0));
}

const XZ_MAGIC = Buffer.from('fd377a585a00', 'hex');

/** The content of a file that may be compressed. */
export function plain(bytes: Buffer): Buffer {
  if (bytes.length >= 4 && bytes.readUInt32LE(0) === 0xfd2fb528) return piped('zstd', ['-dc'], bytes);
  if (bytes.subarray(0, 6).equals(XZ_MAGIC)) return piped('xz', ['-dc'], bytes);
  if (bytes.length < 2 || bytes.readUInt16BE(0) !== 0x1f8b) return bytes;
  return bytes.subarray(-BGZF_END.length).equals(BGZF_END) ? unBgzf(bytes) : gunzipSync(bytes);
}

const countOf = (bytes: Buffer, part: Buffer): number => {
  let count = 0;
  for (let at = bytes.indexOf(part); at >= 0; at = bytes.indexOf(part, at + 1)) count++;
  return count;
};
