/**
 * The models of the orders (test/support/genomics-models.ts), the indexes and the compressed output against the tools
 * whose rules they follow, where the installed version follows the same rule. Debian's samtools and bcftools 1.16 do
 * not in all points: leading zeros in names, secondary and supplementary records of one name, and several alternative
 * alleles are left out.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect } from 'vitest';
import { sortOn } from '../battery/here.js';
import { expectSameBytes, freshDirectory } from '../battery/runner.js';
import { inBinOrder } from '../output/index/tools.js';
import { bgzf, encodeBam, unBgzf } from '../support/genomics-bam.js';
import {
  alignments,
  bed,
  CONTIGS,
  fasta,
  fastq,
  GFF_HEADER,
  genes,
  longAlignment,
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
  ordered,
  READ_ORDERS,
  sortedHeader,
  vcfOrder,
} from '../support/genomics-models.js';
import { itWith, oracle, type Tool } from './oracles.js';

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
const names = CONTIGS.map(([name]) => name);
const body = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
const withoutHeader = (text: string): string => text.replace(/^(@(HD|SQ|RG|PG|CO)\t|#).*\n/gm, '');
// Picard reorders the tags of a record, so only the mandatory fields are compared.
const mandatory = (text: string): string => withoutHeader(text).replace(/^((?:[^\t\n]*\t){10}[^\t\n]*).*$/gm, '$1');
const same = (text: string): string => text;

/** The output of a tool for a file, and that of the model. Both pass through `compared`. */
interface Row {
  readonly what: string;
  readonly tool: Tool;
  readonly command: string;
  readonly input: string;
  readonly model: string;
  readonly compared: (text: string) => string;
}

const some = uniqueReads(1, 400);
const any = alignments(11, 700);
const plain = alignments(12, 700, true);
const bare = SAM_HEADER.replace(/^@HD.*\n/, '');
const PICARD =
  'PicardCommandLine SortSam -I in -O out.sam --QUIET true --VERBOSITY ERROR --VALIDATION_STRINGENCY SILENT';
const byAlignment = (lines: readonly string[], by: string, as = 'samtools'): string =>
  body(ordered(lines, alignmentOrder(by, names, as)));

const ROWS: readonly Row[] = [
  ...(
    [
      ['name', '-n'],
      ['id', ''],
      ['natural', '-N -n'],
    ] as const
  ).flatMap(([order, options]): Row[] =>
    [fastq, fasta].map((text) => ({
      what: `${text === fastq ? 'FASTQ' : 'FASTA'} by ${order} as seqkit sort ${options}`,
      tool: 'seqkit',
      command: `seqkit sort --quiet -w 0 ${options} in`,
      input: text(some),
      model: text(ordered(some, READ_ORDERS[order]).map((read) => ({ ...read, plus: '' }))),
      compared: same,
    })),
  ),
  ...[SAM_HEADER, bare].map(
    (header): Row => ({
      what: `SAM by coordinate as samtools sort, with ${header === bare ? 'a new' : 'its'} @HD line`,
      tool: 'samtools',
      command: 'samtools sort --no-PG -O sam in',
      input: sam(any, header),
      model: sortedHeader(header, 'coordinate') + byAlignment(any, 'coordinate'),
      compared: same,
    }),
  ),
  {
    what: 'SAM by queryname as samtools sort -n',
    tool: 'samtools',
    command: 'samtools sort -n --no-PG -O sam in',
    input: sam(plain),
    model: byAlignment(plain, 'queryname'),
    compared: withoutHeader,
  },
  ...['CB', 'NM', 'XS', 'XF', 'XH', 'XB', 'XM'].map(
    (tag): Row => ({
      what: `SAM by tag ${tag} as samtools sort -t`,
      tool: 'samtools',
      command: `samtools sort -t ${tag} --no-PG -O sam in`,
      input: sam(any),
      model: byAlignment(any, `tag:${tag}`),
      compared: withoutHeader,
    }),
  ),
  ...['coordinate', 'queryname'].map(
    (order): Row => ({
      what: `SAM by ${order} as Picard SortSam`,
      tool: 'picard',
      command: `${PICARD} -SO ${order} > log 2>&1 || { cat log >&2; exit 1; }; cat out.sam`,
      input: sam(any),
      model: byAlignment(any, order, 'picard'),
      compared: mandatory,
    }),
  ),
  ...([3, 6, 12] as const).map((columns): Row => {
    const lines = bed(20 + columns, 800, columns);
    return {
      what: `BED of ${columns} columns as sort-bed`,
      tool: 'sort-bed',
      command: 'sort-bed in',
      input: body(lines),
      model: body(ordered(lines, bedOrder)),
      compared: same,
    };
  }),
  {
    what: 'VCF as bcftools sort',
    tool: 'bcftools',
    command: 'bcftools sort in 2> /dev/null',
    input: VCF_HEADER + body(variants(31, 600, true)),
    model: body(ordered(variants(31, 600, true), vcfOrder(names))),
    compared: withoutHeader,
  },
];

