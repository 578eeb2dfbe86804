/** The comparisons that --rows selects: a file and programs for each. Sizes are those of --scale 1. Runs nothing. */

import { sortCsv, sortLines } from './duckdb.mjs';
import { GENOMICS_ROWS } from './genomics-rows.mjs';
import {
  ARRAY_PEERS,
  array,
  beside,
  CPU,
  checking,
  copying,
  EVENTS,
  GPU,
  growth,
  HUNDRED,
  JSON_LINES,
  keys,
  line,
  MONTHS,
  manyCores,
  nearSorted,
  ON_GPU,
  option,
  ownOption,
  PIPE_TO_PIPE,
  piped,
  QUOTED,
  recordsOnCpu,
  recordsOnGpu,
  SEGMENTS,
  SORT_BENCHMARK,
  SUFFIXES,
  TO_FILE,
  TO_PIPE,
  TSV_KEYS,
  verified,
  WITHOUT_HOLD,
} from './row-makers.mjs';

/** @typedef {import('./row-makers.mjs').Row} Row */

/** @type {readonly Row[]} */
export const ROWS = [
  line('a', 'a', '5 M lines of 11 bytes, CPU', 'random11', 55e6, [...CPU, '--parallel', '2'], 2),
  line('b', 'b', '1 M lines of 100 bytes, CPU', 'random100', 100e6, [...CPU, '--parallel', '2'], 2),
  {
    ...line('c', 'c', '1 KB', 'random11', 1024, [], null),
    programs: ['gnu', 'gpusort', 'node'],
    repeat: 7,
  },
  line('d1', 'd', '2 GB of 100-byte lines, GPU', 'random100', 2e9, GPU, 16),
  line('d2', 'd', '50 M lines of 11 bytes, GPU', 'random11', 550e6, GPU, 16),
  line('e1', 'e', '200 MB of URLs, CPU', 'urls', 200e6, CPU, null),
  line('e2', 'e', '200 MB of DNA reads, CPU', 'dna150', 200e6, CPU, null),
  line('e3', 'e', '200 MB in order, CPU', 'sorted100', 200e6, CPU, null),
  line('e4', 'e', '200 MB of one line, CPU', 'equal100', 200e6, CPU, null),
  line('f1', 'f', '2 GB of URLs, GPU', 'urls', 2e9, GPU, 16),
  line('f2', 'f', '2 GB of DNA reads, GPU', 'dna150', 2e9, GPU, 16),
  line('f3', 'f', '2 GB in order, GPU', 'sorted100', 2e9, GPU, 16),
  line('f4', 'f', '2 GB of one line, GPU', 'equal100', 2e9, GPU, 16),
  nearSorted('f5', '2 GB of a log near its order, GPU', 'log64', 2e9, {}),
  nearSorted('f6', '2 GB of a log, its last hundredth in disorder, GPU', 'appended', 2e9, {}),
  nearSorted('f7', '2 GB of u64 near their order, --array u64le, GPU', 'u64-near256', 2e9, {
    own: [...GPU, ...array('u64le')],
    format: 'records',
  }),
  {
    ...line(
      'g',
      'g',
      '20 M records of 100 bytes, 10-byte keys, GPU',
      'records100',
      2e9,
      [...GPU, '--record-size', '100', '--key', '0:10'],
      null,
    ),
    programs: ['gpusort', 'cp'],
    format: 'records',
  },
  copying('l1', '10 GB of 100-byte lines', 'random100', 10e9, TO_PIPE),
  copying('l2', '200 M lines of 11 bytes', 'random11', 2.2e9, TO_PIPE),
  copying('l3', '5 GB of URLs', 'urls', 5e9, TO_PIPE),
  copying('l4', '5 GB of DNA reads', 'dna150', 5e9, TO_PIPE),
  copying('l5', '5 GB in order', 'sorted100', 5e9),
  copying('l6', '5 GB of one line', 'equal100', 5e9),
  { ...copying('l7', '20 GB of 100-byte lines', 'random100', 20e9), programs: [...TO_FILE, 'cp'] },
  {
    ...copying('l8', '100 MB of 100-byte lines', 'random100', 100e6),
    once: [],
  },
  keys('k1', '5 M integers, -n, CPU', 'integers', 44e6, ['-n']),
  keys('k2', '1 M lines of CSV, -t, -k3,3n -k1,1, CPU', 'csv', 33e6, ['-t,', '-k3,3n', '-k1,1']),
  keys('k3', '1 M version strings, -V, CPU', 'versions', 22e6, ['-V']),
  keys('k4', '2 M words, -f, CPU', 'capitals', 16e6, ['-f']),
  keys('k5', '5 M lines, 10 % distinct, -u, CPU', 'tenth', 82e6, ['-u']),
  keys('k6', '5 GB of TSV, -t TAB -k2,2n, GPU', 'tsv', 5e9, ['-t', '\t', '-k2,2n'], ON_GPU),
  keys('k7', '40 M integers, -n, GPU', 'integers', 352e6, ['-n'], {
    ...ON_GPU,
    duckdb: sortLines('BIGINT'),
    programs: ['gnu', 'gpusort', 'duckdb', 'uutils', 'cp'],
  }),
  verified('v1', '1 M lines of 100 bytes, CPU', 'random100', 100e6, [], CPU, 2),
  verified('v2', '5 M lines of 11 bytes, CPU', 'random11', 55e6, [], CPU, 2),
  verified('v3', '5 M integers, -n, CPU', 'integers', 44e6, ['-n'], CPU, 2),
  verified('v4', '1 M lines of CSV, -t, -k3,3n, CPU', 'csv', 33e6, ['-t,', '-k3,3n'], CPU, 2),
  verified('v7', '500 MB of 100-byte lines, CPU', 'random100', 5e8, [], CPU, 2, ['gpusort --sync', 'gpusort --stats']),
  verified('v5', '4 GB of 100-byte lines, GPU', 'random100', 4e9, [], GPU, 16),
  verified('v6', '4 GB of TSV, -t TAB -k2,2n, GPU', 'tsv', 4e9, ['-t', '\t', '-k2,2n'], GPU, 16),
  beside('o1', '4 GB, -S 512M, CPU', 'random100', 4e9, ['-S', '512M']),
  beside('o2', '1 GB, -S 64M, CPU', 'random100', 1e9, ['-S', '64M']),
  beside('o3', '1 GB, -S 16M, CPU', 'random100', 1e9, ['-S', '16M']),
  beside('o4', '1 GB in order, -S 256M, CPU', 'sorted100', 1e9, ['-S', '256M']),
  beside('s1', '1 GB in order, CPU', 'sorted100', 1e9, []),
  beside('s2', '1 GB reversed, CPU', 'random100', 1e9, [], { sorted: ['-r'] }),
  beside('s3', '500 MB of one line, CPU', 'equal100', 5e8, []),
  beside('s4', '500 MB of 100 distinct lines, CPU', 'equal100', 5e8, [], { edit: HUNDRED }),
  beside('m1', '-m of 8 files of 125 MB, CPU', 'random100', 1e9, ['-m'], { parts: 8, sorted: [] }),
  beside('m2', '-m of 200 files of 5 MB, CPU', 'random100', 1e9, ['-m'], { parts: 200, sorted: [] }),
  {
    ...beside('m3', '-m of 8 files of 1 GB of words', 'words', 8e9, ['-m'], {
      parts: 8,
      sorted: [],
      own: [],
      threads: 16,
      once: ['gnu'],
    }),
    programs: ['gnu', 'gpusort', 'cat'],
  },
  piped('t1', '1 GB from pipe to pipe', 'random100', 1e9, PIPE_TO_PIPE),
  piped('t2', '500 MB of words from pipe to pipe', 'words', 5e8, PIPE_TO_PIPE),
  piped('t3', '500 MB of URLs from pipe to pipe', 'urls', 5e8, PIPE_TO_PIPE),
  piped('t4', '500 MB of integers from pipe to pipe, -n', 'integers', 5e8, PIPE_TO_PIPE, { order: ['-n'] }),
  piped('t5', '1 GB, < FILE', 'random100', 1e9, '$SORT < "$1"'),
  piped('t6', '1 GB, cat FILE | > FILE', 'random100', 1e9, 'cat "$1" | $SORT'),
  piped('t7', '200 MB of words, zcat FILE |', 'words', 2e8, 'zcat < "$1" | $SORT', { edit: 'gzip -1' }),
  // A sort that is no longer read ends by SIGPIPE.
  piped('t8', '1 GB, | head -n 1', 'random100', 1e9, '($SORT "$1" || true) | head -n 1', WITHOUT_HOLD),
  piped('t9', '200 MB of words, | uniq -c | sort -rn', 'words', 2e8, '$SORT "$1" | uniq -c | sort -rn', WITHOUT_HOLD),
  manyCores(
    'h1',
    '4 GB of access-log lines, CPU, 16 cores',
    'access',
    4e9,
    CPU,
    [],
    ['gnu', 'gpusort', 'duckdb', 'cp'],
  ),
  manyCores('h2', '1 GB of words, CPU, 16 cores', 'words', 1e9, CPU, [], ['gnu', 'gpusort', 'duckdb', 'cp']),
  manyCores('h3', '2 GB of TSV, -t TAB -k3,3 -k1,1nr, CPU, 16 cores', 'tsv', 2e9, CPU, TSV_KEYS, [
    'gnu',
    'gpusort',
    'cp',
  ]),
  manyCores('h4', '4 GB of access-log lines, GPU', 'access', 4e9, GPU, [], ['gnu', 'gpusort', 'cp']),
  manyCores('h5', '4 GB of TSV, -t TAB -k3,3 -k1,1nr, GPU', 'tsv', 4e9, GPU, TSV_KEYS, ['gnu', 'gpusort', 'cp']),
  {
    ...line('h6', 'h', '20 GB, --gpu-memory 8G -S 8G, GPU', 'random100', 20e9, [...GPU, '--gpu-memory', '8G'], 16),
    order: ['-S', '8G'],
    programs: ['gnu', 'gpusort'],
    once: ['gnu'],
  },
  manyCores('h7', '8 GB of integers, -n, CPU, 16 cores', 'integers', 8e9, CPU, ['-n'], ['gpusort', 'duckdb', 'cp'], {
    duckdb: sortLines('BIGINT'),
  }),
  manyCores(
    'h8',
    '820 MB, 1 % distinct lines, -u, CPU, 16 cores',
    'tenth',
    820e6,
    CPU,
    ['-u'],
    ['gnu', 'gpusort', 'duckdb'],
    { duckdb: sortLines('VARCHAR', { select: 'DISTINCT line' }) },
  ),
  manyCores(
    'h9',
    '2 GB of CSV, by two named columns, CPU, 16 cores',
    'csv',
    2e9,
    CPU,
    ['--csv', '-k', 'name', '-k', 'amount:nr'],
    ['gpusort', 'duckdb', 'cp'],
    {
      edit: "sed '1i name,word,amount,date'",
      plain: [],
      duckdb: sortCsv(
        { name: 'VARCHAR', word: 'VARCHAR', amount: 'DECIMAL(10, 2)', date: 'VARCHAR' },
        'name, amount DESC, word, date',
      ),
    },
  ),
  checking('p1', '-c', 'sorted100', 5e8, []),
  checking('p2', '-c -n of 5 M integers', 'integers', 44e6, ['-n']),
  checking('p3', '-c -t, -k3,3n of 1 M lines of CSV', 'csv', 33e6, ['-t,', '-k3,3n']),
  option('p4', '-m -n of 8 files', 'integers', 44e6, ['-m', '-n'], { parts: 8, sorted: ['-n'] }),
  option('p5', '-m -s -k2,2 of 8 files', 'tsv', 6e7, ['-m', '-s', '-k2,2'], { parts: 8, sorted: ['-s', '-k2,2'] }),
  option('p6', '-m -u of 8 files', 'tenth', 82e6, ['-m', '-u'], { parts: 8, sorted: [] }),
  option('p7', '-u, few distinct lines', 'words', 2e7, ['-u']),
  option('p8', '-s -k1,1, TSV', 'tsv', 3e7, ['-s', '-k1,1']),
  option('p9', '-z', 'tenth', 5e8, ['-z'], { edit: "tr '\\n' '\\0'" }),
  option('p10', '-M, months', 'integers', 5e8, ['-M'], { edit: MONTHS, once: ['gnu'] }),
  option('p11', '-h, sizes', 'integers', 5e8, ['-h'], { edit: SUFFIXES, once: ['gnu'] }),
  option('p12', '-g, integers', 'integers', 5e8, ['-g'], { once: ['gnu'] }),
  option('p13', '-d, URLs', 'urls', 3e7, ['-d']),
  option('p14', '-i, words', 'capitals', 16e6, ['-i']),
  ownOption('p15', '-R, version strings', 'versions', 5e8, ['-R'], ['-V'], { unlike: 'C', gnuOrder: ['-R'] }),
  ownOption('p16', '--top 10', 'random11', 5e8, ['--top', '10'], [], {
    shell: 'head -n 10 <($SORT "$1")',
    duckdb: sortLines('VARCHAR', { limit: 10 }),
  }),
  ownOption('p17', '--top 1000000', 'random11', 5e8, ['--top', '1000000'], [], {
    shell: 'head -n 1000000 <($SORT "$1")',
    duckdb: sortLines('VARCHAR', { limit: 1e6 }),
  }),
  ownOption('p18', '--bottom 1000000', 'random11', 5e8, ['--bottom', '1000000'], [], {
    shell: '$SORT "$1" | tail -n 1000000',
  }),
  ownOption('p19', '--count, words', 'words', 5e8, ['--count'], [], {
    shell: '$SORT "$1" | uniq -c',
    duckdb: sortLines('VARCHAR', { select: "format('{:7d} {}', count(*), line)", group: true }),
  }),
  ownOption('p20', '--header 1', 'random11', 5e8, ['--header', '1'], [], {
    shell: 'head -n 1 "$1"; tail -n +2 "$1" | $SORT',
  }),
  ownOption('p21', '--csv with quotes, -k3,3n', 'csv', 5e8, ['--csv', '--header', '0', '-k3,3n'], ['-t,', '-k3,3n'], {
    edit: QUOTED,
    gnuOrder: ['-t,', '-k3,3n'],
    duckdb: sortCsv(
      { name: 'VARCHAR', word: 'VARCHAR', amount: 'DECIMAL(10, 2)', date: 'VARCHAR' },
      'amount, name, word, date',
      { header: false },
    ),
  }),
  ownOption('p22', '--json amount:n, JSON lines', 'csv', 5e8, ['--json', 'amount:n'], ['-t:', '-k2,2n'], {
    edit: JSON_LINES,
    gnuOrder: ['-t:', '-k2,2n'],
    duckdb: sortLines('VARCHAR', { order: "CAST(json_extract_string(line, '$.amount') AS DOUBLE), line" }),
  }),
  ownOption('p23', '--segment-by 1,1, segments of 100 lines', 'random11', 5e8, ['--segment-by', '1,1'], [], {
    edit: SEGMENTS,
    shell: `awk '$1 != last { n++; last = $1 } { print n "\\t" $0 }' "$1" | $SORT -t '\t' -k1,1n -k2 | cut -f 2-`,
  }),
  ownOption('p24', '--locale de, words', 'capitals', 5e8, ['--locale', 'de'], [], {
    unlike: 'de_DE.UTF-8',
    gnuOrder: [],
  }),
  option('p25', '--files0-from of 2,000 files', 'random100', 1e8, [], { parts: 2000, listed: true }),
  option('p26', '-m -k1.1,1.5 of 200 files', 'random100', 1e8, ['-m', '-k1.1,1.5'], {
    parts: 200,
    sorted: ['-k1.1,1.5'],
  }),
  option('p27', '--compress-program=gzip -S 32M', 'random11', 44e6, ['-S', '32M', '--compress-program=gzip']),
  option('p28', '1,000 lines of 100 KB', 'sorted100', 1e8, [], { edit: "tr '\\n' ' ' | fold -b -w 100000" }),
  ...[1, 2, 5, 10, 20].map(growth),
  recordsOnGpu('r1', '10 GB of u32, --array u32le', 'u32', 10e9, array('u32le')),
  recordsOnGpu('r2', '10 GB of u64+u64, --array u64le+u64', 'u64+u64', 10e9, array('u64le+u64'), { ties: ['8:u64'] }),
  recordsOnGpu('r3', '10 GB of f64, --array f64le', 'f64', 10e9, array('f64le')),
  recordsOnGpu('r4', '10 GB of records of 100 bytes, --key 0:10', 'sortbenchmark', 10e9, SORT_BENCHMARK),
  recordsOnGpu('r5', '10 GB of events near their order, --key 8:u64', 'events', 10e9, EVENTS),
  recordsOnGpu('r6', '10 GB of events in no order, --key 8:u64', 'events-uniform', 10e9, EVENTS),
  recordsOnCpu('u1', '100 M u32, --array u32le', 'u32', 400e6, array('u32le'), {
    programs: ARRAY_PEERS,
    numbers: 'u32le',
  }),
  recordsOnCpu('u2', '50 M f64, --array f64le', 'f64', 400e6, array('f64le'), {
    programs: ARRAY_PEERS,
    numbers: 'f64le',
  }),
  recordsOnCpu(
    'u3',
    '500 MB of records of 100 bytes, -s --key 0:10',
    'sortbenchmarktext',
    500e6,
    [...SORT_BENCHMARK, '-s'],
    { programs: ['gnu', 'gpusort', 'cp'], gnuOrder: ['-s', '-k1.1,1.10'] },
  ),
  recordsOnCpu('u4', '25 M u64+u64, --array u64le+u64', 'u64+u64', 400e6, array('u64le+u64'), {
    programs: ['gpusort', 'cp'],
    ties: ['8:u64'],
  }),
  recordsOnCpu('u5', '400 MB of events near their order, --key 8:u64', 'events', 400e6, EVENTS, {
    programs: ['gpusort', 'cp'],
  }),
  ...GENOMICS_ROWS,
];

/**
 * The rows that a list of ids and groups selects, with only the listed peers. gpusort always stays; `pipe` stands for
 * both programs that write to a pipe.
 * @param {string} list for example `a,b,d1`
 * @param {string} [peers] for example `gnu,cp`; default: all
 * @returns {Row[]}
 */
export function chooseRows(list, peers) {
  const names = list.split(',');
  const unknown = names.filter((name) => !ROWS.some((row) => row.id === name || row.group === name));
  if (unknown.length > 0)
    throw new Error(`unknown rows: ${unknown.join(', ')}; there are ${ROWS.map((row) => row.id).join(', ')}`);
  const stays = (program) => {
    const peer = TO_PIPE.includes(program) ? 'pipe' : program.split(' ')[0];
    return !peers || peer === 'gpusort' || peers.split(',').includes(peer);
  };
  return ROWS.filter((row) => names.includes(row.id) || names.includes(row.group)).map((row) => ({
    ...row,
    programs: row.programs.filter(stays),
  }));
}
