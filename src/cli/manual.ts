/** The prose that --help and the manual page share. */

/** The first lines of the help. */
export const DESCRIPTION: readonly string[] = [
  'Sort lines or binary records of all FILEs to standard output, on any GPU that',
  'WebGPU reaches or on the CPU. The output is that of LC_ALL=C sort, whatever',
  'the locale: bytes are compared by their values, and letters are those of ASCII.',
  'With --locale the order of text is that of a language.',
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
    title: 'Keys',
    lines: [
      'KEYDEF is F[.C][LETTERS][,F[.C][LETTERS]]: the key goes from byte C of field F',
      'to the second place, that byte included. Both are counted from 1. Without the',
      'first C it begins with its field, without the second, or with 0, it ends with',
      'its field, and without the second place with the line. A key that ends before',
      'it begins is empty.',
      '',
      'Without -t a field begins with the blanks before it (spaces and tabs; newlines',
      'with -z): so -k2 begins with a blank. With -t SEP, SEP is part of no field,',
      'and two of them have an empty field between them. The letter b at a place',
      'passes the blanks there before bytes are counted.',
      '',
      'LETTERS are those of the ordering options. A key with letters follows them',
      'alone; a key without any follows the options before it and behind it, -r',
      'among them. Without -k those are for the whole line. What all keys call equal',
      'is ordered by whole lines (reversed by the option -r), except with -s and -u.',
      '+F[.C] -F[.C], counted from 0, is the old way to write a key and still taken.',
    ],
  },
  {
    title: 'Orderings',
    lines: [
      '-n  blanks, a minus sign, digits, a point, digits: of any length, compared',
      '    exactly; no number is as 0',
      '-g  as strtold reads numbers; what is none comes first, then NaN, -inf',
      '-h  by sign, then suffix (none, k or K, M, G, T, P, E, Z, Y), then -n',
      '-M  the first three letters, small or large; no month comes before JAN',
      '-V  digits by value; ~ before all, even the end; suffixes like .gz count last',
      '-R  by a hash of the key and of random bytes: equal keys stay together',
      '-n, -g, -h and -M go with none of the others, nor with -d and -i. -i changes',
      'nothing beside -d. What -d, -i and -f leave of a key is what -V and -R see.',
    ],
  },
  {
    title: 'CSV and JSON',
    lines: [
      'Fields of --csv are those of RFC 4180: one that begins with a quote goes on to',
      'the next single quote, over separators and newlines; two quotes in it are one.',
      'Keys are of what fields stand for, without these quotes; without -k the whole',
      'record is the key, as it is written. A carriage return before its newline is',
      'no part of a key. -k NAME[:LETTERS] is the field that the header calls NAME,',
      'all of it and no more; what can be a KEYDEF is one.',
      '',
      'PATH of --json is names with dots between them, for arrays numbers from 0 on;',
      'an empty one is all of the line. Strings are ordered by the text they stand',
      'for, in UTF-8, other values as they are written. What is missing, or no JSON,',
      'is as an empty text. Of equal names the first counts.',
      '',
      'In NAME and PATH a backslash makes a colon, dot, digit or backslash behind it',
      'a part of the name.',
    ],
  },
  {
    title: 'Examples',
    lines: [
      'gpusort words.txt > sorted.txt          sort a file',
      'gpusort -u -o list.txt list.txt         sort a file in place, equal lines once',
      'zcat big.gz | gpusort -S 4G -T /scratch sort a pipe in 4 GiB of memory',
      'gpusort -t, -k3,3n -k1,1 people.csv     by the third field as a number, then',
      '                                        by the first',
      'du -h | gpusort -hr                     largest first',
      'gpusort -t "||" -u -k2,2 table.txt      one line of each second field',
      'gpusort --csv -k price:nr goods.csv     largest price first, below the header',
      'gpusort --json user.id:n log.jsonl      lines of JSON by a number in each',
      'find . -print0 | gpusort -z             names of files, each ended by NUL',
      'gpusort --debug -k2n words.txt          show what is compared',
      'gpusort --locale=sv names.txt           in the order of a Swedish dictionary',
      'gpusort --header 1 -t, -k2,2 table.csv  the first line stays first',
      'gpusort -nr --top 10 sizes.txt          the ten largest numbers',
      'gpusort --count words.txt               each line once, and how often it comes',
      'gpusort --record-size 100 --key 0:10 -o sorted.bin records.bin',
      'gpusort -t, --segment-by 1,1 runs.csv   sort within runs of one first field',
      'gpusort --segments blank notes.txt      sort the lines of each paragraph',
      'gpusort --explain big.txt               show the plan, and why',
    ],
  },
  {
    title: 'Languages',
    lines: [
      '--locale=TAG compares text in UTF-8 by the collation that ICU has for TAG, on',
      'the CPU. The environment changes nothing of it. TAG may choose a variant: u-co',
      'a collation (de-u-co-phonebk), u-kn numbers by value (en-u-kn), u-kf-upper',
      'large letters first. Fields are found, and bytes of positions counted, as',
      'always; -n, -g, -h, -M, -V and -R order as without it. -d keeps letters and',
      'digits of all scripts, -i what prints, and -f makes letters large as the',
      'language does. Bytes that are no UTF-8 come last. What all keys call equal is',
      'ordered by whole lines as the language has them, then by their bytes; -u keeps',
      'one line of those that the language calls equal.',
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
      'Stages of --stats: start, read, upload, tokenize (records found), keys (put',
      'before lines), prefix (first bytes of what is compared), sort, combine (runs',
      'cut and merged), gather (text put in order), read-back, write; order and merge',
      'where the device cannot tell more. Busy is the time at work, waiting the rest',
      'from first start to last end. Bytes are of text; what is combined passes',
      'tokenize, prefix and gather twice. A line tells what crossed to the GPU and',
      'back in all.',
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
      'POSIXLY_CORRECT              options end at the first FILE, but for -o',
      '_POSIX2_VERSION              from 200112 to 200808: +F alone is a FILE, no key',
      'UV_THREADPOOL_SIZE           how many reads may be under way at once (16)',
      'GPUSORT_DEBUG                not empty: print the stack of an error',
    ],
  },
];
