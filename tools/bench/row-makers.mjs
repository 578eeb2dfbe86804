/** Makes the rows of rows.mjs, by kind. */
import { sortLines } from './duckdb.mjs';

/**
 * The input of a row of genomics.
 * @typedef {object} Genomics
 * @property {'fastq' | 'sam' | 'bam' | 'bed'} format
 * @property {readonly string[]} by options of the order
 * @property {string} input a name of genomics-inputs.mjs
 * @property {number} records of a simulated input
 * @property {string | null} becomes an input of BAM that has the records of the output; null: the input has them
 * @property {boolean} equal the output must be the first peer's, byte for byte
 * @property {boolean} mates there are two files of mates
 */

/**
 * @typedef {object} Row
 * @property {string} id
 * @property {string} group a name by which --rows selects several rows
 * @property {string} title
 * @property {string | undefined} kind of generate.mjs; none: `genomics` has the input
 * @property {number} bytes
 * @property {readonly string[]} own options that only gpusort takes
 * @property {readonly string[]} order ordering options, for all programs that sort
 * @property {string} duckdb the statement that DuckDB runs
 * @property {readonly string[]} programs names of commands.mjs, in the order in which they run: gnu before the programs
 * that are compared with it
 * @property {readonly string[]} once programs that are timed only once, because they take long
 * @property {number} repeat multiplies the requested number of runs
 * @property {number | null} threads for the peers; null: all cores
 * @property {'lines' | 'records' | 'genomics'} format of the output
 * @property {Genomics} [genomics]
 * @property {Record<string, string>} [shells] bash commands of programs, see genomics-rows.mjs
 * @property {string} [numbers] the type of an array, for its peers (array-peers.mjs)
 * @property {readonly string[]} [ties] of records: keys by which records with equal keys must be in order, see
 *   record-keys.mjs
 * @property {string} [edit] a shell command that edits the generated text
 * @property {number} [parts] number of inputs, if not one
 * @property {readonly string[]} [sorted] options by which the input, or each part, is sorted beforehand
 * @property {boolean} [listed] the inputs' names are in a file, for --files0-from
 * @property {readonly string[]} [gnuOrder] options of GNU sort, if they differ from `order`
 * @property {string} [unlike] the locale of a GNU sort with `gnuOrder`, whose order differs from gpusort's
 * @property {string} [shell] a shell command that does the same in a pipeline: `$SORT` is the program, by default GNU
 *   sort, and `$1` the input
 * @property {readonly string[]} [plain] options of the plain gpusort sort used for comparison
 */

export const TO_FILE = ['gpusort', 'gpusort > file'];
export const TO_PIPE = ['cat to a pipe', 'gpusort to a pipe'];
export const CPU = ['--engine', 'cpu'];
export const GPU = ['--engine', 'gpu'];

export const line = (id, group, title, kind, bytes, own, threads) => ({
  id,
  group,
  title,
  kind,
  bytes,
  own,
  order: [],
  duckdb: sortLines('VARCHAR'),
  programs: ['gnu', 'gpusort', 'cp', 'duckdb', 'uutils'],
  once: [],
  repeat: 1,
  threads,
  format: 'lines',
});

/** Sorting compared with copying. */
export const copying = (id, title, kind, bytes, more = []) => ({
  ...line(id, 'l', title, kind, bytes, [], 16),
  programs: ['gnu', ...TO_FILE, 'cp', 'duckdb', ...more],
  once: ['gnu'],
});

/** A row on two cores, compared with GNU sort. `order` may hold -S and -m. */
export const beside = (id, title, kind, bytes, order, more = {}) => ({
  ...line(id, id[0], title, kind, bytes, [...CPU, '--parallel', '2'], 2),
  order,
  programs: ['gnu', 'gpusort'],
  ...more,
});

/** A row on two cores in a pipeline of bash: `$SORT` is the program, `$1` the input. */
export const piped = (id, title, kind, bytes, shell, more = {}) =>
  beside(id, `${title}, CPU`, kind, bytes, [], {
    programs: ['gnu shell', 'gpusort shell', 'hold shell'],
    shell,
    gnuOrder: more.order ?? [],
    ...more,
  });
export const PIPE_TO_PIPE = 'cat "$1" | $SORT | cat';
/** If more than the pipes is measured, storing the text is no limit. */
export const WITHOUT_HOLD = { programs: ['gnu shell', 'gpusort shell'] };
/** Lines that begin with one of 100 numbers, in no order. */
export const HUNDRED = `awk 'BEGIN { srand(1) } { print int(100 * rand()) " " $0 }'`;

