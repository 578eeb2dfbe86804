/** Hints of the library's errors name properties of its settings, not options of the command. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { OPTIONS } from '../../src/cli/options/table.js';
import { createSorter, GpusortError, type SortSettings } from '../../src/index.js';
import { libraryHint } from '../../src/library/hints.js';
import { freshDirectory } from '../battery/runner.js';
import { remediesInSource } from '../cli/remedies.js';
import { errorOf } from './support.js';

/** Rooms whose errors the library cannot throw. */
const OF_COMMAND = /^(?:cluster\/|browser\/|cli\/terminal\/|cli\/presets|cli\/main|cli\/parse\/cluster)/;
/** Hints of other rooms for a cluster, which has no property. */
const OF_CLUSTER = /--cluster|--tasks|^Convert the sorted file: gpusort -m/;
/** Commands of other programs. */
const COMMANDS = [
  /`[^`]*`/g,
  /ulimit -\w/g,
  /\$\{program\} -dc/g,
  /gzip -dc/g,
  /bgzip -t/g,
  /npm install --\w+/g,
].concat(
  [
    /npx --package gpusort --package \S+ gpusort/g,
    /node without --jitless/gi,
    /samtools (?:view|reheader)(?: -\w)+(?: genome\.fa)?(?: -\w)?/g,
  ],
  [/bcftools view -O b -o/g, /decompresses with -d/g],
);
const LONG = new RegExp(`--(?:${OPTIONS.map(({ long }) => long).join('|')})\\b`);

describe('hints', () => {
  const hints = [...remediesInSource()]
    .filter(([hint, files]) => !files.every((file) => OF_COMMAND.test(file)) && !OF_CLUSTER.test(hint))
    .map(([hint]) => hint);

  it('in src/ that the library may throw name no option of the command', () => {
    expect(hints.length).toBeGreaterThan(100);
    const wrong = hints.flatMap((hint) => {
      // The option in a template is one of two literals.
      const words = libraryHint(hint.replace("${part.isGroup ? '--per' : '-k'}", '-k')) ?? '';
      const ours = COMMANDS.reduce((text, command) => text.replace(command, ''), words);
      return LONG.test(ours) || /(?:^|[\s('])--?[a-zA-Z]/.test(ours) || /gpusort (?:-|\.\.\.)/.test(ours)
        ? [words]
        : [];
    });
    expect(wrong).toEqual([]);
  });

  it.each([
    ['Use a smaller -S or --parallel.', 'Use a smaller bufferSize or parallel.'],
    ['Use --engine cpu without --algorithm.', "Use engine: 'cpu' without algorithm."],
    ['Add --output-format gzip, bgzf or zstd.', "Add outputFormat: 'gzip', 'bgzf' or 'zstd'."],
    ['Give the number of one, for example -k 2,2.', "Give the number of one, for example key: '2,2'."],
    ['for example --key 0:10 or --key 8:u64le. OFFSET', "for example key: '0:10' or key: '8:u64le'. OFFSET"],
    ['for example --header-prefix "#".', 'for example headerPrefix: "#".'],
    ['To write the last records only, give --bottom 1.', 'To write the last records only, give bottom: 1.'],
    ['Use --format fastq if the file is FASTQ.', "Use format: 'fastq' if the file is FASTQ."],
    ['Check --format: text is --format sam.', "Check format: text is format: 'sam'."],
    ['Add --contigs natural, or --contigs FILE.', "Add contigs: 'natural', or contigs: FILE."],
    ['Name a writable directory with -T.', 'Name a writable directory with temporaryDirectory.'],
    ['Copy the file again, or check it with: bgzip -t FILE', 'Copy the file again, or check it with: bgzip -t FILE'],
    ['Compress with xz -T 4, not with -T.', 'Compress with xz -T 4, not with temporaryDirectory.'],
    ['Raise the limit (ulimit -S), or use a smaller -S.', 'Raise the limit (ulimit -S), or use a smaller bufferSize.'],
    ['Name a program that decompresses with -d.', 'Name a program that decompresses with -d.'],
    ["gpusort: minimum --batch-size argument is '2'", "The minimum batchSize argument is '2'"],
    ["Try 'gpusort --help' for more information.\nDid you mean 'cpu'?", "Did you mean 'cpu'?"],
    ["Try 'gpusort --help' for more information.", undefined],
    [
      'Convert it: samtools view -h x.cram | gpusort --format sam',
      "Convert it, and sort the result with format: 'sam': samtools view -h x.cram",
    ],
    [
      'Use a pipeline: gpusort --output-format bam --level 0 ... | samtools view -C -T genome.fa -o x.cram -',
      "Write to a stream with outputFormat: 'bam' and level: 0, and convert that: " +
        'samtools view -C -T genome.fa -o x.cram -',
    ],
    ['Rename it, or pass it by standard input: gpusort ... < x.gz', 'Rename it, or give it as a stream.'],
  ])('%s', (hint, words) => {
    expect(libraryHint(hint)).toBe(words);
  });
});

describe('errors', () => {
  const directory = freshDirectory('hints');
  const input = join(directory, 'input');
  beforeAll(() => writeFileSync(input, 'a,a\n1,2\n'));

  const wrong: readonly (readonly [SortSettings, string | undefined])[] = [
    [{ level: 3 }, "Add outputFormat: 'gzip', 'bgzf' or 'zstd'."],
    [{ per: '1,1' }, 'Give the number of records of each group, for example top: 1.'],
    [{ contigs: 'natural' }, 'Add format: FORMAT.'],
    [{ headerPrefix: '' }, 'Give the first bytes of each header line, for example headerPrefix: "#".'],
    [{ csv: true, key: 'a' }, "Give the number of one, for example key: '1,1'."],
    [{ csv: true, header: 0, key: 'a' }, "Give the number of the field, for example key: '2,2'."],
    [{ key: '0:4' }, 'Add recordSize: keys of OFFSET:LENGTH and OFFSET:TYPE are for binary records.'],
    [
      { key: 'price' },
      'If it is the name of a column, add csv (with fieldSeparator if commas do not separate columns).',
    ],
    [{ recordSize: 3 }, 'Give the size that the records have, with recordSize or the type of array.'],
    [{ batchSize: 1 }, "The minimum batchSize argument is '2'"],
    [{ by: 'name' }, "Name it, for example format: 'fastq'."],
    [{ engine: 'tpu' as 'gpu' }, expect.stringMatching(/^Valid arguments are:[^T]*$/) as string],
    [{ fieldSeparator: '\\t' }, "Give the byte itself, for example '\\t' for a tab."],
  ];
  it.each(wrong)('of %j', async (settings, hint) => {
    const error = await errorOf(input, join(directory, 'output'), settings);
    expect(error).toMatchObject({ exitCode: 2, stack: expect.stringContaining('GpusortError') as string });
    expect((error as GpusortError).hint).toEqual(hint);
  });

  it('of common settings', () => {
    expect(() => createSorter({ batchSize: 1 })).toThrow(
      expect.objectContaining({ code: 'usage', hint: "The minimum batchSize argument is '2'" }),
    );
  });

  it('that the caller throws stay as they are', async () => {
    const own = new GpusortError('usage', 'own', { hint: 'Use a smaller -S.' });
    expect(await errorOf(input, join(directory, 'output'), { signal: AbortSignal.abort(own) })).toBe(own);
    expect(own.hint).toBe('Use a smaller -S.');
  });
});
