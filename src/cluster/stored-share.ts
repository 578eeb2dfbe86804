/**
 * A share's stored run, as tasks read it: sampled, cut at a splitter, and read with its checksums compared. A cut has
 * the digest of all records before it, so a task knows where it will write, and the digest of the result.
 */

import type { Bounds, Position, Slice } from '../contract/engine.js';
import { delimiterOf, type Ordering } from '../job/ordering.js';
import { isKeyed, KEY_HEADER_BYTES, keyLength } from '../keys/keyed.js';
import { delimiterBytes, recordFinder } from '../records/record-finder.js';
import { addDigests, type Digest, NO_RECORDS } from '../report/digest.js';
import { displayName } from '../report/names.js';
import type { Blob } from '../runs/blob.js';
import { CheckedBlob } from '../runs/checked-blob.js';
import type { LargeRecord } from '../runs/large.js';
import type { Splitter } from '../runs/splitters.js';
import { BlobRun, emitStored } from '../runs/stored-run.js';
import { GpusortError } from '../system/errors.js';
import { BLOCK_BYTES, CHECKPOINT_BYTES, Surveyor, surveyRole } from '../verify/survey.js';
import { type JobDirectory, readPart, taskName } from './directory.js';
import type { OpenFiles } from './open-files.js';
import { digestOf, type IndexedCheckpoint, type IndexHeader, RunIndexFile } from './run-index.js';
import { type Cut, type Cuttable, placeIn } from './splitters.js';

/** Checksums read at a time. */
const CHECKSUMS = 1024;

/** A record that is not held in memory: the offset of its first byte, and its length without its delimiter. */
interface StoredLongRecord {
  readonly byte: number;
  readonly bytes: number;
}

/** The error for a run that must be made again. */
export class DamagedShare extends GpusortError {
  readonly share: number;

  constructor(share: number, sentence: string, cause?: unknown) {
    super('read-failed', sentence, { cause });
    this.share = share;
  }
}

export class StoredShare implements Cuttable {
  readonly number: number;
  readonly header: IndexHeader;
  readonly run: BlobRun;
  /** The same without comparing checksums. */
  private readonly unchecked: BlobRun;
  private readonly ordering: Ordering;
  private readonly index: RunIndexFile;
  private readonly surveyor: () => Surveyor;
  private readonly blob: CheckedBlob;

  private constructor(
    number: number,
    ordering: Ordering,
    index: RunIndexFile,
    { checked, plain }: { readonly checked: CheckedBlob; readonly plain: Blob },
    surveyor: () => Surveyor,
  ) {
    this.number = number;
    this.ordering = ordering;
    this.index = index;
    this.header = index.header;
    this.blob = checked;
    this.surveyor = surveyor;
    this.run = new BlobRun(checked, ordering);
    this.unchecked = new BlobRun(plain, ordering);
  }

  /** Opens the run of share `number`. Throws DamagedShare. */
  static async open(
    directory: JobDirectory,
    number: number,
    ordering: Ordering,
    files: OpenFiles,
    surveyor: () => Surveyor,
  ): Promise<StoredShare> {
    const index = await RunIndexFile.open(directory.index(number), files).catch((error: unknown) => {
      throw asDamaged(number, error);
    });
    const name = directory.run(number);
    const pages = new Map<number, Promise<Uint32Array>>();
    const blocks = Math.ceil(index.header.bytes / BLOCK_BYTES);
    const page = (first: number): Promise<Uint32Array> => {
      const known = pages.get(first) ?? index.checksums(first, Math.min(CHECKSUMS, blocks - first));
      pages.set(first, known);
      return known;
    };
    const read = (byte: number, target: Uint8Array): Promise<void> =>
      files
        .with(name, (fd) => readPart(fd, target, byte, displayName(name)))
        .catch((error: unknown) => {
          throw asDamaged(number, error);
        });
    const blob = new CheckedBlob(index.header.bytes, BLOCK_BYTES, {
      readAt: read,
      checksums: async (first, count) => {
        const checksums = new Uint32Array(count);
        for (let at = first; at < first + count; ) {
          const begin = Math.floor(at / CHECKSUMS) * CHECKSUMS;
          const part = (await page(begin)).subarray(at - begin, first + count - begin);
          checksums.set(part, at - first);
          at += part.length;
        }
        return checksums;
      },
      damaged: (byte) =>
        new DamagedShare(number, `${displayName(name)} is damaged: the block at byte ${byte} has changed`),
      release: () => {},
    });
    const plain: Blob = { bytes: index.header.bytes, blockBytes: BLOCK_BYTES, readAt: read, release: () => {} };
    return new StoredShare(number, ordering, index, { checked: blob, plain }, surveyor);
  }

  /** The digest of the run's records as output. */
  get digest(): Digest {
    return digestOf(this.header);
  }

  async samples(most: number): Promise<IndexedCheckpoint[]> {
    const { checkpoints, step } = this.header;
    if (checkpoints === 0) return [];
    return this.whole(this.index.choice(this.number, Math.max(1, Math.ceil(checkpoints / step / most))));
  }

  record(at: Position): Promise<Uint8Array> {
    return this.run.record(at);
  }

  endCuts(): void {
    this.index.forget();
    this.blob.forget();
  }

  get begin(): Cut {
    return { byte: 0, before: NO_RECORDS };
  }
  get end(): Cut {
    return { byte: this.header.bytes, before: this.digest };
  }

