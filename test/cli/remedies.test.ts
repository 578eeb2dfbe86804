/**
 * Remedies in messages. A remedy that is an option or a command is executed: the command that fails shows it, and the
 * changed command works. All others are listed, with the reason. A new remedy in src/ belongs in one of the two tables.
 */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parsed, runHere } from '../support/in-process.js';
import { sampled } from '../support/tier.js';
import { remediesInSource } from './remedies.js';

/** The literal in src/, a command that shows it, and the command with the remedy. */
type Executed = readonly [remedy: string, fails: string, helps: string];
const EXECUTED: readonly Executed[] = [
  ['Use ${here} instead of ${there}${end}', '--format bam -@ 4 x.bam', '--format bam --parallel 4 x.bam -o o'],
  ['Leave out ${there}${end}', '--format bam --no-PG x.bam', '--format bam x.bam -o o'],
  ['Add --format FORMAT.', '--contigs natural x.bed', '--contigs natural --format bed x.bed'],
  [
    'Give one --mate-out for each --mate, in the same order.',
    '--format fastq --mate R2 R1 -o o',
    '--format fastq --mate R2 --mate-out p R1 -o o',
  ],
  [
    'Sort one file with its mates, or concatenate the files of each mate first.',
    '--format fastq --mate R2 --mate-out p R1 R1 -o o',
    '--format fastq --mate R2 --mate-out p R1 -o o',
  ],
  [
    'Name a file for one of them.',
    '--format fastq --mate - --mate-out p - -o o',
    '--format fastq --mate R2 --mate-out p R1 -o o',
  ],
  ['Add --output-format gzip, bgzf or zstd.', '--level 3 in', '--level 3 --output-format gzip in -o o'],
  [
    'Leave out --by, or leave out --index.',
    '--format bam --by queryname --index x.bam -o o',
    '--format bam --index x.bam -o o',
  ],
  ['Leave out --as.', '--format bed --as sort-bed --by length x.bed', '--format bed --by length x.bed'],
  [
    'Add contig to the list of --by, or leave out --contigs.',
    '--format bed --by length --contigs natural x.bed',
    '--format bed --by contig,length --contigs natural x.bed',
  ],
  [
    'Add --output-format bgzf.',
    '--format bed --index x.bed -o o',
    '--format bed --index --output-format bgzf x.bed -o o',
  ],
  ['Add --format sam or --format bam.', '--output-format bam x.sam', '--output-format bam --format sam x.sam'],
  [
    'Leave out --output-format: the suffix of ${name} decides.',
    '--format sam --output-format sam x.sam -o o.bam',
    '--format sam x.sam -o o.bam',
  ],
  [
    'Leave it out: a tag may choose co (a collation), kn (numbers by value), kf-upper and kf-lower (the case that comes first).',
    '--locale de-u-ks-level1 x.bed',
    '--locale de x.bed',
  ],
  ['Give the number of records of each group, for example --top 1.', '--per 1,1 x.bed', '--per 1,1 --top 1 x.bed'],
  ['Name the output as ${format}.', '--format bed x.bed -o o.bam', '--format bed x.bed -o o.bed'],
  [
    'Use a pipeline: gpusort --output-format bam --level 0 ... | samtools view -C -T genome.fa -o ${name} -',
    '--format sam x.sam -o o.cram',
    '--format sam --output-format bam --level 0 x.sam',
  ],
  [
    'Convert the sorted file: gpusort -m --format ${genomics.format} --output-format ${format} FILE',
    '--cluster local:2 --format sam x.sam -o o.bam',
    '-m --format sam --output-format bam empty.sam',
  ],
  [
    'Name a file with -o, or leave out --index.',
    '--format bed --index --output-format bgzf x.bed -o /dev/null',
    '--format bed --index --output-format bgzf x.bed -o o',
  ],
  [
    'Give each output a file of its own.',
    '--format fastq --mate R2 --mate-out o R1 -o o',
    '--format fastq --mate R2 --mate-out p R1 -o o',
  ],
  [
    'Write a number from 1 to 999 after local:, for example local:4.',
    '--cluster local:0 in -o o',
    '--cluster local:4 in -o o',
  ],
  [
    'Add --cluster slurm, --cluster local:N or --cluster prepare.',
    '--tasks 3 in -o o',
    '--tasks 3 --cluster local:2 in -o o',
  ],
  ['Leave out --${needy}.', '--cluster local:2 --detach in -o o', '--cluster local:2 in -o o'],
  ['Add -o FILE: several tasks cannot write to standard output.', '--cluster local:2 in', '--cluster local:2 in -o o'],
  [
    'Name the input files; all nodes of the cluster must be able to read them.',
    '--cluster local:2 -o o',
    '--cluster local:2 in -o o',
  ],
  [
    'Give -t one byte that is not a quote, a newline, a carriage return or NUL.',
    '--csv -t " x.csv',
    '--csv -t ; x.csv',
  ],
  [
    'Give the number of the field, for example ${option} 2,2.',
    '--csv --header 0 -k b x.csv',
    '--csv --header 0 -k 2,2 x.csv',
  ],
  ['Write \\\\: for a colon that is part of a name.', '--json c:z x.json', '--json c\\:z x.json'],
  ["Use a name from the header: ${names.join(', ')}.", '--csv -k none x.csv', '--csv -k b x.csv'],
  ['Fields seem to be separated by tabs: use --tsv.', '--csv -k b x.tsv', '--tsv -k b x.tsv'],
  [
    "Give the number of one, for example ${part.isGroup ? '--per' : '-k'} ${numbers[0]},${numbers[0]}.",
    '--csv -k a twice.csv',
    '--csv -k 1,1 twice.csv',
  ],
  [
    'Give a tag, for example de, sv, en-US or de-u-co-phonebk, or omit ${spelling} for the order of bytes, as with LC_ALL=C.',
    '--locale _ in',
    '--locale de-u-co-phonebk in',
  ],
  [
    "Give one of these: ${Intl.supportedValuesOf('collation').join(', ')}.",
    '--locale de-u-co-none in',
    '--locale de-u-co-phonebk in',
  ],
  [
    'Give the first bytes of each header line, for example --header-prefix "#".',
    ['--header-prefix', '', 'in'].join('\0'),
    '--header-prefix # in',
  ],
  [
    'Give ${offset}:${third}, or another LENGTH or TYPE.',
    '--record-size 8 -k 0:2:u32 bin',
    '--record-size 8 -k 0:u32 bin',
  ],
  [
    'Give TYPE or, for numbers with values that move with them, TYPE+TYPE; for example f64le or u32le+u64.',
    '--array u32+u32+u32 bin',
    '--array u32le+u32 bin',
  ],
  [
    'Give OFFSET:LENGTH or OFFSET:TYPE, for example ${option} 0:10 or ${option} 8:u64le. OFFSET counts bytes from 0, and LENGTH is at least 1.',
    '--record-size 8 -k 1 bin',
    '--record-size 8 -k 0:4 bin',
  ],
  ['Use one of ${TYPE_NAMES}, with le (the default) or be after it.', '--array u7 bin', '--array u16be bin'],
  [
    'Add --record-size: keys of OFFSET:LENGTH and OFFSET:TYPE are for binary records.',
    '-k 0:4 bin',
    '--record-size 8 -k 0:4 bin',
  ],
  [
    'Give the size that the records have, with --record-size or the type of --array.',
    '--record-size 7 bin',
    '--record-size 8 bin',
  ],
  ["Let the shell make special bytes, for example -t $'\\\\t' for a tab.", '-t \\t in', ['-t', '\t', 'in'].join('\0')],
  ['Give the separator after -t: this looks like an option.', '-t -n in', '-t , -n in'],
  ['Use --format bam.', '--format sam x.bam', '--format bam x.bam -o o'],
  [
    'Check --format: text is --format sam. Several inputs must all be BAM.',
    '--format bam x.sam -o o',
    '--format sam x.sam',
  ],
  ['Name it, for example --format fastq.', '--by name in', '--by name --format fastq R1'],
  ['Use --format fastq if the file is FASTQ.', '--format fasta R1', '--format fastq R1'],
  ['Use --format fasta if the file is FASTA.', '--format fastq x.fasta', '--format fasta x.fasta'],
  ['Name a writable directory with -T.', '-T none -S 1K --chunk-size 1K long', '-T . -S 1K --chunk-size 1K long'],
  [
    'Name a program that compresses, and decompresses with -d, or omit --compress-program.',
    '--compress-program none -S 1K --chunk-size 1K long',
    '--compress-program gzip -S 1K --chunk-size 1K long',
  ],
  [
    "--algorithm ${requestText(request)} does not sort ${INPUT_KINDS[kind]}: use ${['auto', ...others].join(', ')}",
    '--algorithm sample-sort --segments blank in',
    '--algorithm auto --segments blank in',
  ],
  [
    'Close the quote, or write a backslash before a quote that is part of a word.',
    '--cluster slurm --slurm-options a"b in -o o',
    '--cluster slurm --slurm-options a\\"b in -o o',
  ],
  [
    'Write two for a backslash.',
    '--cluster slurm --slurm-options a\\ in -o o',
    '--cluster slurm --slurm-options a\\\\ in -o o',
  ],
  ['-m merges inputs that are sorted. Leave out -m to sort them.', '-m --format bed u.bed', '--format bed u.bed'],
  [
    'If it is the name of a column, add --csv (with -t SEP if commas do not separate columns): --csv ${option} ${quoteName(toName(given))}.',
    '-k b x.csv',
    '--csv -k b x.csv',
  ],
  ['To write the ${from} records only, give ${other} ${given.slice(1)}.', '--top -1 in', '--bottom 1 in'],
  ['Write one dot between two names, and \\\\. for a dot in a name.', '--json a..b x.json', '--json a.b x.json'],
  [
    'If it may be empty, name the format, for example --format bed.',
    '--by position empty',
    '--by position --format bed empty',
  ],
  [
    'The header lists no contigs (##contig). Add --contigs natural, or --contigs FILE with their order.',
    '--format vcf n.vcf',
    '--format vcf --contigs natural n.vcf',
  ],
  ['Leave it out: the job directory says which files are sorted.', '--cluster-task d/share-0000 in', ''],
];

