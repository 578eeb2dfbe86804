/**
 * Compares the name of an input that is decompressed with its first bytes. If they disagree, the file is damaged or has
 * a wrong name, and its bytes must not be sorted as lines. An input without a name, or with any other one, may have any
 * content.
 */
import { detectCompression, isSkippable, isTooShort, type KnownCompression } from '../codecs/detect.js';
import type { CompressedForm, FileName, FormatName } from '../job/job.js';
import { COMPRESSED_SUFFIXES, suffixOf } from '../records/formats.js';
import { GpusortError } from '../system/errors.js';
import { contentsOf, damagedInput } from './damaged.js';

/** The form that the name of an input claims for its first bytes. */
export interface NamedForm {
  /** The name of the form in messages. */
  readonly title: string;
  /** `bgzf` also for gzip: BGZF is gzip, so names of one agree with both. */
  readonly compression: CompressedForm;
  readonly isBam: boolean;
}

/** The form that the suffix of a name claims; null: none. `format`: of the records, if known. */
export function namedForm(name: FileName, format: FormatName | null): NamedForm | null {
  const suffix = suffixOf(name?.toString('latin1') ?? '');
  // Options may say that a file named .bam holds another format.
  if (suffix === 'bam' && (format === null || format === 'bam'))
    return { title: 'BAM', compression: 'bgzf', isBam: true };
  const form = COMPRESSED_SUFFIXES[suffix];
  if (form === undefined) return null;
  if (form !== 'bgzf') return { title: form, compression: form, isBam: false };
  return { title: suffix === 'gz' ? 'gzip' : 'BGZF', compression: form, isBam: false };
}

/**
 * The compression of an input that begins with `head`. zstd and lz4 share one kind of frame; there, the name decides.
 */
export function knownCompression(head: Uint8Array, named: NamedForm | null): KnownCompression | null {
  return named?.compression === 'lz4' && isSkippable(head) ? 'lz4' : detectCompression(head);
}

/** Whether the compression of an input's first bytes is the one that its name claims. */
export const agrees = (found: KnownCompression | null, { compression }: NamedForm): boolean =>
  (found === 'gzip' ? 'bgzf' : found) === compression;

/** The first bytes of BAM that is not compressed. */
const BAM = Buffer.from('BAM\x01', 'latin1');

/**
 * Throws `bad-records` if the name of an input disagrees with `head`: its first bytes, as many as show the compression,
 * or all.
 */
export function refuseMisnamed(label: string, named: NamedForm | null, head: Uint8Array): void {
  if (named === null) return;
  const { title, compression, isBam } = named;
  const found = knownCompression(head, named);
  // CRAM has an error of its own, with the command that converts it.
  if (found === 'cram' || agrees(found, named)) return;
  if (isBam && (head.length === 0 || BAM.equals(head.subarray(0, BAM.length)))) return;
  if (head.length === 0)
    throw new GpusortError(
      'bad-records',
      `${label} is empty, but the name says ${title}, which has at least a header`,
      {
        hint: 'Check whether the program that wrote it failed.',
      },
    );
  if (isTooShort(head, compression))
    throw damagedInput(label, ` is cut off after byte ${head.length}, within the first bytes of ${title}`);
  const { kind, words } = contentsOf(head);
  const are = { compressed: `those of ${words}`, text: words, other: words }[kind];
  throw new GpusortError('bad-records', `${label}: the name says ${title}, but the first bytes are ${are}`, {
    hint: remedy(label, kind, isBam),
  });
}

function remedy(label: string, kind: 'compressed' | 'text' | 'other', isBam: boolean): string {
  if (kind === 'compressed') return `Rename it, or pass it by standard input: gpusort ... < ${label}`;
  if (kind === 'other')
    return `Copy the file again. If it is not compressed, pass it by standard input: gpusort ... < ${label}`;
  return isBam
    ? `Rename it if it is SAM, or pass it by standard input: gpusort --format sam ... < ${label}`
    : `Rename it if it is not compressed, or pass it by standard input: gpusort ... < ${label}`;
}
