/** The options for genomics data and compressed files: rows of the option table, in the order of --help. */
import { FORMAT_NAMES, PROGRAM_FORMS, THREAD_FORMS, TOOL_NAMES } from '../../job/job.js';
import { FORMATS } from '../../records/formats.js';
import { ALIGNMENT_FORMS } from '../parse/option-values.js';
import { GENOMICS, inGroup, SEGMENTS } from './option.js';
import { LETTER_ROWS } from './ordering-rows.js';
import * as parsers from './parsers.js';

/** Options that define records or their order. They conflict with formats, which define both. */
const NOT_FORMATS = [
  'key',
  'per',
  ...LETTER_ROWS.map(({ long }) => long).filter((long) => long !== 'reverse'),
  'sort',
  'random-source',
  'field-separator',
  'zero-terminated',
  'debug',
  'csv',
  'tsv',
  'json',
  'record-size',
  'array',
  ...SEGMENTS,
  'locale',
  'header',
  'header-prefix',
];

/** The completions of --by. A tag must be named. */
const ORDERS = [
  ...new Set([
    ...FORMAT_NAMES.flatMap((name) => FORMATS[name].orders),
    ...FORMAT_NAMES.flatMap((name) => FORMATS[name].fieldOrders),
  ]),
].filter((name) => name !== 'tag:XX');

/** The value of --decompress that keeps all bytes. */
const NEVER: string = 'never';

export const GENOMICS_ROWS = inGroup(GENOMICS, 'genomics', [
  {
    long: 'format',
    argument: 'FORMAT',
    words: { choices: FORMAT_NAMES.map((name) => [name]) },
    parse: parsers.word,
    conflicts: NOT_FORMATS,
    help: `sort records of FORMAT (${FORMAT_NAMES.join(', ')}); compressed inputs are decompressed`,
  },
  {
    long: 'by',
    argument: 'ORDER',
    words: { choices: ORDERS.map((name) => [name]) },
    parse: parsers.text,
    conflicts: NOT_FORMATS,
    common: true,
    help:
      'sort genomics data by ORDER; reads: name (the default), id, natural, seq, length, quality, similar; ' +
      'alignments: coordinate (the default), queryname, queryname-ascii, tag:XX, template-coordinate, minimiser; ' +
      'intervals: position; several orders with commas between them are compared in turn, and :r reverses one; ' +
      'without --format, the format is guessed from the name and the first bytes of the first FILE',
  },
  {
    long: 'as',
    argument: 'TOOL',
    words: { choices: TOOL_NAMES.map((name) => [name]) },
    parse: parsers.word,
    later: true,
    help: `break ties and compare names as TOOL does (${TOOL_NAMES.join(', ')})`,
  },
  {
    long: 'contigs',
    argument: 'FILE',
    words: { choices: [['natural']] },
    parse: parsers.text,
    completes: 'file',
    help:
      'sort the contigs of intervals in the order of FILE, which lists them in its first column (.fai, genome ' +
      'file) or in @SQ lines (.dict, SAM); if FILE is the word natural, by the numbers in their names',
  },
  {
    long: 'mate',
    argument: 'FILE',
    parse: parsers.texts,
    completes: 'file',
    conflicts: ['merge', 'interleaved', 'files0-from'],
    help:
      'reorder the reads of FILE to match those of the input; both must have the same names in the same order; may ' +
      'be given several times, for example for index reads',
  },
  {
    long: 'mate-out',
    argument: 'FILE',
    parse: parsers.texts,
    completes: 'file',
    conflicts: ['check'],
    help: 'write the reads of --mate to FILE; the first --mate-out is for the first --mate, and so on',
  },
  { long: 'interleaved', help: 'keep pairs together; in the input, each read is followed by its mate' },
  {
    long: 'combine-rg',
    later: true,
    conflicts: ['check'],
    help: 'if @RG lines of several SAM or BAM inputs share an ID, keep the first and leave the records as they are',
  },
  { long: 'combine-pg', later: true, conflicts: ['check'], help: 'the same for @PG lines' },
  {
    long: 'decompress',
    argument: 'WHEN',
    bare: 'always',
    words: { choices: [['always'], ['never']] },
    parse: parsers.word,
    conflicts: (when) => (when === NEVER ? ['format', 'by'] : []),
    named: (when) => (when === NEVER ? '--decompress=never' : '--decompress'),
    help:
      'decompress inputs whose first bytes are those of gzip, BGZF, zstd, xz, bzip2 or lz4; WHEN is always (the ' +
      'default) or never; without this option only if the suffix of the file agrees, or on standard input; never ' +
      'also sorts the bytes of Parquet, ZIP and other files that are refused otherwise',
  },
  {
    long: 'output-format',
    argument: 'FORM',
    // Words added later do not change abbreviations: `b` still means bgzf.
    words: {
      choices: ['plain', ...THREAD_FORMS, ...ALIGNMENT_FORMS, ...PROGRAM_FORMS].map((name) => [name]),
      later: [...ALIGNMENT_FORMS, ...PROGRAM_FORMS],
    },
    parse: parsers.word,
    conflicts: ['check'],
    help:
      'compress the output, or convert alignments; FORM is plain, gzip, bgzf, zstd, xz, bzip2 or lz4, or for ' +
      'alignments sam, sam.gz or bam; by default the suffix of the -o FILE decides (.sam, .bam; .gz, .bgz, .bgzf: ' +
      'bgzf; .zst, .xz, .bz2, .lz4), and BAM is compressed as bgzf',
  },
  {
    long: 'level',
    argument: 'N',
    parse: parsers.count,
    later: true,
    help: 'compress at level N (0 to 9; zstd 1 to 19, bzip2 1 to 9, lz4 1 to 12; default 1, for BAM 6)',
  },
  {
    long: 'pg',
    later: true,
    conflicts: ['check'],
    help:
      'name this program, its version and the command line in the header (an @PG line of SAM and BAM, ' +
      '##gpusortCommand of VCF)',
  },
  {
    long: 'index',
    argument: 'KIND',
    bare: 'auto',
    words: { choices: [['auto'], ['csi']] },
    parse: parsers.word,
    conflicts: ['check'],
    help:
      'write an index beside the -o FILE; KIND is auto (.bai for BAM, .tbi for BED, VCF and GFF in bgzf, .csi if ' +
      'positions beyond 512 Mbp need it; the default) or csi',
  },
]);