let directory = '';
const home = process.cwd();
const fixture = (name: string): string => fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url));
beforeAll(() => {
  directory = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'remedies-'));
  process.chdir(directory);
  const files = { R1: 'reads.fastq', R2: 'reads_R2.fastq', 'x.bed': 'regions.bed', 'x.bam': 'alignments.bam' };
  for (const [name, from] of Object.entries({ ...files, 'x.sam': 'alignments.sam', 'x.fasta': 'contigs.fasta' }))
    copyFileSync(fixture(from), name);
  writeFileSync('in', 'b\na\n');
  writeFileSync('long', readFileSync(fixture('words.txt'), 'latin1').repeat(100));
  writeFileSync('bin', '12345678');
  writeFileSync('x.csv', 'a,b,c:z\n1,2,3\n');
  writeFileSync('x.tsv', 'a\tb\n1\t2\n');
  writeFileSync('u.bed', 'c\t2\t3\nc\t1\t3\n');
  writeFileSync('x.json', '{"a":{"b":1},"c:z":2}\n');
  writeFileSync('n.vcf', '##fileformat=VCFv4.2\n#CHROM\tPOS\nc\t1\t.\tA\tC\n');
  writeFileSync('empty', '');
  writeFileSync('empty.sam', '@CO\tx\n');
  writeFileSync('twice.csv', 'a,a\n1,2\n');
  mkdirSync('d');
});
afterAll(() => {
  process.chdir(home);
  rmSync(directory, { recursive: true });
});

