/** The prose that --help and the manual page share. */

/** The first two lines of the help. */
export const DESCRIPTION: readonly string[] = [
  'Sort lines or binary records of all FILEs to standard output, on any GPU that',
  'WebGPU reaches or on the CPU. The output is that of LC_ALL=C sort.',
];

export interface Section {
  readonly title: string;
  readonly lines: readonly string[];
}

export const SECTIONS: readonly Section[] = [
  {
    title: 'Arguments',
    lines: [
      'With no FILE, or where FILE is -, standard input is read.',
      'SIZE is a number with a suffix: b for bytes, K (which -S takes for granted),',
      'M, G, T, P, E for powers of 1024, and after -S also % of memory.',
    ],
  },
  {
    title: 'Examples',
    lines: [
      'gpusort words.txt > sorted.txt          sort a file',
      'gpusort -u -o list.txt list.txt         sort a file in place, equal lines once',
      'zcat big.gz | gpusort -S 4G -T /scratch sort a pipe in 4 GiB of memory',
      'gpusort --record-size 100 --key 0:10 -o sorted.bin records.bin',
      'gpusort -t, --segment-by 1,1 runs.csv   sort within runs of one first field',
      'gpusort --segments blank notes.txt      sort the lines of each paragraph',
      'gpusort --explain big.txt               show the plan, and why',
    ],
  },
  {
    title: 'Segments',
    lines: [
      'A segment is a run of neighbouring records with equal KEYDEF, or of lines that',
      'are not blank (which hold spaces, tabs and a carriage return at most). It',
      'stays where it is and is sorted by itself, -r, -u and -s included; blank lines',
      'stay as they are. Output begins before all input is read. -c looks inside',
      'segments only; -m cannot be had with them.',
    ],
  },
  {
    title: 'Statistics',
    lines: [
      'Stages of --stats: start, read, upload, tokenize (records found), prefix (keys',
      'made), sort, combine (runs cut and merged), gather (text put in order),',
      'read-back, write; order and merge where the device cannot tell more. Busy is',
      'the time at work, waiting the rest from first start to last end. Bytes are of',
      'text; what is combined passes tokenize, prefix and gather twice. A line tells',
      'what crossed to the GPU and back in all.',
    ],
  },
  {
    title: 'Exit status',
    lines: [
      '0  all went well',
      '1  -c or -C found the input not sorted',
      '2  any trouble, a wrong command line included',
    ],
  },
  {
    title: 'Environment',
    lines: [
      'TMPDIR                       directory for temporary files without -T',
      'NO_COLOR                     not empty: no colour',
      'FORCE_COLOR, CLICOLOR_FORCE  colour even if standard error is no terminal',
      'POSIXLY_CORRECT              options end at the first FILE',
      'UV_THREADPOOL_SIZE           how many reads may be under way at once (16)',
      'GPUSORT_DEBUG                not empty: print the stack of an error',
    ],
  },
];
