/**
 * The models of the orders (test/support/genomics-models.ts) against the tools whose rules they are, where the
 * installed version follows the same rule. Debian's samtools and bcftools 1.16 do not in all points: leading zeros in
 * names, secondary and supplementary records of one name, and several alternative alleles are left out of their tests.
 */
import { describe, expect, it } from 'vitest';
import { expectSameBytes } from '../battery/runner.js';
import { encodeBam, unBgzf } from '../support/genomics-bam.js';
import {
  alignments,
  bed,
  CONTIGS,
  fasta,
  fastq,
  GFF_HEADER,
  genes,
  longAlignment,
  reads,
  SAM_HEADER,
  sam,
  uniqueReads,
  VCF_HEADER,
  variants,
} from '../support/genomics-data.js';
import {
  alignmentOrder,
  bedOrder,
  gffOrder,
  natural,
  ordered,
  READ_ORDERS,
  sortedHeader,
  vcfOrder,
} from '../support/genomics-models.js';
import { itWith, oracle } from './oracles.js';

const same = (actual: string, expected: string): void =>
  expectSameBytes(Buffer.from(actual, 'latin1'), Buffer.from(expected, 'latin1'));
const names = CONTIGS.map(([name]) => name);
const body = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
const withoutHeader = (text: string): string => text.replace(/^@(HD|SQ|RG|PG|CO)\t.*\n/gm, '');

describe('reads', () => {
  const some = uniqueReads(1, 400);
  for (const [order, options] of [
    ['name', '-n'],
    ['id', ''],
    ['natural', '-N -n'],
  ] as const)
    itWith('seqkit')(`by ${order} as seqkit sort ${options}`, () => {
      const file = { 'in.fastq': fastq(some), 'in.fasta': fasta(some) };
      const sorted = ordered(some, READ_ORDERS[order]).map((read) => ({ ...read, plus: '' }));
      same(oracle(`seqkit sort --quiet -w 0 ${options} in.fastq`, file), fastq(sorted));
      same(oracle(`seqkit sort --quiet -w 0 ${options} in.fasta`, file), fasta(sorted));
    });

  it('by sequence as GNU sort', () => {
    // A blank for each tab, so that a name does not end the first field.
    const decorated = reads(2, 500).map((read) => ({ ...read, header: read.header.replaceAll('\t', ' ') }));
    const sorted = oracle("paste - - - - < in | sort -t '\t' -k2,2 -s | tr '\\t' '\\n'", { in: fastq(decorated) });
    same(sorted, fastq(ordered(decorated, READ_ORDERS.seq)));
  });

  it('by length as GNU sort', () => {
    const some = reads(3, 500);
    const sorted = oracle(
      "paste - - - - < in | awk -F '\t' '{ print length($2) \"\\t\" $0 }' | sort -k1,1n -s | cut -f 2- | tr '\\t' '\\n'",
      { in: fastq(some) },
    );
    same(sorted, fastq(ordered(some, READ_ORDERS.length)));
  });

  it('by quality as fractions of whole numbers', () => {
    const mean = (quality: string): bigint =>
      [...quality].reduce((sum, letter) => sum + BigInt(letter.charCodeAt(0) - 33), 0n);
    const sorted = ordered(reads(4, 500), READ_ORDERS.quality).map(({ quality }) => quality);
    for (const [i, quality] of sorted.entries()) {
      if (i === 0 || sorted[i - 1] === '') continue;
      expect(mean(sorted[i - 1]) * BigInt(quality.length)).toBeLessThanOrEqual(
        mean(quality) * BigInt(sorted[i - 1].length),
      );
    }
    expect(sorted.lastIndexOf('')).toBe(sorted.filter((quality) => quality === '').length - 1);
  });

  it('natural names ignore leading zeros', () => {
    expect([
      natural('r08', 'r8'),
      natural('r008x', 'r8y') < 0,
      natural('a', 'a0') < 0,
      natural('a10', 'a9') > 0,
    ]).toEqual([0, true, true, true]);
  });
});