/** Runs a command in this process. A sort of a cluster is only parsed. NULs separate words if blanks do not. */
async function run(command: string) {
  const words = command.includes('\0') ? command.split('\0') : command.split(' ');
  const unwritten = words.includes('-o') ? words : [...words, '-o', 'o'];
  const given = words.some((word) => word.startsWith('--cluster')) ? words : ['--engine', 'cpu', ...unwritten];
  return words.includes('--cluster')
    ? runHere(
        () => parsed(given, 'gpusort'),
        'gpusort',
        undefined,
        async () => 0,
      )
    : runHere(() => parsed(given, 'gpusort'), 'gpusort');
}

/** The first words of a remedy that do not depend on the case. */
const constant = (remedy: string): string => {
  const parts = remedy.replaceAll('\\\\', '\\').split(/\$\{[^}]*(?:\{[^}]*\}[^}]*)*\}/);
  return parts.reduce((longest, part) => (part.length > longest.length ? part : longest));
};

const drawn = sampled(EXECUTED, { count: Infinity, seed: 2, values: (_, i) => [i % 12] });
it.each(drawn.filter(([, , helps]) => helps !== ''))('%s', async (remedy, fails, helps) => {
  const failed = await run(fails);
  expect(failed).toMatchObject({ status: 2, messages: expect.stringContaining(constant(remedy)) });
  expect(await run(helps)).toEqual({ status: 0, messages: '' });
});

