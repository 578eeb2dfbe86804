/**
 * Damaged files of each genomics format and compression: the program refuses them with one message and at most
 * one hint, or loses no record. It leaves no temporary file, and a refused sort leaves the output file as it was.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync, gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sortOn } from '../battery/here.js';
import { freshDirectory } from '../battery/runner.js';
import { BGZF_END, bgzf, crc32, encodeBam, unBgzf } from '../support/genomics-bam.js';
import {
  alignments,
  bed,
  fasta,
  fastq,
  GFF_HEADER,
  genes,
  reads,
  SAM_HEADER,
  sam,
  VCF_HEADER,
  variants,
} from '../support/genomics-data.js';
import { property } from '../support/property.js';

/** One message that names the file or the record, and at most one hint. */
const REFUSAL = /^gpusort: in\b.+\n(.+\n)?$/;

const sort = sortOn('cpu');

interface Kind {
  readonly name: string;
  readonly options: readonly string[];
  readonly file: Buffer;
  /** The decompressed contents of the file; throws if the compression is damaged. */
  readonly text: (file: Buffer) => Buffer;
  /** The records of such a text, in any order, for comparison with those of the output. */
  readonly records: (text: Buffer) => string[];
}

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
const body = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
const plain = (file: Buffer): Buffer => file;
/** All lines but those of headers, which a sort may change. */
const lines = (text: Buffer): string[] =>
  text
    .toString('latin1')
    .split('\n')
    .filter((line) => line.replace(/\r$/, '') !== '' && !/^(@(HD|SQ|RG|PG|CO)\t|#)/.test(line))
    .sort();
const bamRecords = (text: Buffer): string[] => {
  let at = 12 + text.readInt32LE(4);
  for (let contigs = text.readInt32LE(at - 4); contigs > 0; contigs--) at += 8 + text.readInt32LE(at);
  const found: string[] = [];
  for (; at < text.length; at += 4 + text.readInt32LE(at))
    found.push(text.toString('latin1', at, at + 4 + text.readInt32LE(at)));
  return found.sort();
};

const FASTQ = bytes(fastq(reads(201, 40)));
const BAM = encodeBam(sam(alignments(202, 40)));
const kind = (
  name: string,
  by: string,
  file: Buffer,
  { text = plain, records = lines }: Partial<Pick<Kind, 'text' | 'records'>> = {},
): Kind => ({ name, options: ['--format', name.split(' ')[0].toLowerCase(), '--by', by], file, text, records });
const KINDS: readonly Kind[] = [
  kind('FASTQ', 'natural', FASTQ),
  kind('FASTA', 'seq', bytes(fasta(reads(203, 40), 30))),
  kind('SAM', 'coordinate', bytes(sam(alignments(204, 40)))),
  kind('BAM', 'queryname', BAM, { records: bamRecords }),
  kind('BAM by tag', 'tag:XM', BAM, { records: bamRecords }),
  kind('BAM in BGZF', 'coordinate', bgzf(BAM, 1, 1500), { text: gunzipSync, records: bamRecords }),
  kind('FASTQ in BGZF', 'seq', bgzf(FASTQ, 1, 1500), { text: gunzipSync }),
  kind('FASTQ in gzip', 'seq', Buffer.concat([gzipSync(FASTQ.subarray(0, 3000)), gzipSync(FASTQ.subarray(3000))]), {
    text: gunzipSync,
  }),
  kind('BED', 'position', bytes(body(bed(205, 60, 6)))),
  kind('VCF', 'position', bytes(VCF_HEADER + body(variants(206, 60)))),
  kind('GFF', 'position', bytes(GFF_HEADER + body(genes(207, 60)))),
];

/** Bytes with a meaning to readers. */
const TELLING = [0, 10, 13, 9, 0x1f, 0x8b, 0x40, 0x2b, 0x3e, 0x23, 0x2a, 0xff, 0x7f, 0x80];
const NUMBERS = [0, 1, 31, 32, 0x7fffffff, -1, -0x80000000, 1 << 29];

/** One kind of damage: a cut; a piece left out, repeated or copied from elsewhere; changed bytes; a wrong length. */
const damages = fc.record({
  how: fc.constantFrom('cut', 'left out', 'repeated', 'moved', 'changed', 'bit flipped', 'number'),
  /** Places are taken modulo the length of the file. */
  at: fc.nat(0xffff),
  from: fc.nat(0xffff),
  length: fc.integer({ min: 0, max: 11 }).chain((bits) => fc.integer({ min: 1, max: 1 << bits })),
  byte: fc.oneof(fc.nat(255), fc.constantFrom(...TELLING)),
  number: fc.constantFrom(...NUMBERS),
});
type Damage = typeof damages extends fc.Arbitrary<infer T> ? T : never;

function damaged(file: Buffer, { how, at: place, from, length, byte, number }: Damage): Buffer {
  if (file.length < 4) return file;
  const at = place % file.length;
  const end = Math.min(file.length, at + length);
  const copy = Buffer.from(file);
  switch (how) {
    case 'cut':
      return file.subarray(0, at);
    case 'left out':
      return Buffer.concat([file.subarray(0, at), file.subarray(end)]);
    case 'repeated':
      return Buffer.concat([file.subarray(0, end), file.subarray(at)]);
    case 'moved': {
      const other = from % file.length;
      return Buffer.concat([file.subarray(0, at), file.subarray(other, other + length), file.subarray(at)]);
    }
    case 'changed':
      copy[at] = byte;
      return copy;
    case 'bit flipped':
      copy[at] ^= 1 << (byte & 7);
      return copy;
    default:
      copy.writeInt32LE(number, Math.min(at, file.length - 4));
      return copy;
  }
}

/** Sorts a damaged file. */
async function survives({ options, text, records }: Kind, file: Buffer, extra: readonly string[]): Promise<void> {
  const cwd = freshDirectory('hostile');
  const spill = freshDirectory('spill');
  writeFileSync(join(cwd, 'in'), file);
  writeFileSync(join(cwd, 'out'), 'before\n');
  const { status, stdout, stderr } = await sort([...options, ...extra, '-T', spill, '-o', 'out', 'in'], { cwd });
  const output = readFileSync(join(cwd, 'out'));
  expect(stdout.length).toBe(0);
  expect(readdirSync(spill)).toEqual([]);
  expect(readdirSync(cwd).sort()).toEqual(['in', 'out']);
  if (status !== 0) {
    if (status !== 2 || !REFUSAL.test(stderr)) expect.fail(`status ${status}: ${stderr}`);
    expect(stderr).not.toMatch(/internal error|\bat \S+ \(|RangeError|TypeError/);
    expect(output.toString()).toBe('before\n');
  } else if (file.length > 0) {
    expect(stderr).toBe('');
    expect(records(options.includes('bam') ? unBgzf(output) : output)).toEqual(records(text(file)));
  }
}

describe.each(KINDS)('$name', (kind) => {
  it(`sorts undamaged ${kind.name}`, () => survives(kind, kind.file, []));

  property(
    `refuses damaged ${kind.name} with one message, or keeps all its records`,
    [fc.array(damages, { minLength: 1, maxLength: 2 }), fc.boolean()],
    (all, isSpilled) =>
      survives(kind, all.reduce(damaged, kind.file), isSpilled ? ['-S', '64K', '--chunk-size', '16K'] : []),
    { runs: 50, seed: kind.file.length, timeoutMs: 1_200_000 },
  );

  property(
    `refuses ${kind.name} without its first bytes, or keeps all its records`,
    [fc.integer({ min: 1, max: 12 })],
    (count) => survives(kind, kind.file.subarray(count), []),
    { runs: 15 },
  );
});

describe('files with false lengths', () => {
  const refused = async (options: readonly string[], file: Buffer, limit = '1M'): Promise<void> => {
    const cwd = freshDirectory('hostile');
    writeFileSync(join(cwd, 'in'), file);
    const { status, stderr } = await sort([...options, '-S', limit, '-o', 'out', 'in'], { cwd });
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringMatching(REFUSAL) });
    expect(readdirSync(cwd)).toEqual(['in']);
  };
  const BY_NAME = ['--format', 'bam', '--by', 'queryname'];
  const int32 = (value: number): Buffer => {
    const made = Buffer.alloc(4);
    made.writeInt32LE(value);
    return made;
  };
  const start = encodeBam(SAM_HEADER);

  it.each([
    ['a BAM header longer than the file', Buffer.concat([bytes('BAM\x01'), int32(0x7fffffff), bytes('@HD')])],
    ['a BAM header of negative length', Buffer.concat([bytes('BAM\x01'), int32(-1), bytes('@HD')])],
    ['more contigs than the file can hold', Buffer.concat([bytes('BAM\x01'), int32(0), int32(0x7fffffff)])],
    ['a contig whose name never ends', Buffer.concat([bytes('BAM\x01'), int32(0), int32(1), int32(0x7fffffff)])],
    ['a record of two gigabytes', Buffer.concat([start, int32(0x7fffffff), Buffer.alloc(100)])],
    ['a record of negative length', Buffer.concat([start, int32(-5), Buffer.alloc(100)])],
    ['a record shorter than its fixed fields', Buffer.concat([start, int32(31), Buffer.alloc(31)])],
    [
      'a name longer than its record',
      Buffer.concat([start, int32(34), Buffer.alloc(8), bytes('\xff'), Buffer.alloc(25)]),
    ],
    ['a CIGAR longer than its record', Buffer.concat([start, int32(34), Buffer.alloc(12, 1), Buffer.alloc(22, 0xff)])],
    ['a contig that the header does not have', oneRecord(99)],
    ['a contig of a negative number', oneRecord(-7)],
  ])('refuses BAM with %s', async (_, file) => {
    await refused(BY_NAME, file);
    await refused(['--format', 'bam', '--by', 'coordinate'], bgzf(file));
  });

  function oneRecord(contig: number): Buffer {
    const whole = encodeBam(sam(alignments(208, 1)));
    whole.writeInt32LE(contig, start.length + 4);
    return whole;
  }

  /** A gzip member that inflates to many times its size: `bytes` times the letter A after a FASTQ name. */
  const bomb = (count: number): Buffer =>
    gzipSync(Buffer.concat([bytes('@bomb\n'), Buffer.alloc(count, 65)]), { level: 9 });
  it('refuses a gzip bomb without a record', () => refused(['--format', 'fastq', '--by', 'seq'], bomb(48 << 20)));

  it('refuses a BGZF block that inflates to more than a block may hold', () => {
    const text = Buffer.alloc(1 << 20, 65);
    const deflated = deflateRawSync(text);
    const head = Buffer.from('1f8b08040000000000ff0600424302000000', 'hex');
    head.writeUInt16LE(head.length + deflated.length + 7, 16);
    const tail = Buffer.concat([int32(crc32(text) | 0), int32(text.length)]);
    return refused(['--format', 'fastq', '--by', 'seq'], Buffer.concat([head, deflated, tail, BGZF_END]));
  });
});
