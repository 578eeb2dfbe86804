/** The options for genomics data and compressed files: rows of the option table, in the order of --help. */
import { COMPRESSED_FORMS, FORMAT_NAMES, TOOL_NAMES } from '../../job.js';
import { GENOMICS, inGroup, SEGMENTS } from './option.js';
import { LETTER_ROWS } from './ordering-rows.js';
import * as parsers from './parsers.js';

/** Options that say what a record is, or how records are ordered. A format and its orders say both. */
const NOT_FORMATS = [
  'key',
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

export const GENOMICS_ROWS = inGroup(GENOMICS, [
  {
    long: 'format',
    argument: 'FORMAT',
    words: { choices: FORMAT_NAMES.map((name) => [name]) },
    parse: parsers.word,
    conflicts: NOT_FORMATS,
    help: `read records of FORMAT: ${FORMAT_NAMES.join(', ')}; compressed inputs are decompressed`,
  },
  {
    long: 'by',
    argument: 'ORDER',
    parse: parsers.text,
    conflicts: NOT_FORMATS,
    help:
      'sort by ORDER: name, id, natural, seq, length, quality or similar for reads; coordinate, queryname, ' +
      'queryname-ascii or tag:XX for alignments; position for intervals; without --format, the format is guessed',
  },
  {
    long: 'as',
    argument: 'TOOL',
    words: { choices: TOOL_NAMES.map((name) => [name]) },
    parse: parsers.word,
    later: true,
    help: `order ties and names as TOOL does: ${TOOL_NAMES.join(', ')}`,
  },
  {
    long: 'contigs',
    argument: 'FILE',
    parse: parsers.text,
    completes: 'file',
    help:
      'sort contigs in the order in which FILE lists them (first column, or @SQ lines), or, if FILE is natural, by ' +
      'the numbers in their names; for intervals',
  },
  {
    long: 'mate',
    argument: 'FILE',
    parse: parsers.texts,
    completes: 'file',
    conflicts: ['merge', 'interleaved', 'files0-from'],
    help:
      'move the reads of FILE with those of the input, which have the same names in the same order; may be given ' +
      'several times',
  },
  {
    long: 'mate-out',
    argument: 'FILE',
    parse: parsers.texts,
    completes: 'file',
    conflicts: ['check'],
    help: 'write the reads of the --mate with the same place in the command line to FILE',
  },
  { long: 'interleaved', help: 'keep pairs together: each read of FASTQ is followed by its mate' },
  { long: 'decompress', help: 'decompress inputs that are gzip, BGZF or zstd by their content' },
  {
    long: 'output-format',
    argument: 'FORM',
    words: { choices: [['plain'], ...COMPRESSED_FORMS.map((name) => [name])] },
    parse: parsers.word,
    conflicts: ['check'],
    help:
      'write FORM: plain, gzip, bgzf or zstd; with --format, the suffix of the -o FILE decides otherwise, and BAM is ' +
      'bgzf',
  },
  {
    long: 'level',
    argument: 'N',
    parse: parsers.count,
    later: true,
    help: 'compress at level N: 0 to 9, for zstd 1 to 19 (default 1; for BAM 6)',
  },
  {
    long: 'index',
    conflicts: ['check'],
    help: 'write an index beside the -o FILE: .bai or .csi for BAM, .tbi for bgzf BED, VCF and GFF',
  },
]);
