/**
 * The words of other tools, with gpusort's: one table for the remedies of messages, the help, the manual page and the
 * tables of docs/genomics.md and docs/compatibility.md. It is loaded only for errors, warnings and help.
 */
import { FORMAT_NAMES, type FormatName } from '../../job/job.js';
import { FORMATS } from '../../records/formats.js';

/** The tools for genomics data, with the formats that they sort. */
export const OTHER_TOOLS = {
  samtools: ['sam', 'bam'],
  Picard: ['sam', 'bam'],
  seqkit: ['fastq', 'fasta'],
  bedtools: ['bed', 'vcf', 'gff'],
} as const satisfies Record<string, readonly FormatName[]>;
export type OtherTool = keyof typeof OTHER_TOOLS;

export interface OtherWord {
  /** The tools that have the word, or `several`. */
  readonly tool: string;
  /** The spellings, the first one with the name of its argument; with `given`, examples in the syntax of a shell. */
  readonly there: readonly [string, ...string[]];
  /** What to type for gpusort instead, for the same example; null: nothing. */
  readonly here: string | null;
  /** A further remark; if there is nothing here, the reason. */
  readonly note?: string;
  /**
   * For words that gpusort may accept: matches them on the command line, with a newline before each word. The texts of
   * its groups replace those of the first example in `here`.
   */
  readonly given?: string;
  /** With `given`: the error or warning has one of these texts. {NAME} is the text of the group NAME. */
  readonly failed?: readonly string[];
  /** Whether a similar word that gpusort has is a better guess. */
  readonly yields?: true;
}