describe('the models', () => {
  for (const { what, tool, command, input, model, compared } of ROWS)
    itWith(tool)(`sorts ${what}`, () => {
      expectSameBytes(bytes(compared(oracle(command, { in: input }))), bytes(compared(model)));
    });

  itWith('samtools')('writes SAM as canonical text and BAM as samtools encodes it', () => {
    const lines = [...any, longAlignment(66_000)];
    const files = { in: sam(lines) };
    expectSameBytes(bytes(withoutHeader(oracle('samtools view --no-PG in', files))), bytes(body(lines)));
    expectSameBytes(unBgzf(bytes(oracle('samtools view --no-PG -b in', files))), encodeBam(sam(lines)));
  });

  itWith('tabix', 'bgzip')('orders GFF in the order that tabix accepts', () => {
    const sorted = GFF_HEADER + body(ordered(genes(41, 600), gffOrder));
    const query = 'bgzip < in > in.gff.gz && tabix -p gff in.gff.gz && tabix in.gff.gz chr10:1-2 | wc -l';
    expect(oracle(query, { in: sorted })).not.toBe('0\n');
  });
});

describe('the program', () => {
  let cwd = '';
  beforeEach(() => {
    cwd = freshDirectory('tools');
  });
  const read = (name: string): Buffer => readFileSync(join(cwd, name));
  const sorted = async (input: string | Buffer, ...args: readonly string[]): Promise<Buffer> => {
    writeFileSync(join(cwd, 'in'), input, 'latin1');
    const { status, stdout, stderr } = await sortOn('cpu')([...args, 'in'], { cwd });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return stdout;
  };
  const SAM = ['--format', 'sam', '--by', 'coordinate'];
  const BAM = ['--format', 'bam', '--by', 'coordinate'];

  itWith('bgzip', 'samtools')('writes files that bgzip -t and samtools quickcheck accept', async () => {
    const text = sam(any);
    oracle('bgzip -t x.gz', { 'x.gz': await sorted(text, ...SAM, '--output-format', 'bgzf') });
    const output = await sorted(encodeBam(text), ...BAM);
    expectSameBytes(
      bytes(oracle('samtools quickcheck x.bam && samtools view -h --no-PG x.bam', { 'x.bam': output })),
      bytes(sortedHeader(SAM_HEADER, 'coordinate') + byAlignment(any, 'coordinate')),
    );
  });

  itWith('samtools')('writes a BAM index that answers queries like that of samtools', async () => {
    await sorted(bgzf(encodeBam(sam(alignments(114, 3000)))), ...BAM, '--index', '-o', 'out.bam');
    const output = read('out.bam');
    const regions = ['chr2', 'chr10:1-3', 'chr1:1-200000000', 'chrM:2-2', 'chr1:100000000-250000000', '*'];
    for (const query of [...regions.map((region) => `samtools view x.bam '${region}'`), 'samtools idxstats x.bam']) {
      const ours = oracle(query, { 'x.bam': output, 'x.bam.bai': read('out.bam.bai') });
      expectSameBytes(bytes(ours), bytes(oracle(`samtools index x.bam && ${query}`, { 'x.bam': output })));
    }
  });

  itWith('samtools')('writes a .csi of BAM that equals that of samtools', async () => {
    await sorted(bgzf(encodeBam(sam(alignments(114, 3000)))), ...BAM, '--index=csi', '-o', 'out.bam');
    const theirs = bytes(oracle('samtools index -c x.bam && cat x.bam.csi', { 'x.bam': read('out.bam') }));
    expectSameBytes(inBinOrder(read('out.bam.csi')), inBinOrder(theirs));
  });

  const files = {
    bed: { input: body(bed(151, 2000, 6)), sorted: body(ordered(bed(151, 2000, 6), bedOrder)) },
    vcf: {
      input: VCF_HEADER + body(variants(152, 2000)),
      sorted: VCF_HEADER + body(ordered(variants(152, 2000), vcfOrder(names))),
    },
    gff: { input: GFF_HEADER + body(genes(153, 2000)), sorted: GFF_HEADER + body(ordered(genes(153, 2000), gffOrder)) },
  };
  for (const [format, { input, sorted: expected }] of Object.entries(files))
    itWith('tabix', 'bgzip')(`writes an index of ${format} that answers queries like that of tabix`, async () => {
      const options = ['--format', format, '--by', 'position', '--output-format', 'bgzf', '-o', 'out.gz'];
      await sorted(input, ...options, '--index=csi');
      await sorted(input, ...options, '--index');
      const output = read('out.gz');
      expectSameBytes(bytes(oracle('bgzip -dc out.gz', { 'out.gz': output })), bytes(expected));
      for (const region of ['chr2', 'chr10:1-20', 'chr1:1000-50000000']) {
        const query = `tabix out.gz ${region}`;
        const ours = oracle(query, { 'out.gz': output, 'out.gz.tbi': read('out.gz.tbi') });
        expectSameBytes(bytes(ours), bytes(oracle(`tabix -p ${format} out.gz && ${query}`, { 'out.gz': output })));
        expect(ours).not.toBe('');
        expect(oracle(query, { 'out.gz': output, 'out.gz.csi': read('out.gz.csi') })).toBe(ours);
      }
    });
});

itWith(
  'samtools',
  'bcftools',
  'sort-bed',
)('checks that the tools of each format accept the files of fixtures/', () => {
  const fixtures = ['alignments.bam', 'alignments.sam', 'variants.vcf', 'regions.bed'].map((name) => [
    name,
    readFileSync(new URL(`../../fixtures/${name}`, import.meta.url)),
  ]);
  oracle(
    'samtools quickcheck alignments.bam && samtools view -h --no-PG alignments.bam | cmp - alignments.sam && ' +
      'bcftools view variants.vcf && tail -n +2 regions.bed | sort-bed -',
    Object.fromEntries(fixtures),
  );
});
