/**
 * Damaged files of each genomics format and compression, seeded: the program refuses them with one message and at most
 * one hint, or loses no record. It leaves no temporary file, and a refused sort leaves the output file as it was.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync, gunzipSync, gzipSync } from 'node:zlib';
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
import { type RandomBelow, randomBelow } from '../support/random.js';
import { NIGHTLY } from '../support/tier.js';

/** One message that names the file or the record, and at most one hint. */
const REFUSAL = /^gpusort: in\b.+\n(.+\n)?$/;

/** Damaged files of each kind. */
const CASES = NIGHTLY ? 1500 : 25;
const sort = sortOn('cpu');

interface Kind {
  readonly name: string;
  readonly options: readonly string[];
  readonly file: Buffer;
  /** What the file holds, not compressed; throws if the compression is damaged. */
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
const KINDS: readonly Kind[] = [
  { name: 'FASTQ', options: ['--format', 'fastq', '--by', 'natural'], file: FASTQ, text: plain, records: lines },
  {
    name: 'FASTA',
    options: ['--format', 'fasta', '--by', 'seq'],
    file: bytes(fasta(reads(203, 40), 30)),
    text: plain,
    records: lines,
  },
  {
    name: 'SAM',
    options: ['--format', 'sam', '--by', 'coordinate'],
    file: bytes(sam(alignments(204, 40))),
    text: plain,
    records: lines,
  },
  { name: 'BAM', options: ['--format', 'bam', '--by', 'queryname'], file: BAM, text: plain, records: bamRecords },
  {
    name: 'BAM by tag',
    options: ['--format', 'bam', '--by', 'tag:XM'],
    file: BAM,
    text: plain,
    records: bamRecords,
  },
  {
    name: 'BAM in BGZF',
    options: ['--format', 'bam', '--by', 'coordinate'],
    file: bgzf(BAM, 1, 1500),
    text: gunzipSync,
    records: bamRecords,
  },
  {
    name: 'FASTQ in BGZF',
    options: ['--format', 'fastq', '--by', 'seq'],
    file: bgzf(FASTQ, 1, 1500),
    text: gunzipSync,
    records: lines,
  },
  {
    name: 'FASTQ in gzip',
    options: ['--format', 'fastq', '--by', 'seq'],
    file: Buffer.concat([gzipSync(FASTQ.subarray(0, 3000)), gzipSync(FASTQ.subarray(3000))]),
    text: gunzipSync,
    records: lines,
  },
  {
    name: 'BED',
    options: ['--format', 'bed', '--by', 'position'],
    file: bytes(body(bed(205, 60, 6))),
    text: plain,
    records: lines,
  },
  {
    name: 'VCF',
    options: ['--format', 'vcf', '--by', 'position'],
    file: bytes(VCF_HEADER + body(variants(206, 60))),
    text: plain,
    records: lines,
  },
  {
    name: 'GFF',
    options: ['--format', 'gff', '--by', 'position'],
    file: bytes(GFF_HEADER + body(genes(207, 60))),
    text: plain,
    records: lines,
  },
];

/** Bytes that readers give a meaning. */
const TELLING = [0, 10, 13, 9, 0x1f, 0x8b, 0x40, 0x2b, 0x3e, 0x23, 0x2a, 0xff, 0x7f, 0x80];

/** One damage: a cut, a piece left out, repeated or moved in from elsewhere, bytes changed, a length that lies. */
function damaged(file: Buffer, below: RandomBelow): Buffer {
  const at = below(file.length);
  const length = 1 + below(1 << below(12));
  const [before, after] = [file.subarray(0, at), file.subarray(Math.min(file.length, at + length))];
  switch (below(7)) {
    case 0:
      return before;
    case 1:
      return Buffer.concat([before, after]);
    case 2:
      return Buffer.concat([file.subarray(0, Math.min(file.length, at + length)), file.subarray(at)]);
    case 3: {
      const from = below(file.length);
      return Buffer.concat([before, file.subarray(from, from + length), file.subarray(at)]);
    }
    case 4: {
      const copy = Buffer.from(file);
      copy[at] = below(2) === 0 ? below(256) : TELLING[below(TELLING.length)];
      return copy;
    }
    case 5: {
      const copy = Buffer.from(file);
      copy[at] ^= 1 << below(8);
      return copy;
    }
    default: {
      const copy = Buffer.from(file);
      const number = [0, 1, 31, 32, 0x7fffffff, -1, -0x80000000, 1 << 29, file.length][below(9)];
      copy.writeInt32LE(number, Math.min(at, file.length - 4));
      return copy;
    }
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
  it('is sorted as it is', () => survives(kind, kind.file, []));

  it(`damaged in ${CASES} ways`, async () => {
    const below = randomBelow(kind.name.length * 1009 + kind.file.length);
    for (let i = 0; i < CASES; i++) {
      let file = damaged(kind.file, below);
      if (below(4) === 0 && file.length > 0) file = damaged(file, below);
      const extra = i % 4 === 0 ? ['-S', '64K', '--chunk-size', '16K'] : [];
      try {
        await survives(kind, file, extra);
      } catch (error) {
        throw new Error(`damage ${i}${extra.length > 0 ? ', spilled' : ''}: ${(error as Error).message}`);
      }
    }
  });

  it('of which each of the first bytes is missing', async () => {
    for (let i = 0; i < Math.min(12, kind.file.length); i++) await survives(kind, kind.file.subarray(i + 1), []);
  });
});

describe('files that promise too much', () => {
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
  ])('BAM: %s', async (_, file) => {
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
  it('a gzip bomb without a record', () => refused(['--format', 'fastq', '--by', 'seq'], bomb(48 << 20)));

  it('a BGZF block that inflates to more than a block may hold', () => {
    const text = Buffer.alloc(1 << 20, 65);
    const deflated = deflateRawSync(text);
    const head = Buffer.from('1f8b08040000000000ff0600424302000000', 'hex');
    head.writeUInt16LE(head.length + deflated.length + 7, 16);
    const tail = Buffer.concat([int32(crc32(text) | 0), int32(text.length)]);
    return refused(['--format', 'fastq', '--by', 'seq'], Buffer.concat([head, deflated, tail, BGZF_END]));
  });
});