it('names the operand to leave out of the command of a task', async () => {
  expect((await run('--cluster-task d/share-0000 in')).messages).toContain('Leave it out');
});

const OTHERS: Readonly<Record<string, readonly string[]>> = {
  'limits and disks that are too small (test/cli/limits.test.ts, test/faults)': [
    '${programName}: maximum ${spelling} argument with current rlimit is ${most}',
    'Check the disk and its file system, or name another directory with -T.',
    'Free space in ${displayName(this.directory)}: the sorted output needs it until it is complete.',
    'Name a directory with more space with -T',
    'Raise the limit (ulimit -v), or install Node 20.15, 22.2 or later.',
    'Raise the limit (ulimit -v), or use a smaller -S.',
    'Raise the limit on file sizes (ulimit -f).',
    'Raise the limit on open files (ulimit -n).',
    'Raise the limits (ulimit -v, ulimit -d).',
    'Shorten the longest lines: keys are limited to lines of a few hundred megabytes.',
    'Use a --chunk-size larger than the record.',
    'Use a smaller --chunk-size: comparing lines takes several times the memory of their text.',
    'Use a smaller -S or --parallel.',
  ],
  'a change of the data, or another program': [
    'Convert it: samtools view -h ${label} | gpusort --format sam',
    // test/cli/compressed-input.test.ts, test/input/inflate-program.test.ts, test/output/compress.test.ts
    '${label}: sorting compressed bytes (${name}), not the text; use --decompress',
    'Make lines of it: ${jq} | gpusort --json ...',
    'Sort its records: ${command(file)}; or sort its bytes as lines: --decompress=never.',
    'Install ${program} (Debian: ${PROGRAMS[program].debian})${newer}.',
    'Raise the limits on processes and open files, or use another file.',
    'Sort again. If the system ended it for lack of memory, use a smaller -S.',
    'Use a pipeline instead: gpusort ... | ${program} > FILE',
    "${list}Try '${programName} --help' for more information.${suggestion}",
    "${programName}: minimum ${spelling} argument is '2'",
    'A CIGAR is * or a list of lengths, each with one of the letters MIDNSHP=X.',
    'Add an @SQ line for the contig to the header, or write SAM.',
    // test/records/sequence-union.test.ts
    'Change the @SQ lines of one file with samtools reheader -c; convert SAM to BAM first. Records of BAM need no change.',
    'Put one of them in the order of the other first, for example with ReorderSam of Picard.',
    'Check --format. If it is right, add the contig to the header or to the list of --contigs.',
    'Check --format. If it is right, the record lacks a field or is damaged.',
    'Check each input with gpusort -c.',
    // test/input/fasta-section.test.ts
    'Sort it without --cluster.',
    'Sort the files that were concatenated as several inputs.',
    'Check the file with `samtools view`.',
    'Close it: a quoted field ends at the next quote that is not doubled.',
    // Shown in test/cli/parse/other-tools.test.ts.
    'Convert it: gpusort ... | bcftools view -O b -o ${file}',
    'Convert it: ${convert} ${label} | gpusort --format ${readable}',
    'Copy or write it again. ${program} -dc decompresses the part that is there.',
    // Executed in test/cli/misnamed.test.ts.
    'Copy the file again, or sort what comes before: ${before} | gpusort ...',
    'Copy the file again, or sort what comes before: ${program} -dc ${label} | gpusort ...',
    'Copy the file again. If it is not compressed, pass it by standard input: gpusort ... < ${label}',
    'Decompress both: gzip -dc ${label} | gpusort ...',
    'Rename it if it is SAM, or pass it by standard input: gpusort --format sam ... < ${label}',
    'Rename it if it is not compressed, or pass it by standard input: gpusort ... < ${label}',
    'Rename it, or pass it by standard input: gpusort ... < ${label}',
    'Copy the file again, or check it with: bgzip -t FILE',
    'Copy the file again, or write it again.',
    'Files of mates have equal numbers of reads.',
    'Get the whole file: this one is truncated.',
    'Give its length in the @SQ line, up to 2147483647, or write SAM.',
    "Give another language: Node ${process.versions.node} has ICU ${process.versions.icu ?? 'with English only'}.",
    'Integers go from -2147483648 to 4294967295.',
    "It may hold ${names.slice(0, -1).join(', ')} and ${names.at(-1)}: options that cannot change the output.",
    'Check whether the program that wrote it failed.',
    'Raise -S, or use --shuffle --top N, which holds no records back.',
    'Add --shuffle, --sample N, or -R, which keeps equal keys together.',
    'Give a whole number of up to 15 digits.',
    'Mates have equal names up to the first blank, except for /1 and /2.',
    'Optional fields have the form TAG:TYPE:VALUE.',
    "Remove it, for example with `grep -v '^;'`.",
    'Remove the empty line.',
    'Remove the text before the first sequence.',
    'Run `samtools fixmate` before sorting by template-coordinate.',
    'Shorten the line: --count takes lines of up to 1.3 GiB.',
    'Shorten the line: --dupes-output and --per take lines of up to 1023 MiB, --unique=last of up to 682 MiB.',
    'Sort a file that no other process writes to, or a copy of it.',
    'Sort in one process, or use Linux or macOS.',
    'Unwrap it, for example with `seqtk seq -l0`.',
    'Write SAM, or shorten the name.',
    'Write SAM.',
    'Write it to a pipe, or name a file with -o.',
  ],
  'a fault, or a state of files': [
    '${remedy} ${written}',
    'Check the disk: all data was written, but may not be on it.',
    'Install gpusort again. If a bundler has packed your program, declare gpusort external to the bundler.',
    'Start Node without --jitless. It may be in NODE_OPTIONS.',
    'Please report this, with the command and what it prints if GPUSORT_DEBUG=1 is set.',
    'Sort again, with another --engine if there is one, and please report this error.',
    'That file was left alone; ${where}',
  ],
  'only who runs a cluster can do it (test/cluster)': [
    "${missing.length === 1 ? 'It is the only one' : ",
    '--cluster is ignored: one machine is faster for such a small input; give --tasks N to distribute it',
    'Its output is in ${displayName(log)}.',
    'Copy it to a file first, or sort without --cluster.',
    'Decompress it first, or sort without --cluster.',
    'Finish it by the command that began it, give it up (${remove}), or name another directory with --work-dir.',
    'Free space there.',
    'Free space there: the sorted output needs it.',
    'Free space there: the sorted shares need as much as the input, up to half more with keys.',
    'Give up that sort (${remove}) and run this command again.',
    'Give the directory that gpusort --cluster made, and a task in it: DIR/share-0000.',
    'Give what your cluster asks for, such as a partition, account or time, with --slurm-options.',
    'It has share-0000 and on (${cluster.shares.length}), splitters, range-0000 and on, and finish.',
    'Its tasks may still be running. Run the same command again once squeue works: finished tasks are not repeated.',
    'Look for gpusort-${this.options.id} in squeue, and end these jobs with scancel.',
    'Name a directory outside of it.',
    'Name a directory that you may write and that all nodes see, with --work-dir.',
    'Name a file with -o.',
    'Name another directory with --work-dir, or move this one away.',
    'Name another directory with --work-dir.',
    'Please report this.',
    'Remove it (rm ${displayName(name)}) and run the same command again.',
    'Remove the job directory and start again.',
    'Run all shares first, then DIR/splitters, then the ranges.',
    'Run gpusort on a machine that has the commands of Slurm, such as a login node, or use --cluster local:N.',
    'Run sinfo to see whether Slurm works.',
    'Run the same command again after: rm ${displayName(directory.range(number))}',
    'The cluster allows smaller arrays only (scontrol show config, MaxArraySize): give fewer --tasks.',
    'The file of -o keeps its contents. If this recurs, please report it.',
    'Run the same command again to resume; to give up: ${givingUp(directory, cluster)}',
    'This task is no longer needed.',
    'Try "',
    'Use fewer --tasks, or sort without --cluster.',
    'Use the same version on all nodes, or remove the directory and start again.',
    'Wait for it, or end it. If it is gone: rm ${displayName(name)}',
    'With --cluster, -m needs sorted inputs. Leave out -m to sort them.',
    'With --output-parts, -o names a directory that does not exist yet, or an empty one.',
    '}. Run them first.',
  ],
  'a machine without a GPU that can be used (test/cli/no-webgpu.test.ts)': [
    '${remedy}, or use --engine cpu.',
    "Install the Vulkan driver of this machine's GPU",
    '${installAdvice()}, or use --engine cpu.',
    'Install gpusort again',
    'Run npm install --global ${wanted}',
    'Run npm install --prefix ${quoteName(Buffer.from(project))} ${wanted}',
    'Run npx --package gpusort --package ${wanted} gpusort',
    'Install gpusort again, or use --engine cpu.',
    'Install or update the GPU driver',
    'Sort from a file, or use --engine cpu.',
    'Use --engine cpu.',
  ],
  'the interface of programs (test/library, test/browser/api)': [
    'An array is a list of file names. To sort an array of texts, give Readable.from(array).',
    "Did you mean '${meant}'?",
    'Give ${allowed}.',
    "Give the options as properties, for example { key: '2n', reverse: true }.",
    'Use sorted(), which returns the output as a stream of blocks.',
    'Use sorted(): its blocks may end within a record.',
    'Make it with the option values: true.',
    'Please report this, with the stack of its cause.',
    'Raise the limits (ulimit -v, ulimit -d), or start Node with ${TRAP_OPTION}.',
    'To get the output as a stream, call sorted(input, settings).',
    'To sort in place, leave out output.',
    'It waits for the device. Leave out encoder, or use another sort.',
    'Leave out encoder.',
    "Use ${OF_BINARY.slice(0, 3).join(', ')} and reverse.",
    'Name the value with path.',
    "Use ${[...TYPES.keys()].join(', ')}.",
    'Use Uint32Array, Int32Array or Float32Array.',
    'Use a smaller bufferSize or parallel.',
    "Use one of ${KEY_TYPES.join(', ')}.",
    "Use one of ${SEARCHES.join(', ')}.",
    "Use one of ${SWEEPS.join(', ')}.",
    "Use one of ${TILES.join(', ')}.",
  ],
};

it('every remedy in src/ is executed above, or listed with the reason', () => {
  const known = [...EXECUTED.map(([remedy]) => remedy), ...Object.values(OTHERS).flat()];
  expect([...remediesInSource().keys()].sort()).toEqual([...new Set(known)].sort());
});
