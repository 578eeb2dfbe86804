/** The prose that --help and the manual page share. It has no line breaks, because each of them wraps lines itself. */

import type { Topic } from '../parse/option-values.js';
import { GENERAL_WORDS, GENOMICS_WORDS, wordItems } from '../parse/other-words.js';
import { TYPE_NAMES } from '../parse/record-key.js';
import { algorithmItems, tuningItems } from './algorithms.js';

/** The purpose of the program, in one line. */
export const SUMMARY = 'Sort the lines or records of all FILEs to standard output.';

/** The paragraphs of the description. */
export const DESCRIPTION: readonly string[] = [
  'gpusort is a drop-in replacement for GNU sort. It sorts on any GPU that WebGPU can use, or on the CPU. Its ' +
    'output is that of LC_ALL=C sort in every locale: bytes are compared by value, and only ASCII letters count ' +
    'as letters. --locale sorts text in the order of a language instead. --format and --by sort reads, ' +
    'alignments and intervals.',
];

/** The text of --help before and after the most used options. */
export const SHORT = {
  description:
    'gpusort replaces GNU sort; its output is that of LC_ALL=C sort. With no FILE, or when FILE is -, it reads ' +
    'standard input. --help=all prints everything.',
  arguments:
    "KEYDEF is F[.C][LETTERS][,F[.C][LETTERS]], the key's start and end as field F and byte C; -k2,2n is field 2 " +
    'as a number. SIZE may end in K, M, G or %.',
  /** A sentence for the page under the name of GNU sort. */
  underGnuName: 'This sort is gpusort. The manual page gpusort(1) has the options that only gpusort has.',
};

/** The subjects of the topics of --help. */
export const TOPIC_TITLES: Readonly<Record<Topic, string>> = {
  keys: 'keys, orderings, languages',
  records: 'CSV, JSON, binary records, arrays, headers, segments',
  output: 'output file, duplicates, first and last records, checks',
  engines: 'GPUs and the CPU, algorithms, memory, threads, temporary files',
  reports: 'plan, statistics, progress, completion, versions, exit status',
  genomics: 'reads, alignments, intervals; compressed files',
  cluster: 'sorting on several nodes or in several processes',
  tools: 'words of qsv, DuckDB, pandas, jq and others',
  environment: 'environment variables',
  examples: 'command lines for all of these',
};

/** Where to report bugs, for the manual page. */
export const BUGS: readonly string[] = [
  'Report bugs in the issue tracker of the source repository, with the command and the output of gpusort ' +
    '--version. If gpusort reports an internal error, add the output of the same command with GPUSORT_DEBUG=1. ' +
    'Report vulnerabilities privately, as SECURITY.md in the repository describes.',
];

export interface Section {
  readonly topic: Topic;
  /** Whether the section is also in the help under the name of GNU sort. */
  readonly isGnu?: true;
  readonly title: string;
  readonly blocks: readonly ManualBlock[];
}

/** A paragraph, a list of terms with their meanings, or examples: command lines with descriptions. */
export type ManualBlock = string | { readonly kind: 'terms' | 'examples'; readonly items: readonly Item[] };
export type Item = readonly [term: string, meaning: string];

export const terms = (...items: Item[]): ManualBlock => ({ kind: 'terms', items });

