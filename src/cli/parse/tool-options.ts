/**
 * The options of samtools, seqkit, bedtools and Picard, with gpusort's. The help, the manual page, the table of
 * docs/genomics.md and the remedies of messages are made from this table.
 */
import type { FormatName } from '../../job/job.js';

/** The tools, with the formats that they sort. */
export const OTHER_TOOLS = {
  samtools: ['sam', 'bam'],
  Picard: ['sam', 'bam'],
  seqkit: ['fastq', 'fasta'],
  bedtools: ['bed', 'vcf', 'gff'],
} as const satisfies Record<string, readonly FormatName[]>;
export type OtherTool = keyof typeof OTHER_TOOLS;

interface ToolOption {
  readonly tool: OtherTool;
  /** The option's spellings, the first one with the name of its argument. */
  readonly there: readonly [string, ...string[]];
  /** gpusort's option; null: there is none. */
  readonly here: string | null;
  /** A further remark; if there is no option here, the reason. */
  readonly note?: string;
}

export const TOOL_OPTIONS: readonly ToolOption[] = [
  { tool: 'samtools', there: ['-@ N', '--threads'], here: '--parallel N', note: 'N counts all threads' },
  { tool: 'samtools', there: ['-l N'], here: '--level N' },
  { tool: 'samtools', there: ['-u'], here: '--level 0', note: '-u means --unique' },
  { tool: 'samtools', there: ['-n'], here: '--by queryname' },
  { tool: 'samtools', there: ['-N'], here: '--by queryname-ascii' },
  { tool: 'samtools', there: ['-t XX'], here: '--by tag:XX' },
  { tool: 'samtools', there: ['--template-coordinate'], here: '--by template-coordinate' },
  { tool: 'samtools', there: ['-M'], here: '--by minimiser' },
  { tool: 'samtools', there: ['-O FORM', '--output-fmt'], here: '--output-format FORM' },
  { tool: 'samtools', there: ['-o -'], here: '-o -', note: 'standard output, also without -o; ./- is a file' },
  { tool: 'samtools', there: ['--write-index'], here: '--index' },
  { tool: 'samtools', there: ['-m SIZE'], here: '-S SIZE', note: 'for all threads together; -m means --merge' },
  { tool: 'samtools', there: ['-T PREFIX'], here: '-T DIR', note: 'a directory' },
  { tool: 'samtools', there: ['--no-PG'], here: null, note: 'gpusort adds @PG only with --pg' },
  { tool: 'Picard', there: ['SORT_ORDER=ORDER', 'SO=', '-SO', '--SORT_ORDER'], here: '--by ORDER' },
  { tool: 'Picard', there: ['INPUT=FILE', 'I=', '-I', '--INPUT'], here: 'FILE' },
  { tool: 'Picard', there: ['OUTPUT=FILE', 'O=', '-O', '--OUTPUT'], here: '-o FILE' },
  { tool: 'Picard', there: ['CREATE_INDEX=true', '--CREATE_INDEX'], here: '--index' },
  { tool: 'Picard', there: ['COMPRESSION_LEVEL=N', '--COMPRESSION_LEVEL'], here: '--level N' },
  { tool: 'Picard', there: ['TMP_DIR=DIR', '--TMP_DIR'], here: '-T DIR' },
  { tool: 'Picard', there: ['MAX_RECORDS_IN_RAM=N', '--MAX_RECORDS_IN_RAM'], here: '-S SIZE', note: 'in bytes' },
  { tool: 'seqkit', there: ['-n', '--by-name'], here: '--by name' },
  { tool: 'seqkit', there: ['-N', '--natural-order'], here: '--by natural' },
  { tool: 'seqkit', there: ['-s', '--by-seq'], here: '--by seq', note: '-s means --stable' },
  { tool: 'seqkit', there: ['-l', '--by-length'], here: '--by length' },
  { tool: 'seqkit', there: ['-j N', '--threads'], here: '--parallel N' },
  { tool: 'seqkit', there: ['--out-file FILE'], here: '-o FILE' },
  { tool: 'seqkit', there: ['-2', '--two-pass'], here: '-S SIZE', note: 'memory is always bounded' },
  { tool: 'bedtools', there: ['-i FILE'], here: 'FILE' },
  { tool: 'bedtools', there: ['-g FILE', '-faidx'], here: '--contigs FILE' },
  { tool: 'bedtools', there: ['-header'], here: null, note: 'header lines always stay' },
  { tool: 'bedtools', there: ['-sizeA', '-sizeD'], here: '--by length', note: '--by length:r for the longest first' },
  {
    tool: 'bedtools',
    there: ['-chrThenSizeA', '-chrThenSizeD'],
    here: '--by contig,length',
    note: '--by contig,length:r',
  },
  {
    tool: 'bedtools',
    there: ['-chrThenScoreA', '-chrThenScoreD'],
    here: '--by contig,score',
    note: '--by contig,score:r',
  },
];

/** The name in the spelling of an option: without its argument, but with the equals sign of Picard. */
export const nameIn = (spelling: string): string => /^[^ =]+=?/.exec(spelling)![0];

/** Each option with its tool, and gpusort's option for it. */
export function toolItems(): readonly (readonly [term: string, meaning: string])[] {
  return TOOL_OPTIONS.map(({ tool, there, here, note }) => [
    `${tool} ${there.join(', ')}`,
    [here ?? 'nothing', ...(note === undefined ? [] : [note])].join('; '),
  ]);
}