/** The options of tools for genomics data. */
export const GENOMICS_WORDS: readonly (OtherWord & { readonly tool: OtherTool })[] = [
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

const NAME = '(?<NAME>[A-Za-z_][^\\n:,]*)';
/** A sign of a table on the command line: --csv, --tsv or a file with such a name. */
const SIGN = '\\n(?:--[ct]sv|[^\\n]+\\.[ct]sv)(?=\\n)';
const TABLE = `(?:(?=[^]*${SIGN})|(?<=${SIGN}[^]*))`;
const LETTERS = '[bdfghiMnRrVE]';
const ORDERS = FORMAT_NAMES.flatMap((name) => {
  const { orders, fieldOrders, synonyms } = FORMATS[name];
  return [...orders, ...fieldOrders, ...Object.keys(synonyms)];
}).join('|');

/** The words of `text` in -k and in --json; groups: KEY is all of it, NAME the name in it. */
const key = (text: string): string => `(?:-k\\n?|--key[\\n=])(?<KEY>${text})`;
const path = (text: string): string => `--json[\\n=](?<KEY>${text})`;
/** The message quotes the key, or says that no field has its name. */
const KEY_FAILED = ["'{KEY}'", "is named '{NAME}", "is named '{KEY}'"];

/** What may follow a name in a key elsewhere, and the same for the KEYDEF of a column with the name price. */
const AFTER_NAMES: readonly (readonly [after: string, text: string, letters: string, note?: string])[] = [
  [':desc', ':(?:desc|DESC|descending)', ':r', 'write :nr for numbers'],
  [':asc', ':(?:asc|ASC|ascending)', '', 'ascending is the default'],
  [':numeric', ':(?:numeric|number|num|int|integer|float)', ':n'],
];

/** A name of a type of numbers in other programs. */
const typeWord = (here: string, ...there: [string, ...string[]]): OtherWord => ({
  tool: 'pandas, DuckDB, C',
  there: there.map((one) => `--array ${one}`) as [string, ...string[]],
  here: `--array ${here}`,
  given: `--array[\\n=](?:${there.join('|')})`,
  failed: ['unknown type'],
});

/** The words of other programs that sort, or that people use on the same files. */
export const GENERAL_WORDS: readonly OtherWord[] = [
  {
    tool: 'qsv, xan, csvkit, DuckDB',
    there: ['--no-header', '--no-headers', '--no-header-row'],
    here: '--header 0',
    note: 'only --csv and --tsv expect a header',
  },
  {
    tool: 'several',
    there: ['--has-header', '--keep-header', '--skip-header', '--with-header', '--headers'],
    here: '--header 1',
    note: '--csv and --tsv keep the header by themselves',
  },
  { tool: 'fzf', there: ['--header-lines N'], here: '--header N' },
  {
    tool: 'several',
    there: ['--header yes', '--header true', '--header on'],
    here: '--header 1',
    note: 'the argument is a number of lines',
    given: '--header[\\n=](?:yes|true|on|y|Y|Yes|True)',
    failed: ['--header argument'],
  },
  {
    tool: 'pandas, DuckDB',
    there: ['--header no', '--header false', '--header none'],
    here: '--header 0',
    note: 'the argument is a number of lines',
    given: '--header[\\n=](?:no|false|off|none|n|N|No|False|None)',
    failed: ['--header argument'],
  },
  {
    tool: 'several',
    there: ["--csv=';'"],
    here: "--csv -t ';'",
    given: '--csv=(?<SEP>[^\\n]{1,4})',
    failed: ["'--csv' doesn't allow"],
  },
  {
    tool: 'qsv, xan, csvkit, cut, pandas, Miller, awk',
    there: ['--delimiter SEP', '--delim', '--separator', '--sep', '--fs', '--ifs', '-F'],
    here: '-t SEP',
  },
  {
    tool: 'qsv, xan, csvkit, cut',
    there: ["-d ';'", '-d ,', '-d,'],
    here: "-t ';'",
    note: '-d means --dictionary-order',
    given: '-d\\n?(?<SEP>[^\\w\\n./\\\\-][^\\w\\n./\\\\-]{0,3})',
    failed: ['cannot read: {SEP}: ', "invalid option -- '"],
  },
  {
    tool: 'several',
    there: ["-d '\\t'"],
    here: "-t $'\\t'",
    note: '-d means --dictionary-order; --tsv reads tables with tabs',
    given: '-d\\n?\\\\t',
    failed: ['cannot read: ', "invalid option -- '"],
  },
  ...AFTER_NAMES.flatMap(([after, text, letters, note]): OtherWord[] => [
    {
      tool: 'several',
      there: [`-k price${after}`],
      here: `--csv -k price${letters}`,
      ...(note === undefined ? {} : { note }),
      given: key(`${NAME}${text}`),
      failed: KEY_FAILED,
    },
    {
      tool: 'several',
      there: [`--json user.id${after}`],
      here: `--json user.id${letters}`,
      ...(note === undefined ? {} : { note }),
      given: path(`${NAME}${text}`),
      failed: KEY_FAILED,
    },
  ]),
  {
    tool: 'DuckDB, SQL',
    there: ['-k price,desc', "-k 'price desc'"],
    here: '--csv -k price:r',
    note: 'write :nr for numbers',
    given: key('(?<NAME>[A-Za-z_][^\\n:,]*?)[, ](?:desc|DESC|descending)'),
    failed: ["'{KEY}'", "is named 'desc"],
  },
  {
    tool: 'DuckDB, SQL',
    there: ['-k price,asc', "-k 'price asc'"],
    here: '--csv -k price',
    note: 'ascending is the default',
    given: key('(?<NAME>[A-Za-z_][^\\n:,]*?)[, ](?:asc|ASC|ascending)'),
    failed: ["'{KEY}'", "is named 'asc"],
  },
  {
    tool: 'several',
    there: ['-k -price'],
    here: '--csv -k price:r',
    note: 'write :nr for numbers',
    given: key('-(?![bcdfghimMnrRsuVz]+\\n)(?<NAME>[A-Za-z_][^\\n:,]*)'),
    failed: KEY_FAILED,
  },
  {
    tool: 'several',
    there: ['-k price:x'],
    here: '--csv -k price:n',
    note: 'the letters are those of options; write \\: for a colon in a name',
    given: key(`${NAME}:(?!${LETTERS}*\\n)[^\\n]+`),
    failed: ["start of '{KEY}'", "in key '{KEY}'"],
  },
  {
    tool: 'several',
    there: ['-k 2:n', '-k 1:n'],
    here: '-k 2,2n',
    given: key(`(?<FIELD>[1-9]\\d*):(?<LETTER>${LETTERS}+)`),
    failed: ["'{KEY}'", "is named '{FIELD}'"],
  },
  {
    tool: 'cut',
    there: ['-k 1-3'],
    here: '-k 1,3',
    given: key('(?<FIRST>[1-9]\\d*)-(?<LAST>[1-9]\\d*)'),
    failed: ["'{KEY}'"],
  },
  {
    tool: 'csvkit',
    there: ['-c price'],
    here: '--csv -k price',
    note: '-c checks that one FILE is sorted',
    given: '-c\\n(?<NAME>[A-Za-z_][A-Za-z0-9_ ]*)(?!\\n-)',
    failed: ['not allowed with -c', 'open failed: {NAME}: '],
  },
  {
    tool: 'qsv, xan',
    there: ['-s price'],
    here: '--csv -k price',
    note: '-s means --stable',
    given: '-s\\n(?<NAME>[A-Za-z_][A-Za-z0-9_ ]*)',
    failed: ['cannot read: {NAME}: '],
  },
  {
    tool: 'Miller',
    there: ['-nr price x.csv'],
    here: '--csv -k price:nr',
    given: `${TABLE}-(?<LETTERS>${LETTERS}+)\\n(?<NAME>[A-Za-z_][A-Za-z0-9_ ]*)`,
    failed: ['cannot read: {NAME}: '],
  },
  {
    tool: 'qsv, xan, csvkit, DuckDB, pandas',
    there: ['--sort-by NAME', '--order-by', '--select', '--column', '--columns', '--fields'],
    here: '--csv -k NAME',
  },
  { tool: 'xan, pandas', there: ['--order desc', '--descending', '--desc'], here: '-r' },
  {
    tool: 'several',
    there: ['--ascending', '--asc'],
    here: null,
    note: 'ascending is the default',
  },
  {
    tool: 'several',
    there: ['--sort desc', '--sort descending'],
    here: '-r',
    given: '--sort[\\n=](?:desc|DESC|descending)',
    failed: ["for '--sort'"],
  },
  {
    tool: 'several',
    there: ['--sort price'],
    here: '--csv -k price',
    given: `--sort[\\n=]${NAME}`,
    failed: ["invalid argument '{NAME}' for '--sort'"],
    yields: true,
  },
  {
    tool: 'several',
    there: ['--by price'],
    here: '--csv -k price',
    note: '--by is for genomics data',
    given: `--by[\\n=](?!(?:${ORDERS})[\\n:,])${NAME}`,
    failed: ['cannot guess the format', 'format cannot be guessed'],
  },
  {
    tool: 'DuckDB, SQL',
    there: ["'ORDER BY price DESC'"],
    here: '--csv -k price:r',
    note: 'write :nr for numbers',
    given: '(?<SQL>(?:ORDER BY|order by) (?<NAME>[^\\n,]+) (?:DESC|desc))',
    failed: ['cannot read: {SQL}: '],
  },
  {
    tool: 'DuckDB, SQL',
    there: ["'ORDER BY price'"],
    here: '--csv -k price',
    given: '(?<SQL>(?:ORDER BY|order by) (?<NAME>[^\\n, ]+)(?: ASC| asc)?)',
    failed: ['cannot read: {SQL}: '],
  },
  { tool: 'DuckDB, pandas', there: ['--nulls-last', '--na-position'], here: '--csv -k NAME:nE' },
  {
    tool: 'several',
    there: ['--format csv'],
    here: '--csv',
    given: '--format[\\n=](?:csv|CSV)',
    failed: ["for '--format'"],
  },
  {
    tool: 'several',
    there: ['--format tsv'],
    here: '--tsv',
    given: '--format[\\n=](?:tsv|TSV)',
    failed: ["for '--format'"],
  },
  {
    tool: 'several',
    there: ['--format json', '--format jsonl', '--format ndjson'],
    here: '--json PATH',
    given: '--format[\\n=](?:json|JSON|jsonl|ndjson)',
    failed: ["for '--format'"],
  },
  {
    tool: 'DuckDB, pandas',
    there: ['--format parquet'],
    here: 'duckdb -csv -c "FROM \'FILE\'" | gpusort --csv',
    note: 'gpusort reads text',
    given: '--format[\\n=](?:parquet|PARQUET|arrow|feather|orc|avro)',
    failed: ["for '--format'"],
  },
  { tool: 'seqkit, make, qsv, ripgrep', there: ['--threads N', '--jobs', '-j', '-@'], here: '--parallel N' },
  {
    tool: 'samtools',
    there: ['-m 4G'],
    here: '-S 4G',
    note: '-m means --merge',
    given: '-m\\n(?<SIZE>\\d+[KMGTkmgt])',
    failed: ['cannot read: {SIZE}: '],
  },
  {
    tool: 'DuckDB, qsv',
    there: ['--memory SIZE', '--mem', '--max-memory', '--memory-limit'],
    here: '-S SIZE',
  },
  {
    tool: 'several',
    there: ['-S 4GB', '-S 4GiB'],
    here: '-S 4G',
    note: 'units are powers of 1024',
    given: '(?<OPTION>-S|--(?:buffer-size|chunk-size|gpu-memory))[\\n=]?(?<SIZE>\\d+[KMGTkmgt])i?[Bb]',
    failed: ['invalid suffix in'],
  },
  {
    tool: 'several',
    there: ['-S 1.5G'],
    here: '-S SIZE',
    note: 'SIZE is a whole number, for example 1536M',
    given: '(?:-S|--buffer-size)[\\n=]?\\d*\\.\\d+[A-Za-z]*',
    failed: ['invalid suffix in', 'argument '],
  },
  {
    tool: 'several',
    there: ['-S max', '-S all'],
    here: '-S 90%',
    given: '(?:-S|--buffer-size)[\\n=]?(?:max|all|auto|unlimited)',
    failed: ['argument '],
  },
  {
    tool: 'several',
    there: ['--gpu x.csv'],
    here: '--engine gpu x.csv',
    note: '--gpu abbreviates --gpu-memory',
    given: '--gpu(?:\\n(?<FILE>[^\\n]+))?',
    failed: ["--gpu-memory argument '{FILE}'", "'--gpu-memory' requires an argument"],
  },
  { tool: 'several', there: ['--cuda', '--use-gpu'], here: '--engine gpu' },
  { tool: 'several', there: ['--cpu', '--no-gpu'], here: '--engine cpu' },
  {
    tool: 'several',
    there: ['--device', '--gpu-id'],
    here: '--engine gpu',
    note: 'the system chooses the GPU, and --adapters lists those that it has',
  },
  { tool: 'several', there: ['--list-gpus', '--list-devices'], here: '--adapters' },
  { tool: 'sed, perl', there: ['--in-place', '--inplace'], here: '-o FILE FILE' },
  {
    tool: 'several',
    there: ['--force', '--overwrite'],
    here: null,
    note: '-o replaces FILE once the output is complete',
  },
  { tool: 'qsv', there: ['--random'], here: '--shuffle', note: '-R keeps equal keys together' },
  { tool: 'pandas, qsv', there: ['--random-state N', '--random-seed', '--rng-seed'], here: '--seed N' },
  { tool: 'csvkit, pandas', there: ['--sample-size N', '--nsample'], here: '--sample N' },
  {
    tool: 'shuf',
    there: ['--random-source short'],
    here: '--random-source FILE',
    note: 'FILE needs at least 16 bytes',
    given: '--random-source[\\n=][^\\n]+',
    failed: [': end of file'],
  },
  {
    tool: 'DuckDB, pandas, head, shuf, qsv',
    there: ['--limit N', '--head', '--head-count', '--first', '-N'],
    here: '--top N',
  },
  {
    tool: 'head, shuf',
    there: ['-n 3'],
    here: '--top 3',
    note: '-n means --numeric-sort',
    given: '-n\\n(?<N>\\d+)',
    failed: ['cannot read: {N}: '],
  },
  {
    tool: 'several',
    there: ['--top 10%'],
    here: '--top N',
    note: 'N is a number of records',
    given: '--(?:top|bottom|sample)[\\n=]\\d+%',
    failed: ['argument '],
  },
  { tool: 'tail, pandas', there: ['--tail N', '--last'], here: '--bottom N' },
  {
    tool: 'DuckDB, pandas',
    there: ['--group-by NAME', '--groupby', '--partition-by', '--group'],
    here: '--per NAME --top N',
    note: '--count counts records with equal keys',
  },
  {
    tool: 'pandas',
    there: ['--keep last'],
    here: '--unique=last',
    note: 'it keeps the last of records with equal keys',
    given: '--keep[\\n=]last',
    failed: ["unrecognized option '--keep"],
  },
  {
    tool: 'several',
    there: ['--unique last', '-u last'],
    here: '--unique=last',
    given: '(?:-u|--unique)\\n(?<WHICH>last|first)',
    failed: ['cannot read: {WHICH}: '],
  },
  {
    tool: 'DuckDB, pandas, qsv, uniq',
    there: ['--distinct', '--dedup', '--keep', '--drop-duplicates'],
    here: '-u',
    note: 'it keeps the first of records with equal keys',
  },
  { tool: 'several', there: ['--dry-run', '--plan'], here: '--explain' },
  { tool: 'several', there: ['--verbose', '-v'], here: '--stats', note: '--version prints the version' },
  { tool: 'time, DuckDB', there: ['--time', '--timing', '--timer'], here: '--stats' },
  {
    tool: 'several',
    there: ['--quiet', '--silent', '-q', '--no-progress'],
    here: '--progress never',
    note: 'warnings and errors stay',
  },
  { tool: 'several', there: ['--is-sorted', '--sortcheck', '--check-sorted'], here: '-c' },
  { tool: 'several', there: ['--case-insensitive', '--nocase', '--no-case'], here: '-f' },
  { tool: 'several', there: ['--natural', '--natural-sort'], here: '-V' },
  { tool: 'xargs, find, ripgrep', there: ['--null', '--print0', '-0'], here: '-z' },
  { tool: 'several', there: ['--gzip'], here: '--output-format gzip' },
  { tool: 'several', there: ['--zstd'], here: '--output-format zstd' },
  {
    tool: 'ripgrep, grep',
    there: ['--recursive'],
    here: 'find DIR -type f -print0 | gpusort --files0-from=-',
  },
  { tool: 'several', there: ['--tmp DIR', '--tmpdir', '--temp-dir', '--tmp-dir'], here: '-T DIR' },
  {
    tool: 'ripgrep, sambamba',
    there: ['--config'],
    here: 'GPUSORT_OPTIONS',
    note: 'an environment variable, see --help=environment',
  },
  {
    tool: 'several',
    there: ['--unstable'],
    here: null,
    note: 'ties are broken by comparing whole lines, unless -s is given',
  },
  {
    tool: 'several',
    there: ['--date'],
    here: null,
    note: 'ISO dates such as 2026-01-31 sort right as text; -M is for names of months',
  },
  {
    tool: 'several',
    there: ['--encoding'],
    here: null,
    note: 'bytes are written as they were read; iconv converts them',
  },
  {
    tool: 'several',
    there: ['--locale english'],
    here: '--locale TAG',
    note: 'TAG is a language tag such as en, de or sv',
    given: '--locale[\\n=][A-Za-z]{4,}',
    failed: ['--locale argument'],
  },
  typeWord('f64', 'float64', 'double'),
  typeWord('f32', 'float32', 'float'),
  typeWord('i8', 'int8'),
  typeWord('u8', 'uint8', 'byte', 'char'),
  typeWord('i16', 'int16', 'short'),
  typeWord('u16', 'uint16'),
  typeWord('i32', 'int32', 'int'),
  typeWord('u32', 'uint32', 'uint'),
  typeWord('i64', 'int64', 'long'),
  typeWord('u64', 'uint64', 'size_t'),
  {
    tool: 'samtools',
    there: ['-n x.bam'],
    here: '--by queryname x.bam',
    note: '--by coordinate is for positions',
    given: `-(?:${LETTERS}+)\\n(?<FILE>[^\\n]+\\.[bs]am)`,
    failed: ['{FILE}: this is BAM'],
  },
  {
    tool: 'jq, JSONPath',
    there: ["--json '$.user.id'", '--json .user.id'],
    here: '--json user.id',
    given: '--json[\\n=]\\$?\\.(?<PATH>[^\\n:]+)(?::[^\\n]*)?',
    failed: ['no record has a JSON value at', 'of path'],
  },
  { tool: 'BSD sort', there: ['--mmap'], here: null, note: 'files are read straight into the memory of the sort' },
  {
    tool: 'BSD sort',
    there: ['--radixsort', '--mergesort', '--qsort', '--heapsort'],
    here: '--algorithm NAME',
    note: 'by default, gpusort chooses one; see --help=engines',
  },
  { tool: 'Go, Java', there: ['-help'], here: '--help' },
  { tool: 'Go, Java', there: ['-version'], here: '--version' },
];

/** The name in the spelling of an option: without its argument, but with the equals sign of Picard. */
export const nameIn = (spelling: string): string => /^[^ =]+=?/.exec(spelling)![0];

/** Each row as a term and its meaning, for the help. `namesTools`: whether the term begins with the tools. */
export const wordItems = (
  words: readonly OtherWord[],
  namesTools: boolean,
): readonly (readonly [term: string, meaning: string])[] =>
  words.map(({ tool, there, here, note }) => [
    `${namesTools ? `${tool} ` : ''}${there.join(', ')}`,
    [here ?? 'nothing', ...(note === undefined ? [] : [note])].join('; '),
  ]);
