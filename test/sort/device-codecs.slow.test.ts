/**
 * A GPU that inflates BGZF and compresses what it merges writes what processors write. Chunks are so small that there
 * are many texts and runs. Slow, because a software GPU compiles the kernels of each ordering.
 */
import { gzipSync } from 'node:zlib';
import { afterAll, expect, it, vi } from 'vitest';
import { describeGpu } from '../setup/gpu.js';
import { bgzf } from '../support/genomics-bam.js';
import {
  alignments,
  bed,
  fasta,
  fastq,
  GFF_HEADER,
  genes,
  reads,
  sam,
  VCF_HEADER,
  variants,
} from '../support/genomics-data.js';
import { closeGpu } from '../support/one-gpu.js';
import { randomBelow } from '../support/random.js';
import { BOTH, COMPRESSES, Codecs, INFLATES } from './device-codecs.js';

vi.mock(import('../../src/engines/gpu/device/device.js'), async (original) => {
  const { withOneGpu } = await import('../support/one-gpu.js');
  return withOneGpu(await original());
});

/** Many texts of each file. */
const TINY = ['--chunk-size', '150000'];
const TO_BGZF = ['--output-format', 'bgzf'];

const below = randomBelow(3);
const word = (): string => (below(8) === 0 ? '' : below(1e6).toString(36));
/** Lines of three fields, of which many have equal keys. */
const lines = (count: number, end: string): string =>
  Array.from({ length: count }, () => `${word()} ${below(40)} ${'xyz'.repeat(below(20))}${end}`).join('');