export const SECTIONS: readonly Section[] = [
  {
    topic: 'engines',
    isGnu: true,
    title: 'Arguments',
    blocks: [
      'With no FILE, or when FILE is -, gpusort reads standard input.',
      'SIZE is a number with an optional suffix: b for bytes; K, M, G, T, P or E for powers of 1024; for -S also % ' +
        'of memory. Without a suffix, -S counts in K, other options in bytes.',
    ],
  },
  {
    topic: 'keys',
    isGnu: true,
    title: 'Keys',
    blocks: [
      'KEYDEF is F[.C][LETTERS][,F[.C][LETTERS]]. The key goes from byte C of field F to the second position, ' +
        'inclusive. Fields and bytes count from 1. Without the first C, the key starts at the start of its ' +
        'field. Without the second C, or if it is 0, the key ends at the end of its field. Without the second ' +
        'position, it ends at the end of the line. A key that ends before it starts is empty.',
      'Without -t, a field includes the blanks before it, so -k2 starts with a blank. Blanks are spaces and tabs, ' +
        'and with -z newlines too. With -t SEP, SEP is not part of any field, and there is an empty field between ' +
        'two adjacent SEPs. With the letter b in a position, bytes are counted after the blanks there.',
      'LETTERS are the letters of ordering options. A key with letters uses only these. A key without letters uses ' +
        'the ordering options of the command line, including -r, given before or after it. Without -k, ' +
        'those options apply to the whole line.',
      'Ties are broken by comparing whole lines, in reverse with -r. -s and -u turn this off.',
      'The old form of a key, +F[.C] -F[.C], counts from 0 and is still accepted.',
    ],
  },
  {
    topic: 'keys',
    title: 'Orderings',
    blocks: [
      terms(
        [
          '-n',
          'Compares decimal numbers of any length exactly. Blanks and a minus sign may precede the number. A ' +
            'non-number counts as 0.',
        ],
        ['-g', 'Compares numbers as strtold reads them. Non-numbers come first, then NaN, then -inf.'],
        [
          '-h',
          'Compares the sign, then the suffix (none, k or K, M, G, T, P, E, Z, Y, R, Q), then the number as -n ' +
            'does.',
        ],
        [
          '-M',
          'Compares the first three letters after blanks, in either case. Text that is not a month comes before ' +
            'JAN.',
        ],
        [
          '-V',
          'Compares runs of digits by value. ~ comes before everything, even the end of the text. File suffixes ' +
            'such as .gz are compared last.',
        ],
        ['-R', 'Compares hashes of the key and random bytes, so equal keys stay together.'],
        [
          'E',
          'Only in a key, as in -k2,2nrE: empty keys come after all others, even with r. With --json, missing values ' +
            'and null count as empty.',
        ],
      ),
      '-n, -g, -h and -M are incompatible with each other and with -V, -R, -d and -i. -i has no effect with -d. -V ' +
        'and -R see the key after -d, -i and -f.',
    ],
  },
  {
    topic: 'records',
    title: 'CSV and JSON',
    blocks: [
      'Fields of --csv follow RFC 4180. A field that starts with a quote ends at the next quote that is not doubled. ' +
        'Separators and newlines between the two belong to the field, and a doubled quote stands for one quote. Keys ' +
        'are compared by the unquoted text. Without -k, the key is the whole record as it is written. A carriage ' +
        'return before the newline is not part of a key.',
      '-k NAME[:LETTERS] sorts by the field that the header calls NAME, and only by that field. A NAME that could ' +
        'also be a KEYDEF is read as a KEYDEF. With commas between them, -k takes several: -k price:nr,item. If the ' +
        'header has a name with that text, it is one name.',
      'The PATH of --json is names with dots between them; array elements are numbered from 0. An empty PATH is the ' +
        'whole value. Strings are compared unescaped, in UTF-8; other values are compared as they are written. ' +
        'A missing value, or a line that is not JSON, counts as empty text. If an object has two equal names, the ' +
        'first one counts.',
      'In NAME and PATH, a backslash makes a following colon, comma, dot, digit or backslash part of the name.',
    ],
  },
  {
    topic: 'records',
    title: 'Binary records',
    blocks: [
      '--record-size N reads records of N bytes, without delimiters. KEYDEF is then OFFSET:LENGTH, for bytes ' +
        'compared by value, or OFFSET:TYPE, for a number. OFFSET counts bytes from 0. OFFSET:LENGTH:bytes and ' +
        'OFFSET:LENGTH:TYPE give both the length and the type. :r at the end reverses the key; a key without it ' +
        'follows the -r of the command line. Without -k, the key is the whole record.',
      `TYPE is ${TYPE_NAMES}: unsigned, signed (two's complement) and floating-point numbers of that many bits. le ` +
        'after the type means little-endian, the default; be means big-endian. Floating-point numbers have the ' +
        'total order of IEEE 754: -NaN, -inf, negative numbers, -0, +0, positive numbers, inf, NaN.',
      'Ties are broken by comparing whole records as bytes, in reverse with -r. -s and -u turn this off. Sorts ' +
        'with --array are always stable. -u keeps the first of records with equal keys.',
      'An input must be a whole number of records. The orderings other than -r, and other options for lines, are ' +
        'incompatible with --record-size and --array.',
    ],
  },
  {
    topic: 'genomics',
    title: 'Genomics data',
    blocks: [
      '--format and --by sort whole records of genomics formats. Their bytes do not change. With --by alone, the ' +
        'format is guessed from the name of the first FILE or, failing that, from its first bytes. --format alone ' +
        'uses the first order of the format. Sorts are always stable: ties keep their input order. -r, -u, --top, ' +
        '--bottom, -m and -c work with all orders. Keys, ordering letters, --locale, --header, segments, CSV, JSON ' +
        'and binary records are incompatible with --format and --by.',
      terms(
        ['fastq', 'reads of four lines. A wrapped or truncated read is an error. Orders: those of fasta, and quality.'],
        [
          'fasta',
          'sequences, wrapped or not. Orders: name (the whole first line), id (its first word), natural, seq, ' +
            'length, similar.',
        ],
        [
          'sam, bam',
          'alignments. The header must list the contigs; its @HD line is changed to name the new order. Orders: ' +
            'coordinate, queryname, queryname-ascii, tag:XX, template-coordinate, minimiser. Fields: contig, start, ' +
            'strand, flag, mapq, template-length.',
        ],
        [
          'bed, vcf, gff',
          'intervals; gff is also GTF. Header lines stay first. Order: position. Fields: contig, start; for bed also ' +
            'end, length, name, score, strand; for vcf id, quality; for gff end, length, type, score, strand.',
        ],
      ),
      'The orders:',
      terms(
        ['name', 'by the bytes of the first line, without @ or >'],
        ['id', 'by the bytes of the first word of that line'],
        ['natural', 'by the first line without @ or >, with runs of digits as numbers, as samtools does'],
        ['seq', 'by the bytes of the sequence, without the newlines of wrapped FASTA'],
        ['length', 'by the number of bases, shortest first'],
        ['quality', 'by the mean of the quality bytes, worst first'],
        ['similar', 'by similarity: overlapping reads become neighbors, so the output compresses better'],
        ['coordinate', 'by contig in the order of the header, position and strand; reads without a contig last'],
        ['queryname', 'by name as with natural, then first before second reads, then primary alignments before others'],
        ['queryname-ascii', 'by the bytes of the name, then as queryname'],
        ['tag:XX', 'by the optional field XX, alignments without it first, then by coordinate'],
        [
          'template-coordinate',
          "by the unclipped 5' positions of both ends of a template, then by strands, library, CB, MI and name; " +
            'pairs need the tag MC',
        ],
        [
          'minimiser',
          'by coordinate; reads without a contig by the smallest hash of 20 bases, as samtools sort -M does',
        ],
        [
          'position',
          'by contig and start, then for BED by end and the rest of the line, and for VCF by REF and ALT. Contigs ' +
            'are in the order of the VCF header or of --contigs, otherwise of the bytes of their names. In GFF, ' +
            'parents come before their children of the same start.',
        ],
      ),
      '--by ORDER,ORDER... compares several orders one after another, and :r after an order reverses it: ' +
        'tag:CB,queryname or contig,length:r. Such a list compares only what it names; a tag alone is followed by ' +
        'coordinate. The orders by one field are for lists.',
      '--as picard sorts alignments as Picard does: coordinate breaks ties by name, flags and more fields, and ' +
        'queryname compares names by their bytes. The other values of --as select the default rules.',
      '--mate R2 --mate-out S2 -o S1 R1 sorts R1, and reorders the reads of R2 to match. Names of mates must be ' +
        'equal up to the first blank, except for /1 and /2. With --interleaved, pairs are sorted by their first ' +
        'read. All outputs are compressed in the same way.',
      'Headers of several SAM or BAM inputs are united. Their sequences must agree. If @RG or @PG lines with one ID ' +
        'differ, the ID becomes ID-2 in input 2, and the tags RG and PG of its records follow; --combine-rg and ' +
        '--combine-pg keep the first line instead.',
      'With --by seq, -u keeps the first read of each sequence, and --count appends count=N to its first line.',
      '--index needs -o FILE and bgzf output. It writes FILE.bai for BAM, and FILE.tbi for BED, VCF and GFF. It ' +
        'writes FILE.csi instead if positions beyond 512 Mbp need it, or with --index=csi.',
      'SAM is written as BAM, and BAM as SAM, if the suffix of -o (.sam, .sam.gz, .bam) or --output-format (sam, ' +
        'sam.gz, bam) says so. The content is that of samtools view. A name that contradicts the output is refused.',
      '--check=orders lists each order of the format that the input is in. For each other order it shows the first ' +
        'record that is out of place.',
      'CRAM and BCF are refused: pipe the output of samtools view -h or bcftools view to gpusort.',
    ],
  },
  {
    topic: 'genomics',
    title: 'Options of other tools',
    blocks: [
      'For users of other tools, their options and those of gpusort. The message about an option that only another ' +
        'tool has names the one to use.',
      terms(...wordItems(GENOMICS_WORDS, true)),
    ],
  },
  {
    topic: 'tools',
    title: 'Words of other tools',
    blocks: [
      'For users of other tools, what they type there and here. A word that gpusort has, too, means what it means ' +
        'here. If it fails, or if gpusort does not have it, the message names the words to use. The options of ' +
        'samtools, Picard, seqkit and bedtools are in --help=genomics.',
      terms(...wordItems(GENERAL_WORDS, false)),
    ],
  },
  {
    topic: 'genomics',
    title: 'Compressed files',
    blocks: [
      'A file named .gz, .bgz, .bgzf, .zst, .xz, .bz2 or .lz4 is decompressed if it begins like one, and so is ' +
        'standard input that begins like gzip, BGZF, zstd, xz, bzip2 or lz4. With --format, --by or --decompress, ' +
        'files of any name are decompressed, and one with such a name, or .bam, must begin like it. A damaged or ' +
        'truncated file is an error; so is a BGZF file without its end block.',
      'The programs xz, bzip2 and lz4 read and write their formats. They must be installed, and so must zstd for ' +
        'Node before 22.15 or 23.8.',
      'Other compressed files are sorted as they are. A warning then names the first one, except with --record-size ' +
        'or --array. Parquet, ZIP, tar, Arrow, Avro, ORC, SQLite, BAM, BCF and CRAM are refused, and so is indented ' +
        'JSON with --json; messages name a command that makes lines of them. --decompress=never sorts all bytes as ' +
        'they are, and so does the name sort.',
      'The suffix of the -o FILE, or --output-format, compresses the output; under the name sort, only the option ' +
        'does. bgzf is gzip in blocks, as bgzip writes it: tabix and samtools can seek in it. The output does not ' +
        'depend on the number of threads.',
    ],
  },
  {
    topic: 'cluster',
    title: 'Sorting on a cluster',
    blocks: [
      '--cluster divides the inputs into shares of whole records. Each share is sorted by one task, which stores it ' +
        'in the job directory. Then each range of the output is merged by one task. The output has the same bytes as ' +
        'without --cluster. Inputs, output and job directory must be on a file system that all nodes share.',
      'The job directory is gpusort-NAME.job, where NAME is that of the -o FILE. It is removed when FILE is ' +
        'complete. If something fails before that, it stays, and FILE is unchanged. Run the same command again to ' +
        'resume: only missing tasks are run. Changed inputs and another version of gpusort are refused.',
      '-S, -T, --parallel and --engine apply to each task. Without them, a task uses the memory, processors and ' +
        'GPUs that Slurm gives it. If one machine sorts the input faster, it is sorted on this machine, with a ' +
        'warning, unless --tasks or --output-parts is given.',
      '--explain prints the plan: shares and ranges, bytes read and written, disk space and time. It also says ' +
        'whether the job directory already exists.',
      '--cluster prepare prints three lines: the path of the job directory (DIR below), the number of shares, and ' +
        'the number of ranges. Then run these commands, on any machines that share the files:',
      terms(
        ['gpusort --cluster-task DIR/share-0000', 'for each share, in any order or at once'],
        ['gpusort --cluster-task DIR/splitters', 'after all shares'],
        ['gpusort --cluster-task DIR/range-0000', 'for each range, in any order or at once'],
        ['gpusort --cluster-task DIR/finish', 'after all ranges: checks the ranges, makes the -o FILE and removes DIR'],
      ),
      'A task that is already done ends at once, so all of these commands except the last may be repeated.',
      'Standard input, standard output and segments that span shares are not supported.',
    ],
  },
  {
    topic: 'engines',
    title: 'Algorithms',
    blocks: [
      '--algorithm requests an algorithm, and --engine an engine. If an algorithm runs on both engines, the ' +
        'planner chooses the engine. Arrays have short keys, and so do binary records with at most 16 bytes of ' +
        'keys in all; other binary records have long keys.',
      terms(...algorithmItems()),
      'A tuning chooses how an algorithm does one of its steps on a GPU. It changes the speed, never the output, and ' +
        'the default is usually the fastest. Several are separated by commas: --algorithm ' +
        'merge:search-wide,merge-windows.',
      terms(...tuningItems()),
    ],
  },
  {
    topic: 'examples',
    title: 'Examples',
    blocks: [
      'The files are in fixtures/ of the source repository.',
      {
        kind: 'examples',
        items: [
          ['gpusort words.txt > sorted.txt', 'sort a file'],
          ['gpusort -u -o words.txt words.txt', 'sort a file in place without repeats'],
          ["cut -d ' ' -f 1 access.log | gpusort -S 4G -T /tmp", 'sort a pipe in 4 GiB of memory'],
          ['gpusort -t, -k3,3n -k1,1 people.csv', 'sort by the third field as a number, then by the first'],
          ['gpusort -hr sizes.txt', 'sort sizes as du -h prints them, largest first'],
          ['gpusort -t "||" -u -k2,2 parts.txt', 'keep one line for each second field'],
          ['gpusort --csv -k price:nr goods.csv', 'sort by price, highest first, below the header'],
          ['gpusort --json user.id:n log.jsonl', 'sort lines of JSON by a number'],
          ['find . -print0 | gpusort -z', 'sort file names, each ended by NUL'],
          ['gpusort --debug -t, -k3n people.csv', 'show the keys that are compared'],
          ['gpusort --locale=sv names.txt', 'sort in Swedish dictionary order'],
          ['gpusort --header 2 -t, -k2,2n stations.csv', 'keep the first two lines at the top'],
          ['gpusort -hr --top 10 sizes.txt', 'write the ten largest sizes'],
          ['gpusort --count words.txt', 'count equal lines'],
          ['gpusort --record-size 16 --key 0:4 -o sorted.bin records.bin', 'sort binary records by 4 bytes of each'],
          [
            'gpusort --record-size 16 -k 0:u64 -k 8:u64:r -o sorted.bin events.bin',
            'sort binary records by two numbers of each, the second one descending',
          ],
          ['gpusort --array f64 -o values.bin values.bin', 'sort an array of numbers in place'],
          [
            'gpusort -t, --segment-by 1,1 -k3,3nr scores.csv',
            'sort each group of adjacent lines with the same first field',
          ],
          ['gpusort --segments blank notes.txt', 'sort the lines of each paragraph'],
          ['gpusort --by natural reads.fastq > sorted.fastq', 'sort reads by name, numbers by value'],
          [
            'gpusort --by similar --mate reads_R2.fastq --mate-out b.fq -o a.fq reads.fastq',
            'sort pairs of reads by similarity',
          ],
          ['gpusort --by seq -u --count reads.fastq', 'keep one read of each sequence, with their number'],
          ['gpusort --by coordinate --index -o sorted.bam alignments.bam', 'sort and index alignments'],
          ['gpusort --check=orders alignments.bam', 'list the orders that a file is in'],
          ['gpusort --by position --contigs natural regions.bed', 'sort intervals, contig_2 before contig_10'],
          ['gpusort --format vcf --index -o sorted.vcf.gz variants.vcf', 'sort, compress and index variants'],
          [
            "gpusort --cluster slurm --slurm-options '-p long' -o sorted.log access.log",
            'sort on the nodes of a cluster, if the files are large',
          ],
          ['gpusort --cluster local:4 --tasks 8 -o sorted.log access.log', 'sort in four processes of this host'],
          ['gpusort --explain words.txt', 'show the plan and its reasons'],
        ],
      },
    ],
  },
  {
    topic: 'keys',
    title: 'Languages',
    blocks: [
      '--locale=TAG compares UTF-8 text on the CPU, by the collation that ICU has for TAG. The environment has no ' +
        'effect on it. Extensions of TAG choose variants: u-co a collation (de-u-co-phonebk), u-kn numbers by ' +
        'value (en-u-kn), u-kf-upper uppercase first.',
      '--locale does not change how fields are found, how bytes are counted, or how -n, -g, -h, -M, -V and -R ' +
        'compare. -d keeps letters and digits of all scripts, -i keeps printing characters, and -f converts to ' +
        'uppercase by the rules of the language.',
      'Bytes that are not UTF-8 sort last. Ties are broken by comparing whole lines in the order of the language, ' +
        'then by their bytes. -u keeps one of the lines that the language considers equal.',
    ],
  },
  {
    topic: 'records',
    title: 'Segments',
    blocks: [
      'A segment is a group of adjacent records with equal keys (--segment-by), or of lines between blank lines ' +
        '(--segments blank). A blank line holds at most spaces, tabs and a carriage return; it keeps its place. A ' +
        'segment also keeps its place, and is sorted by itself: -r, -u and -s apply within it. Output starts before ' +
        'all input is read. -c checks only the order within segments. Segments are incompatible with -m.',
    ],
  },
  {
    topic: 'reports',
    title: 'Statistics',
    blocks: [
      '--stats reports these stages: start, read, upload, inflate (on a GPU), tokenize (find the records), keys (put ' +
        'keys before lines), prefix (load the first bytes of each key), sort, combine (cut and merge runs), gather ' +
        '(put text in order), deflate (on a GPU), spill and reload (temporary files), read-back and write. order and ' +
        'merge replace stages that an engine cannot time separately.',
      'A stage is busy while it works; waiting is the rest of the time from its first start to its last end. Bytes ' +
        'are bytes of text. If runs are combined, their text goes through tokenize, prefix and gather twice. One ' +
        'line shows how many bytes were copied to the GPU and back.',
    ],
  },
  {
    topic: 'reports',
    title: 'Completion',
    blocks: [
      '--completions=SHELL prints a script that makes SHELL complete options, their values and file names. To ' +
        'install it, add a line to the file that the shell reads when it starts:',
      terms(
        ['~/.bashrc', 'eval "$(gpusort --completions=bash)"'],
        ['~/.zshrc, after compinit', 'eval "$(gpusort --completions=zsh)"'],
        ['~/.config/fish/config.fish', 'gpusort --completions=fish | source'],
      ),
    ],
  },
  {
    topic: 'reports',
    title: 'Exit status',
    blocks: [
      terms(
        ['0', 'success'],
        ['1', '-c or -C found the input out of order, or the word for --sort or --check is invalid, as in GNU sort'],
        ['2', 'any other error, including errors in the command line'],
      ),
    ],
  },
  {
    topic: 'environment',
    title: 'Environment',
    blocks: [
      terms(
        [
          'GPUSORT_OPTIONS',
          'default options, separated by blanks and quoted as in a shell; the command line takes precedence; only ' +
            '--engine, --buffer-size, --temporary-directory, --parallel, --progress and --color are allowed, ' +
            'because they cannot change the output; --explain shows the options in effect; ignored if the program ' +
            'is called sort',
        ],
        [
          'GPUSORT_HUGE_PAGES',
          'on Linux, auto (default): a large sort of files starts itself again with memory in pages of 2 MiB if that ' +
            'saves time, as on virtual machines where new memory is slow; always: every sort that is not small, also ' +
            'of pipes; never: none',
        ],
        ['TMPDIR', 'directory for temporary files if -T is not given'],
        ['NO_COLOR', 'if not empty: no color'],
        ['FORCE_COLOR, CLICOLOR_FORCE', 'if not empty: color even if standard error is not a terminal'],
        ['POSIXLY_CORRECT', 'options end at the first FILE, except -o'],
        ['_POSIX2_VERSION', 'from 200112 to 200808: +F alone is a FILE, not a key'],
        ['UV_THREADPOOL_SIZE', 'maximum number of reads in progress at once (default 16)'],
        ['XDG_CACHE_HOME', 'directory for the cache of compiled code (default ~/.cache)'],
        ['NODE_DISABLE_COMPILE_CACHE', 'if not empty: do not cache compiled code'],
        ['GPUSORT_DEBUG', 'if not empty: print the stack of an error, and what Vulkan drivers write'],
        [
          'SLURM_JOB_ID',
          'set in a Slurm job: gpusort then uses the threads, memory and GPUs of the job, which it reads from ' +
            'SLURM_CPUS_PER_TASK, SLURM_CPUS_ON_NODE, SLURM_MEM_PER_NODE, SLURM_MEM_PER_CPU, SLURM_JOB_GPUS and ' +
            'CUDA_VISIBLE_DEVICES',
        ],
        ['SLURM_CLUSTERS', 'the cluster that --cluster slurm submits to, if there are several'],
      ),
    ],
  },
];
