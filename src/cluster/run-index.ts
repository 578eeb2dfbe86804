/**
 * The index of a stored run, a file beside it: a header, a sample of the run's checkpoints (src/verify/survey.ts), all
 * checkpoints, and the checksums of the run's blocks. A checkpoint carries the digest of all records before it, so a
 * task that cuts the run knows the digest of the records before the cut. The index file exists only if the run is
 * complete.
 */

import type { SampledRecord } from '../contract/engine.js';
import type { Ordering } from '../job/ordering.js';
import { isCollated } from '../keys/collation/collation.js';
import { addDigests, type Digest, NO_RECORDS } from '../report/digest.js';
import { displayName } from '../report/names.js';
import { narrow, type RunPart } from '../runs/run-index.js';
import { firstIndex } from '../system/binary-search.js';
import { GpusortError } from '../system/errors.js';
import { crc32 } from '../system/zlib.js';
import type { Checkpoint, FileSurvey } from '../verify/survey.js';
import { readPart, writeWhole } from './directory.js';
import type { OpenFiles } from './open-files.js';

/** The maximum number of checkpoints in the sample. */
export const SAMPLES = 1024;
/** Bytes of the header: JSON and a checksum, padded. */
export const INDEX_HEADER_BYTES = 1024;
/** Bytes of an entry without its head. */
export const FIXED_BYTES = 48;
const VERSION = 2;

/** The contents of the header. */
export interface IndexHeader {
  readonly version: number;
  /** The size of the run's text. */
  readonly bytes: number;
  readonly checkpoints: number;
  /** Every `step`-th checkpoint is in the sample, from checkpoint `first` on. */
  readonly step: number;
  readonly first: number;
  readonly headBytes: number;
  /** The length of the longest record that begins at a checkpoint. Every long record begins at one. */
  readonly longest: number;
  /** The digest of the run's records as output, and of the records that were read for them. */
  readonly records: number;
  readonly textBytes: number;
  readonly hash: string;
  readonly input: { readonly records: number; readonly bytes: number; readonly hash: string };
  /** Bits for the parts of keys that the records have (src/keys/presence.ts). */
  readonly presence: string;
}

/** An entry: a checkpoint, and the digest of the records before it. */
export interface IndexedCheckpoint extends SampledRecord {
  readonly before: Digest;
}

export const digestOf = ({ records, textBytes, hash }: IndexHeader): Digest => ({
  records,
  bytes: textBytes,
  hash: BigInt(`0x${hash}`),
});
export const plainDigest = ({ records, bytes, hash }: Digest): IndexHeader['input'] => ({
  records,
  bytes,
  hash: hash.toString(16),
});
export const digestFrom = ({ records, bytes, hash }: IndexHeader['input']): Digest => ({
  records,
  bytes,
  hash: BigInt(`0x${hash}`),
});

const sampleCount = ({ checkpoints, step, first }: Pick<IndexHeader, 'checkpoints' | 'step' | 'first'>): number =>
  Math.ceil((checkpoints - first) / step);

/**
 * Fractions that are spread evenly over shares. If all shares were sampled at the same quantiles, samples would cluster
 * there: with 1,000 shares and ranges the largest range had 3.9 times the mean, and 1.2 times with both spreads.
 */
const SAMPLE_SPREAD = 0.7549;
const CHOICE_SPREAD = 0.618;
export const spread = (share: number, by = SAMPLE_SPREAD): number => (share * by) % 1;