describeGpu('a GPU that inflates and compresses', () => {
  afterAll(closeGpu);
  const codecs = new Codecs('device-codecs');
  const write = (name: string, bytes: string | Uint8Array): string => codecs.write(name, bytes);
  const text = lines(11_000, '\n');
  const file = write('a.gz', bgzf(Buffer.from(text), 1, 30_000));
  const other = write('b.gz', bgzf(Buffer.from(`${lines(2000, '\n')}no newline`), 6));
  const args = ['--decompress', ...TINY];

  it.each([
    ['as it is', [], BOTH],
    ['by a key', ['-k2,2n'], BOTH],
    ['by a key, unique and reversed', ['-k2,2n', '-u', '-r'], BOTH],
    ['stably', ['-k2,2n', '-s'], BOTH],
    ['with a header', ['--header', '1'], BOTH],
    ['counted', ['-k2,2n', '--count'], INFLATES],
    ['the first records', ['--top', '5'], INFLATES],
    ['the last records', ['--bottom', '5'], INFLATES],
    ['verified', ['--verify'], INFLATES],
    ['verified, by a key and with a header', ['--verify', '-k2,2n', '--header', '3'], INFLATES],
    ['in random order', ['-R', '--random-source', file], COMPRESSES],
    ['underlined', ['--debug', '-k2,2n'], INFLATES],
  ])('sorts lines %s', async (_, options, device) => {
    const ended = await codecs.expectSame([...args, ...TO_BGZF, ...options, file], device);
    expect(ended.status, ended.messages).toBe(0);
  });

  it('sorts lines that end in NUL', async () => {
    const nuls = write('nul.gz', bgzf(Buffer.from(lines(6000, '\0')), 1, 40_000));
    await codecs.expectSame([...args, ...TO_BGZF, '-z', nuls], BOTH);
  });

  it.each(['0', '1', '6', '7'])('compresses at level %s', async (level) => {
    const device = level >= '1' && level <= '6' ? BOTH : INFLATES;
    await codecs.expectSame([...args, ...TO_BGZF, '--level', level, file], device);
  });

  it('writes text, and reads text', async () => {
    const plain = write('plain', text);
    await codecs.expectSame([...args, file], INFLATES);
    await codecs.expectSame([...args, ...TO_BGZF, plain], COMPRESSES);
    await codecs.expectSame([...args, '--output-format', 'gzip', file], INFLATES);
  });

  it('sorts files of several kinds in input order', async () => {
    const [plain, gzip, empty] = [
      write('p', text.slice(0, 4000)),
      write('g', gzipSync(lines(3000, '\n'))),
      write('e', ''),
    ];
    const none = write('none.gz', bgzf(Buffer.alloc(0)));
    const list = [file, plain, other, empty, gzip, none, other];
    await codecs.expectSame([...args, ...TO_BGZF, '-k2,2n', '-s', ...list], BOTH);
    await codecs.expectSame([...args, ...TO_BGZF, '-k2,2n', '-s', ...list.reverse()], BOTH);
    await codecs.expectSame([...args, ...TO_BGZF, none], BOTH);
  });

  it('keeps runs in temporary files', async () => {
    const { notes } = await codecs.expectSame([...args, ...TO_BGZF, '-S', '400K', file, other], BOTH);
    expect(notes.join('\n')).toContain('runs stay in GPU memory up to 400 KiB, then');
    await codecs.expectSame([...args, ...TO_BGZF, '-S', '400K', '-k2,2n', '-r', file, other], BOTH);
  });

  it('reads a header in each file', async () => {
    const head = `${'first line '.repeat(9000)}\nsecond\n`;
    const headed = (name: string, body: string): string => write(name, bgzf(Buffer.from(head + body), 1, 20_000));
    const files = [headed('h1.gz', lines(3000, '\n')), headed('h2.gz', ''), headed('h3.gz', lines(20, '\n'))];
    await codecs.expectSame([...args, ...TO_BGZF, '--header', '2', ...files], BOTH);
    const differs = write('h4.gz', bgzf(Buffer.from(`other\nsecond\n${lines(20, '\n')}`)));
    const { status } = await codecs.expectSame([...args, '--header', '2', ...files, differs], INFLATES);
    expect(status).toBe(2);
  });

  it('leaves records longer than a chunk to the host', async () => {
    const long = `${lines(2000, '\n')}${'long '.repeat(50_000)}\n${lines(50, '\n')}`;
    const [gpu, cpu] = await both([...args, ...TO_BGZF, write('long.gz', bgzf(Buffer.from(long)))]);
    expect(gpu.text!.equals(cpu.text!)).toBe(true);
    expect(gpu.notes).toContain('the GPU cannot inflate the input: a record is too long');
  });

  it('sorts records of a fixed size', async () => {
    const records = Buffer.from(Array.from({ length: 400_000 }, () => below(256)));
    const fixed = [write('f1.gz', bgzf(records, 1, 30_001)), write('f2.gz', bgzf(records.subarray(0, 80)))];
    const sized = [...args, ...TO_BGZF, '--record-size', '16'];
    await codecs.expectSame([...sized, ...fixed], BOTH);
    await codecs.expectSame([...sized, '-k', '4:u32le', '-r', ...fixed], BOTH);
    await expectRefused([...sized, write('f3.gz', bgzf(records.subarray(0, 390_001)))], /1 byte is left over/);
  });

  const manyReads = reads(5, 2500);
  const fastqFile = write('r.fastq.gz', bgzf(Buffer.from(fastq(manyReads)), 1, 30_000));
  const crlf = write('crlf.fastq.gz', bgzf(Buffer.from(fastq(reads(6, 500), '\r\n'))));
  it.each([
    ['by sequence', ['--by', 'seq'], BOTH],
    ['by name', ['--by', 'id'], BOTH],
    ['by length', ['--by', 'length'], BOTH],
  ])('sorts FASTQ %s', async (_, by, device) => {
    const all = [...TINY, ...TO_BGZF, '--format', 'fastq', ...by];
    const plain = write('p.fastq', fastq(reads(7, 60)));
    const gzip = write('g.fastq.gz', gzipSync(fastq(reads(8, 60)).trimEnd()));
    const open = write('o.fastq.gz', bgzf(Buffer.from(fastq(reads(9, 60)).trimEnd())));
    const empty = write('e.fastq', '');
    await codecs.expectSame([...all, fastqFile], device);
    await codecs.expectSame([...all, crlf], device);
    await codecs.expectSame([...all, fastqFile, plain, open, empty, gzip, crlf], device);
    await codecs.expectSame([...TINY, '--format', 'fastq', ...by, fastqFile, crlf], INFLATES);
  });

  /** Little is read ahead, so that the device meets what is wrong with a file. */
  const LITTLE = ['-S', '256K'];

  /** Sorts by both engines. */
  const both = async (words: readonly string[]) =>
    [await codecs.sort('gpu', words), await codecs.sort('cpu', words)] as const;

  it('sorts variants, intervals, genes, alignments and sequences', async () => {
    const all = [...TINY, ...TO_BGZF];
    const vcf = [variants(1, 4000), variants(2, 50)].map((rows, i) =>
      write(`v${i}.vcf.gz`, bgzf(Buffer.from(`${VCF_HEADER}${rows.join('\n')}\n`), 1, 30_000)),
    );
    await codecs.expectSame([...all, '--format', 'vcf', '--by', 'position', ...vcf], BOTH);
    const rows = `browser x\ntrack name=a\n#made for tests\n${bed(3, 9000, 6).join('\n')}\n`;
    const intervals = write('i.bed.gz', bgzf(Buffer.from(rows), 1, 30_000));
    await codecs.expectSame([...all, '--format', 'bed', '--by', 'position', intervals, intervals], BOTH);
    const gff = write('g.gff.gz', bgzf(Buffer.from(`${GFF_HEADER}${genes(4, 3000).join('\n')}\n`)));
    await codecs.expectSame([...all, '--format', 'gff', '--by', 'position', gff], INFLATES);
    for (const line of ['###', '##FASTA\n>chr1\nACGT', '##species x']) {
      const text = `${GFF_HEADER}${genes(4, 3000).join('\n')}\n${line}\n`;
      const [onGpu, onCpu] = await both([
        ...LITTLE,
        ...TO_BGZF,
        '--format',
        'gff',
        write('d.gff.gz', bgzf(Buffer.from(text))),
      ]);
      expect({ ...onGpu, notes: [] }).toEqual({ ...onCpu, notes: [] });
      expect(onGpu.notes).toContain('the GPU cannot inflate the input: a line is not part of a record');
    }
    const alignmentFile = write('a.sam.gz', bgzf(Buffer.from(sam(alignments(9, 2500))), 1, 30_000));
    await codecs.expectSame(
      [...all, '--format', 'sam', '--by', 'coordinate', '--output-format', 'sam.gz', alignmentFile],
      BOTH,
    );
    const sequences = write('s.fasta.gz', bgzf(Buffer.from(fasta(manyReads, 60))));
    await codecs.expectSame([...all, '--format', 'fasta', '--by', 'seq', sequences], BOTH);
    const open = write('o.fasta.gz', bgzf(Buffer.from(fasta(manyReads.slice(0, 99), 60).trimEnd())));
    await codecs.expectSame([...all, '--format', 'fasta', '--by', 'seq', open, sequences, open], BOTH);
  });

  /** Expects the same error of both engines, and that nothing is written. */
  async function expectRefused(words: readonly string[], message: RegExp): Promise<void> {
    const [gpu, cpu] = await both([...LITTLE, ...words]);
    expect(gpu.notes.filter((note) => note.startsWith('the GPU cannot inflate the input: '))).toHaveLength(1);
    expect({ status: gpu.status, messages: gpu.messages }).toEqual({ status: cpu.status, messages: cpu.messages });
    expect(cpu.messages).toMatch(message);
    expect({ status: gpu.status, text: gpu.text }).toEqual({ status: 2, text: null });
  }

  it('sorts pipes', async () => {
    const pipes = {
      lines: bgzf(Buffer.from(text), 1, 30_000),
      reads: bgzf(Buffer.from(fastq(reads(9, 900))), 1, 30_000),
      variants: bgzf(Buffer.from(`${VCF_HEADER}${variants(1, 2000).join('\n')}\n`), 1, 30_000),
    };
    await codecs.expectSame([...args, ...TO_BGZF, '-k2,2n', 'lines', other], BOTH, pipes);
    await codecs.expectSame([...TINY, ...TO_BGZF, '--format', 'fastq', '--by', 'seq', fastqFile, 'reads'], BOTH, pipes);
    await codecs.expectSame([...TINY, ...TO_BGZF, '--format', 'vcf', '--by', 'position', 'variants'], BOTH, pipes);
    const damaged = { lines: Buffer.from(pipes.lines) };
    damaged.lines[damaged.lines.length - 3000]! ^= 0x55;
    const { status, notes } = await codecs.expectEqual([...LITTLE, ...args, other, 'lines'], damaged);
    expect(status).toBe(2);
    expect(notes.join()).toContain('the GPU cannot inflate the input: ');
  });

  const sound = bgzf(Buffer.from(text), 1, 30_000);
  const changed = Buffer.from(sound);
  changed[sound.length - 3000] ^= 0x55;
  it.each([
    ['damaged', changed],
    ['cut off within a block', sound.subarray(0, -3000)],
    ['followed by other bytes', Buffer.concat([sound, Buffer.from('other')])],
  ])('refuses a file that is %s', async (_, bytes) => {
    await expectRefused([...args, ...TO_BGZF, write('x.gz', bytes)], /x\.gz/);
    await expectRefused([...args, ...TO_BGZF, file, write('x.gz', bytes), other], /x\.gz/);
  });

  it('treats a file without its end block as processors do', async () => {
    const [gpu, cpu] = await both([...LITTLE, ...args, ...TO_BGZF, write('x.gz', sound.subarray(0, -28))]);
    expect({ ...gpu, notes: [] }).toEqual({ ...cpu, notes: [] });
    expect(gpu.notes).toContain('the GPU cannot inflate the input: a file is cut off');
  });

  const read = fastq(manyReads.slice(0, 900));
  it.each([
    ['a missing @', `${read}r\nA\n+\nI\n${read}`, /does not begin with "@"/],
    ['a missing +', `${read}@r\nA\nA\n+\nII\n${read}`, /does not begin with "\+"/],
    ['too few qualities', `${read}@r\nAC\n+\nI\n${read}`, /differ in length/],
    ['NUL', `${read}@r\nAC\n+\nI\0\n${read}`, /NUL/],
    ['an incomplete last read', `${read}@r\nAC\n+\n`, /./],
  ])('refuses FASTQ with %s', async (_, bad, message) => {
    const bytes = bgzf(Buffer.from(bad, 'latin1'), 1, 30_000);
    await expectRefused([...TINY, ...TO_BGZF, '--by', 'seq', fastqFile, write('x.fastq.gz', bytes)], message);
  });
});