/** An ordering on two cores of the CPU, or on the GPU with 16 (ON_GPU). */
export const keys = (id, title, kind, bytes, order, more = {}) =>
  beside(id, title, kind, bytes, order, { programs: ['gnu', 'gpusort', 'uutils'], ...more });
export const ON_GPU = { own: GPU, threads: 16, once: ['gnu'] };

/** The cost of --verify, and of `more` options. */
export const verified = (id, title, kind, bytes, order, engine, threads, more = []) => ({
  ...line(id, 'v', title, kind, bytes, [...engine, '--parallel', String(threads)], threads),
  order,
  programs: ['gpusort', 'gpusort --verify', ...more],
});

/** A row on 16 cores. It gives -S, because the memory of some machines grows as it is used. */
export const manyCores = (id, title, kind, bytes, own, order, programs, more = {}) => ({
  ...line(id, 'h', title, kind, bytes, own, 16),
  order: ['-S', '64G', ...order],
  programs,
  once: ['gnu'],
  ...more,
});
export const TSV_KEYS = ['-t', '\t', '-k3,3', '-k1,1nr'];
/** A row for an option, on two cores. */
export const option = (id, title, kind, bytes, order, more = {}) =>
  beside(id, `${title}, ${bytes / 1e6} MB, CPU`, kind, bytes, order, more);
/** The same for -c, which writes nothing. */
export const checking = (id, title, kind, bytes, order) => ({
  ...option(id, title, kind, bytes, ['-c', ...order], { sorted: order }),
  programs: ['gnu', 'gpusort > file'],
});
/**
 * The same for an option that only gpusort has, compared with a plain sort. If GNU sort (`gnuOrder`; `unlike`: in an
 * order of its own), a pipeline around it (`shell`) or DuckDB (`duckdb`) can do the same, they are timed, too. They run
 * once, because they take long.
 */
export const ownOption = (id, title, kind, bytes, order, plain, more = {}) => ({
  ...option(id, title, kind, bytes, order, more),
  plain,
  programs: [
    ...(more.shell ? ['gnu shell'] : more.unlike ? ['gnu unlike'] : more.gnuOrder ? ['gnu'] : []),
    'gpusort',
    'gpusort plain',
    ...(more.duckdb ? ['duckdb'] : []),
  ],
  once: ['gnu', 'gnu shell', 'gnu unlike', 'duckdb'],
});
export const MONTHS = `awk 'BEGIN { split("JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC none", m) } { print m[1 + $1 % 13] " " $1 }'`;
export const SUFFIXES = `awk 'BEGIN { split("K M G T", s) } { print int($1 / 1e4) / 10 s[$1 % 5] " " $1 }'`;
export const JSON_LINES = `awk -F, '{ print "{\\"amount\\":" $3 ",\\"name\\":\\"" $1 "\\",\\"text\\":\\"" $2 "\\"}" }'`;
export const QUOTED = `sed 's/[^,]*/"&"/2'`;
export const SEGMENTS = `awk '{ print "part" int(NR / 100) " " $0 }'`;

/** Input near its order on the GPU: the planner's choice, and the radix sort. */
export const nearSorted = (id, title, kind, bytes, more) => ({
  ...line(id, 'f', title, kind, bytes, GPU, 16),
  programs: [...(more.format === 'records' ? [] : ['gnu']), 'gpusort', 'gpusort --algorithm radix', 'cp'],
  once: ['gnu'],
  ...more,
});

/** Binary records on the GPU, compared with copying. */
export const recordsOnGpu = (id, title, kind, bytes, keys, more = {}) => ({
  ...line(id, 'r', `${title}, GPU`, kind, bytes, [...GPU, ...keys], 16),
  programs: ['gpusort', 'cp'],
  format: 'records',
  ...more,
});
/** The same on two cores of the CPU, compared with other programs. */
export const recordsOnCpu = (id, title, kind, bytes, keys, more) => ({
  ...line(id, 'u', `${title}, CPU`, kind, bytes, [...CPU, '--parallel', '2', ...keys], 2),
  format: 'records',
  ...more,
});
export const array = (type) => ['--array', type];
export const SORT_BENCHMARK = ['--record-size', '100', '--key', '0:10'];
export const EVENTS = ['--record-size', '32', '--key', '8:u64'];
export const ARRAY_PEERS = ['gpusort', 'numpy', 'vqsort', 'vqsort avx2', 'cp'];

/** A size of the growth plot. */
export const growth = (gigabytes) => ({
  ...line(`n${gigabytes}`, 'n', `${gigabytes} GB of 100-byte lines`, 'random100', gigabytes * 1e9, [], null),
  programs: ['gpusort', 'gpusort --gpu-memory 4G', 'cp'],
});