/** Writes the index of a run of `bytes` bytes. `surveys`: one for each SURVEY_BYTES of it. */
export async function writeIndex(
  name: Buffer,
  surveys: readonly FileSurvey[],
  bytes: number,
  {
    headBytes,
    input,
    presence,
    share,
  }: { readonly headBytes: number; readonly input: Digest; readonly presence: string; readonly share: number },
): Promise<Digest> {
  const checkpoints: Checkpoint[] = surveys.flatMap((survey) => survey.checkpoints);
  const entries = Buffer.alloc(checkpoints.length * (FIXED_BYTES + headBytes));
  let before = NO_RECORDS;
  let longest = 0;
  for (const [i, checkpoint] of checkpoints.entries()) {
    putEntry(entries.subarray(i * (FIXED_BYTES + headBytes), (i + 1) * (FIXED_BYTES + headBytes)), checkpoint, before);
    before = addDigests(before, checkpoint.digest);
    longest = Math.max(longest, checkpoint.bytes);
  }
  const step = Math.max(1, Math.ceil(checkpoints.length / SAMPLES));
  const first = Math.floor(spread(share) * Math.min(step, checkpoints.length));
  const sampled = (i: number): number => (first + i * step) * (FIXED_BYTES + headBytes);
  const sample = Buffer.concat(
    Array.from({ length: sampleCount({ checkpoints: checkpoints.length, step, first }) }, (_, i) =>
      entries.subarray(sampled(i), sampled(i) + FIXED_BYTES + headBytes),
    ),
  );
  const header: IndexHeader = {
    version: VERSION,
    bytes,
    checkpoints: checkpoints.length,
    step,
    first,
    headBytes,
    longest,
    records: before.records,
    textBytes: before.bytes,
    hash: before.hash.toString(16),
    input: plainDigest(input),
    presence,
  };
  const checksums = surveys.map((survey) => bytesOf(survey.checksums));
  await writeWhole(name, [headerBytes(header), sample, entries, ...checksums]);
  return before;
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

function headerBytes(header: IndexHeader): Buffer {
  const json = JSON.stringify(header);
  const padded = Buffer.alloc(INDEX_HEADER_BYTES, ' ');
  padded.write(`${crc32(Buffer.from(json)).toString(16).padStart(8, '0')} ${json}`, 'latin1');
  padded[INDEX_HEADER_BYTES - 1] = 10;
  return padded;
}

function putEntry(entry: Buffer, { begin, bytes, head }: Checkpoint, before: Digest): void {
  entry.writeDoubleLE(begin, 8);
  entry.writeDoubleLE(bytes, 16);
  entry.writeDoubleLE(before.records, 24);
  entry.writeDoubleLE(before.bytes, 32);
  entry.writeBigUInt64LE(before.hash, 40);
  entry.writeUInt32LE(head.length, 4);
  entry.set(head, FIXED_BYTES);
  entry.writeUInt32LE(crc32(entry.subarray(4)), 0);
}

/** The index of a run, read in parts. */
export class RunIndexFile {
  readonly header: IndexHeader;
  private readonly files: OpenFiles;
  private readonly name: Buffer;
  /** The sample while the run is cut. */
  private held: Promise<IndexedCheckpoints> | null = null;

  private constructor(header: IndexHeader, files: OpenFiles, name: Buffer) {
    this.header = header;
    this.files = files;
    this.name = name;
  }

  /** Throws `read-failed` if the file is damaged. */
  static async open(name: Buffer, files: OpenFiles): Promise<RunIndexFile> {
    const bytes = Buffer.alloc(INDEX_HEADER_BYTES);
    await files.with(name, (fd) => readPart(fd, bytes, 0, displayName(name)));
    const json = bytes.subarray(9).toString('latin1').trimEnd();
    if (bytes.toString('latin1', 0, 8) !== crc32(Buffer.from(json)).toString(16).padStart(8, '0')) throw damaged(name);
    const header = JSON.parse(json) as IndexHeader;
    return new RunIndexFile(header, files, name);
  }

  /** About every `every`-th checkpoint of the sample of share `share`. */
  async choice(share: number, every: number): Promise<IndexedCheckpoint[]> {
    const all = await this.readSample();
    const chosen: IndexedCheckpoint[] = [];
    for (let i = Math.floor(spread(share, CHOICE_SPREAD) * Math.min(every, all.length)); i < all.length; i += every) {
      const checkpoint = all.at(i);
      // A view would keep the whole sample.
      chosen.push({ ...checkpoint, head: new Uint8Array(checkpoint.head) });
    }
    return chosen;
  }

  /** Checkpoints [from, to). */
  checkpoints(from: number, to: number): Promise<IndexedCheckpoints> {
    const entryBytes = FIXED_BYTES + this.header.headBytes;
    return this.entries(INDEX_HEADER_BYTES + (sampleCount(this.header) + from) * entryBytes, to - from);
  }

  /** The part of the run where `record` would lie, as precisely as the index shows. */
  async narrow(ordering: Ordering, record: Uint8Array): Promise<RunPart> {
    const all: RunPart = { low: 0, high: this.header.bytes };
    if (isCollated(ordering)) return all;
    let part = narrow(await this.sample(), ordering, all, record);
    // Usually both ends are before the same sample.
    const numbers = new Set([await this.sampleAfter(part.low), await this.sampleAfter(part.high - 1)]);
    for (const number of numbers) part = narrow(await this.checkpointsBefore(number), ordering, part, record);
    return part;
  }

  /** The last checkpoint at or before `byte`. */
  async checkpointBefore(byte: number): Promise<IndexedCheckpoint> {
    const checkpoints = await this.checkpointsBefore(await this.sampleAfter(byte));
    return checkpoints.at(checkpoints.first(({ at }) => at.byte > byte) - 1);
  }

  /** Frees the sample. */
  forget(): void {
    this.held = null;
  }

  /** The checksums of `count` blocks of the run from block `first` on. */
  async checksums(first: number, count: number): Promise<Uint32Array> {
    const entryBytes = FIXED_BYTES + this.header.headBytes;
    const checksums = new Uint32Array(count);
    const at = INDEX_HEADER_BYTES + (sampleCount(this.header) + this.header.checkpoints) * entryBytes + 4 * first;
    await this.read(new Uint8Array(checksums.buffer), at);
    return checksums;
  }

  /** The number of the first sample after `byte`. */
  private async sampleAfter(byte: number): Promise<number> {
    return (await this.sample()).first(({ at }) => at.byte > byte);
  }

  /** The checkpoints from sample `number - 1`, or the first checkpoint, to before sample `number`. */
  private checkpointsBefore(number: number): Promise<IndexedCheckpoints> {
    const { step, first, checkpoints } = this.header;
    return this.checkpoints(
      number === 0 ? 0 : first + (number - 1) * step,
      Math.min(first + number * step, checkpoints),
    );
  }

  private sample(): Promise<IndexedCheckpoints> {
    return (this.held ??= this.readSample());
  }

  private readSample(): Promise<IndexedCheckpoints> {
    return this.entries(INDEX_HEADER_BYTES, sampleCount(this.header));
  }

  private read(target: Uint8Array, at: number): Promise<void> {
    return this.files.with(this.name, (fd) => readPart(fd, target, at, displayName(this.name)));
  }

  private async entries(at: number, count: number): Promise<IndexedCheckpoints> {
    const entryBytes = FIXED_BYTES + this.header.headBytes;
    const bytes = Buffer.allocUnsafeSlow(count * entryBytes);
    await this.read(bytes, at);
    return new IndexedCheckpoints(bytes, entryBytes, this.name);
  }
}

/** Entries of an index, decoded when they are looked at: thousands of indexes are open at once. */
class IndexedCheckpoints {
  readonly length: number;
  private readonly bytes: Buffer;
  private readonly entryBytes: number;
  private readonly name: Buffer;

  constructor(bytes: Buffer, entryBytes: number, name: Buffer) {
    this.bytes = bytes;
    this.entryBytes = entryBytes;
    this.length = bytes.length / entryBytes;
    this.name = name;
  }

  /** Entry `i`; its head is a view. Throws `read-failed` if it is damaged. */
  at(i: number): IndexedCheckpoint {
    const entry = this.bytes.subarray(i * this.entryBytes, (i + 1) * this.entryBytes);
    if (crc32(entry.subarray(4)) !== entry.readUInt32LE(0)) throw damaged(this.name);
    const begin = entry.readDoubleLE(8);
    return {
      at: { byte: begin },
      bytes: entry.readDoubleLE(16),
      head: entry.subarray(FIXED_BYTES, FIXED_BYTES + entry.readUInt32LE(4)),
      before: { records: entry.readDoubleLE(24), bytes: entry.readDoubleLE(32), hash: entry.readBigUInt64LE(40) },
    };
  }

  /** The index of the first entry for which `holds` is true, which then holds for all later ones. */
  first(holds: (checkpoint: IndexedCheckpoint) => boolean): number {
    return firstIndex(0, this.length, (i) => holds(this.at(i)));
  }
}

function damaged(name: Buffer): GpusortError {
  return new GpusortError('read-failed', `${displayName(name)} is damaged`);
}