  async boundsOf(record: Uint8Array): Promise<Bounds> {
    const { low, high } = await this.index.narrow(this.ordering, record);
    const [bounds] = await this.run.cut({ byte: low }, { byte: high }, [record]);
    return bounds;
  }

  cut(splitter: Splitter, whole: boolean): Promise<Cut> {
    return this.whole(this.findCut(splitter, whole));
  }

  private async findCut(splitter: Splitter, whole: boolean): Promise<Cut> {
    if (this.header.bytes === 0) return this.begin;
    return this.cutAt((await placeIn(this, splitter, { whole })).byte);
  }

  /**
   * The slices of the run between two cuts, and the records of more than `most` bytes between these slices. A slice
   * may be empty. `slicesBefore`: the number of slices before them. `checked`: reading them compares checksums.
   */
  async slices(
    from: number,
    to: number,
    {
      most,
      slicesBefore,
      checked,
    }: { readonly most: number; readonly slicesBefore: number; readonly checked: boolean },
  ): Promise<{ readonly slices: readonly Slice[]; readonly large: readonly LargeRecord[] }> {
    const run = checked ? this.run : this.unchecked;
    const slices: Slice[] = [];
    const large: LargeRecord[] = [];
    let begin = from;
    for (const record of await this.whole(this.longRecords(from, to, most))) {
      slices.push({ run, from: { byte: begin }, to: { byte: record.byte } });
      large.push(await this.largeRecord(record, slicesBefore + slices.length));
      begin = record.byte + record.bytes + delimiterBytes(recordFinder(this.ordering.format));
    }
    slices.push({ run, from: { byte: begin }, to: { byte: to } });
    return { slices, large };
  }

  /** The records of more than `most` bytes between two cuts. There are none unless memory is tiny or a line is huge. */
  private async longRecords(from: number, to: number, most: number): Promise<StoredLongRecord[]> {
    if (most < CHECKPOINT_BYTES) return this.scan(from, to, most);
    if (this.header.longest <= most) return [];
    const checkpoints = await this.index.checkpoints(0, this.header.checkpoints);
    const found: StoredLongRecord[] = [];
    for (let i = checkpoints.first(({ at: { byte } }) => byte >= from); i < checkpoints.length; i++) {
      const {
        at: { byte },
        bytes,
      } = checkpoints.at(i);
      if (byte >= to) break;
      if (bytes > most) found.push({ byte, bytes });
    }
    return found;
  }

  /** The same, by reading the whole part. */
  private async scan(from: number, to: number, most: number): Promise<StoredLongRecord[]> {
    const { format } = this.ordering;
    if (format.kind === 'fixed') return [];
    const found: StoredLongRecord[] = [];
    let begin = from;
    let at = from;
    await emitStored(this.blob, from, to, async (text) => {
      for (let end = text.indexOf(delimiterOf(format)); end >= 0; end = text.indexOf(delimiterOf(format), end + 1)) {
        const bytes = at + end - begin;
        if (bytes > most) found.push({ byte: begin, bytes });
        begin += bytes + 1;
      }
      at += text.length;
    });
    return found;
  }

  private async largeRecord({ byte, bytes }: StoredLongRecord, place: number): Promise<LargeRecord> {
    const { ordering, blob } = this;
    const keyed = isKeyed(ordering);
    const header = Buffer.alloc(KEY_HEADER_BYTES);
    if (keyed) await blob.readAt(byte, header);
    return {
      bytes,
      ...(keyed && { keyBytes: KEY_HEADER_BYTES + keyLength(ordering, header) }),
      ...(keyed && !ordering.lastResort && { place }),
      readAt: (from, target) => blob.readAt(byte + from, target),
    };
  }

  /** The cut before the record at `byte`, which begins one. */
  private async cutAt(byte: number): Promise<Cut> {
    if (byte === 0) return this.begin;
    if (byte === this.header.bytes) return this.end;
    const checkpoint = await this.index.checkpointBefore(byte);
    if (checkpoint.at.byte === byte) return { byte, before: checkpoint.before };
    const text = Buffer.allocUnsafe(byte - checkpoint.at.byte);
    await this.blob.readAt(checkpoint.at.byte, text);
    return { byte, before: addDigests(checkpoint.before, this.surveyor().digest(text)) };
  }

  /** Awaits a read of the index or the run. Throws DamagedShare if the file is damaged. */
  private async whole<T>(read: Promise<T>): Promise<T> {
    try {
      return await read;
    } catch (error) {
      throw asDamaged(this.number, error);
    }
  }
}

function asDamaged(share: number, error: unknown): unknown {
  const { code, message, cause } = error as GpusortError;
  // Other failures of the system are caused by this node, not by the run.
  const isOfFile = cause === undefined || (cause as NodeJS.ErrnoException).code === 'ENOENT';
  return code === 'read-failed' && isOfFile && !(error instanceof DamagedShare)
    ? new DamagedShare(share, `the run of ${taskName('share', share)} cannot be read: ${message}`, error)
    : error;
}

/** Returns a function that creates one surveyor when it is first needed, because creating its memory takes long. */
export function lazySurveyor(ordering: Ordering, form: 'run' | 'plain'): () => Surveyor {
  let surveyor: Surveyor | undefined;
  return () => (surveyor ??= new Surveyor(surveyRole(ordering, form)));
}
