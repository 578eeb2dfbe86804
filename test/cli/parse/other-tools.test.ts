/** Options of samtools, Picard, seqkit and bedtools on the command line, and what the messages about them say. */
import { describe, expect, it } from 'vitest';
import { namingOurs } from '../../../src/cli/parse/other-tools.js';
import { GENOMICS_WORDS, nameIn } from '../../../src/cli/parse/other-words.js';
import { GpusortError } from '../../../src/system/errors.js';
import { errorOf, jobOf } from '../arguments.js';

const HELP = "Try 'gpusort --help' for more information.";
const hintOf = (args: string): string | undefined => errorOf(args, { programName: 'gpusort' }).hint;

describe('an option of another tool', () => {
  it.each([
    ['--format bam -@ 4 x', 'Use --parallel N instead of -@ N of samtools.', HELP],
    ['-@4 --format bam x', 'Use --parallel N instead of -@ N of samtools.', HELP],
    ['--by coordinate -l 1 x', 'Use --level N instead of -l N of samtools.', HELP],
    ['--by queryname -N x', 'Use --by queryname-ascii instead of -N of samtools.', HELP],
    ['--by=natural -N x', 'Use --by natural instead of -N of seqkit.', HELP],
    ['--format fastq -l x', 'Use --by length instead of -l of seqkit.', HELP],
    ['--format bam -O bam x', 'Use --output-format FORM instead of -O FORM of samtools.', HELP],
    ['--format bam --write-index x', 'Use --index instead of --write-index of samtools.', HELP],
    ['--format bam --threads=4 x', 'Use --parallel N instead of --threads of samtools.', HELP],
    ['--format bam --no-PG x', 'Leave out --no-PG of samtools: gpusort adds @PG only with --pg.', HELP],
    ['--format bam -n x', 'Use --by queryname instead of -n of samtools.'],
    ['--by tag:CB -t CB x', 'Use --by tag:XX instead of -t XX of samtools.'],
    ['--by queryname:r,tag:CB -N x', 'Use --by queryname-ascii instead of -N of samtools.', HELP],
    ['--format bam -SO queryname', 'Use --by ORDER instead of -SO of Picard.'],
    ['--format bed -faidx names x', 'Use --contigs FILE instead of -faidx of bedtools.', HELP],
    ['--by position -i x', 'Use FILE instead of -i FILE of bedtools.'],
    ['--by position -chrThenSizeA x', 'Use --by contig,length instead of -chrThenSizeA of bedtools.'],
  ])('%s leads to the one of gpusort', (args, ...hint) => {
    expect(hintOf(args)).toBe(hint.join('\n'));
  });

  it('is named once, wherever the error passes', () => {
    const argv = ['--format', 'bam', '-@', '4'];
    const error = errorOf(argv.join(' '), { programName: 'gpusort' });
    expect(namingOurs(error, argv, 'gpusort')).toMatchObject({ hint: error.hint });
  });

  it('leads nowhere without a format, under the name sort, after -- and in an error about something else', () => {
    expect(hintOf('--write-index x')).toBe(HELP);
    expect(errorOf('--format bam -@ 4 x', { programName: 'sort' }).hint).toBe(
      "Try 'sort --help' for more information.",
    );
    expect(hintOf('--write-index -- --format bam')).toBe(HELP);
    expect(hintOf('--format bam --level 77 -n')).toBe('Use --by queryname instead of -n of samtools.');
    expect(hintOf('--format bam --level 77')).toBe('Levels of bgzf are 0 to 9.');
  });

  it('is a file name if it is a setting of Picard', () => {
    const named = (argv: string[], name: string): unknown =>
      namingOurs(new GpusortError('cannot-read', `cannot read: '${name}': No such file`), argv, 'gpusort');
    expect(named(['--by', 'coordinate', 'SORT_ORDER=x'], 'SORT_ORDER=x')).toMatchObject({
      hint: 'Use --by ORDER instead of SORT_ORDER=ORDER of Picard.',
    });
    expect(named(['--by', 'coordinate', 'SO=x', 'in'], 'in')).not.toHaveProperty('hint', expect.anything());
    expect(named(['SO=x'], 'SO=x')).not.toHaveProperty('hint', expect.anything());
  });

  it('is found by each of its spellings, if gpusort has no such option', () => {
    const names = GENOMICS_WORDS.flatMap(({ there }) => there).map(nameIn);
    expect(names.filter((name) => !/^(-[^-]|-\w+|--[\w-]+|[A-Z_]+=)$/.test(name))).toEqual([]);
  });
});

describe('-o -', () => {
  it.each(['--format bam -o - x', '--by coordinate -o- x'])('is standard output: %s', (args) => {
    expect(jobOf(args).output.file).toBeNull();
  });

  it('is a file without a format, and ./- with one', () => {
    expect(String(jobOf('-o - x').output.file)).toBe('-');
    expect(String(jobOf('--format bam -o ./- x').output.file)).toBe('./-');
  });

  it.each([
    ['--format bam --index -o - x', '--index needs -o FILE'],
    ['--format bam --cluster local:2 -o - x', '--cluster needs -o FILE'],
    ['--format bam -c -o - x', "options '-co' are incompatible"],
  ])('is refused by %s', (args, message) => {
    expect(errorOf(args).message).toBe(message);
  });
});

it('BCF is not written', () => {
  expect(errorOf('--format vcf -o x.bcf y.vcf')).toMatchObject({
    message: "gpusort does not write BCF: 'x.bcf'",
    hint: "Convert it: gpusort ... | bcftools view -O b -o 'x.bcf'",
  });
  expect(String(jobOf('-o x.bcf y').output.file)).toBe('x.bcf');
});

describe('-u of alignments', () => {
  it.each(['coordinate', 'queryname', 'queryname-ascii', 'tag:CB'])('is refused with --by %s', (by) => {
    for (const format of ['sam', 'bam'])
      expect(errorOf(`--format ${format} --by ${by} -u x`)).toMatchObject({
        message: `-u is not for ${format}`,
        hint: 'Use --level 0 instead of -u of samtools.',
      });
  });
});