describe('alignments', () => {
  const any = alignments(11, 700);
  const plain = alignments(12, 700, true);
  const file = (lines: readonly string[]) => ({ 'in.sam': sam(lines) });

  itWith('samtools')('are canonical text, and BAM as samtools encodes it', () => {
    const lines = [...any, longAlignment(66_000)];
    same(withoutHeader(oracle('samtools view --no-PG in.sam', file(lines))), body(lines));
    const theirs = oracle('samtools view --no-PG -b in.sam', file(lines));
    expect(unBgzf(Buffer.from(theirs, 'latin1')).equals(encodeBam(sam(lines)))).toBe(true);
  });

  itWith('samtools')('by coordinate as samtools sort, with its header', () => {
    same(
      oracle('samtools sort --no-PG -O sam in.sam', file(any)),
      sortedHeader(SAM_HEADER, 'coordinate') + body(ordered(any, alignmentOrder('coordinate', names))),
    );
    const bare = SAM_HEADER.replace(/^@HD.*\n/, '');
    same(
      oracle('samtools sort --no-PG -O sam in.sam', { 'in.sam': sam(any.slice(0, 9), bare) }),
      sortedHeader(bare, 'coordinate') + body(ordered(any.slice(0, 9), alignmentOrder('coordinate', names))),
    );
  });

  itWith('samtools')('by queryname as samtools sort -n', () => {
    same(
      withoutHeader(oracle('samtools sort -n --no-PG -O sam in.sam', file(plain))),
      body(ordered(plain, alignmentOrder('queryname', names))),
    );
  });

  for (const tag of ['CB', 'NM', 'XS', 'XF', 'XH', 'XB', 'XM'])
    itWith('samtools')(`by tag ${tag} as samtools sort -t`, () => {
      same(
        withoutHeader(oracle(`samtools sort -t ${tag} --no-PG -O sam in.sam`, file(any))),
        body(ordered(any, alignmentOrder(`tag:${tag}`, names))),
      );
    });

  // Picard orders the tags of a record anew, so only the mandatory fields are compared; and it wants uppercase names.
  const mandatory = (text: string): string => text.replace(/^((?:[^\t\n]*\t){10}[^\t\n]*).*$/gm, '$1');
  for (const order of ['coordinate', 'queryname'])
    itWith('picard')(`by ${order} as Picard SortSam`, () => {
      const sorted = oracle(
        `PicardCommandLine SortSam -I in.sam -O out.sam -SO ${order} --QUIET true --VERBOSITY ERROR --VALIDATION_STRINGENCY SILENT > log 2>&1 || { cat log >&2; exit 1; }; cat out.sam`,
        file(any),
      );
      same(mandatory(withoutHeader(sorted)), mandatory(body(ordered(any, alignmentOrder(order, names, 'picard')))));
    });
});

describe('intervals and variants', () => {
  for (const columns of [3, 6, 12] as const)
    itWith('sort-bed')(`BED of ${columns} columns as sort-bed`, () => {
      const lines = bed(20 + columns, 800, columns);
      same(oracle('sort-bed in.bed', { 'in.bed': body(lines) }), body(ordered(lines, bedOrder)));
    });

  itWith('bcftools')('VCF as bcftools sort', () => {
    const lines = variants(31, 600, true);
    const sorted = oracle('bcftools sort in.vcf 2> /dev/null', { 'in.vcf': VCF_HEADER + body(lines) });
    same(sorted.replace(/^#.*\n/gm, ''), body(ordered(lines, vcfOrder(names))));
  });

  it('GFF as GNU sort', () => {
    const lines = genes(41, 600);
    same(oracle("sort -s -t '\t' -k1,1 -k4,4n in", { in: body(lines) }), body(ordered(lines, gffOrder)));
  });

  itWith('tabix', 'bgzip')('GFF in order is one that tabix takes', () => {
    const sorted = GFF_HEADER + body(ordered(genes(41, 600), gffOrder));
    expect(
      oracle('bgzip < in > in.gff.gz && tabix -p gff in.gff.gz && tabix in.gff.gz chr10:1-2 | wc -l', { in: sorted }),
    ).not.toBe('0\n');
  });
});
