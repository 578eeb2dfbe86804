/** Small sorts that are done at once: the same bytes as GNU sort, and the jobs that are left to the general path. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { sortAtOnce } from '../src/at-once.js';
import { parseArguments } from '../src/cli/request.js';
import { SURROUNDINGS } from './cli/arguments.js';
import { gnuSort, withDirectory } from './cli/run.js';
import { randomBelow } from './support/random.js';

/** Sorts at once and returns the output; null if the job is left to the general path. */
function atOnce(args: readonly string[], directory: string): string | null {
  const output = join(directory, `out-${readdirSync(directory).length}`);
  const request = parseArguments([...args, '-o', output], { ...SURROUNDINGS, programName: 'gpusort' });
  if (request.action !== 'sort') throw new Error('nothing is sorted');
  return sortAtOnce(request.job, () => true) === null ? readFileSync(output, 'latin1') : null;
}

const OPTIONS = [
  [''],
  ['-r'],
  ['-s', '-u'],
  ['-f', '-d', '-i', '-b'],
  ['-n', '-g', '-h', '-M', '-V', '-k2', '-k2,2n', '-k1.2,1.3r', '-k2,1', '-t:', '-t: -k2b,2', '-k2n -k1,1r'],
  ['-z'],
] as const;
const PIECES = [
  'a',
  'B',
  'b',
  ' ',
  '\t',
  ':',
  '1',
  '10',
  '-2',
  '1.5e3',
  '2K',
  'JAN',
  'feb',
  'v1.10',
  '\xff',
  '\0',
  '\n',
  '\n',
  '',
];

describe('random lines and options', () => {
  it.each(Array.from({ length: 24 }, (_, seed) => seed))('sorts like GNU sort: seed %i', async (seed) => {
    await withDirectory((directory) => {
      const below = randomBelow(seed);
      const text = (): string => Array.from({ length: below(400) }, () => PIECES[below(PIECES.length)]).join('');
      // Texts of more than 192 KiB are sorted by kernels.
      const copies = seed % 12 === 0 ? 1 + Math.ceil((240 << 10) / 400) : 1;
      const files = Array.from({ length: 1 + below(3) }, (_, i) => {
        const name = join(directory, `in-${i}`);
        writeFileSync(name, Array.from({ length: copies }, text).join(''), 'latin1');
        return name;
      });
      for (let round = 0; round < 6; round++) {
        const options = OPTIONS.flatMap((list) => (below(3) === 0 ? list[below(list.length)]!.split(' ') : []));
        const args = [...options.filter((option) => option !== ''), ...files];
        const gnu = gnuSort(args);
        if (gnu.status !== 0) continue; // such as -n with -d
        expect({ args, sorted: atOnce(args, directory) }).toEqual({ args, sorted: gnu.stdout });
      }
    });
  });
});

it.each(['-n', '-r -u'])('sorts a text of exactly the largest size, and leaves a larger one: %s', async (options) => {
  await withDirectory((directory) => {
    const name = join(directory, 'in');
    const args = [...options.split(' ').filter((word) => word !== ''), name];
    const lines = Array.from({ length: 512 << 10 }, (_, i) => String((i * 7919) % 65536).padStart(15, ' ')).join('\n');
    writeFileSync(name, `${lines}\n`);
    gnuSort([...args, '-o', join(directory, 'gnu')]);
    expect(atOnce(args, directory) === readFileSync(join(directory, 'gnu'), 'latin1')).toBe(true);
    writeFileSync(name, `${lines}\nx\n`);
    expect(atOnce(args, directory)).toBeNull();
  });
});

it.each([
  '--engine=cpu',
  '--algorithm=radix',
  '--chunk-size=1K',
  '-S 1M',
  '--stats',
  '--verify',
  '--count',
  '--top=1',
  '--header=1',
  '--csv',
  '--json -k a',
  '-R',
  '-m',
  '--record-size=2',
  '--locale=de',
  '--output-format=gzip',
])('leaves %s to the general path, and writes nothing', async (option) => {
  await withDirectory((directory) => {
    writeFileSync(join(directory, 'in'), 'b\na\n');
    expect(atOnce([...option.split(' '), join(directory, 'in')], directory)).toBeNull();
    expect(readdirSync(directory)).toEqual(['in']);
  });
});

it.each([
  ['a compressed file', (name: string) => writeFileSync(name, gzipSync('b\n'))],
  ['a directory', () => {}],
  ['a device', (name: string) => symlinkSync('/dev/null', name)],
  ['a FIFO that nobody writes', (name: string) => execFileSync('mkfifo', [name])],
  ['a file of /proc that is larger than it seems', (name: string) => symlinkSync('/proc/kallsyms', name)],
])('leaves an input to the general path: %s', async (what, make) => {
  await withDirectory((directory) => {
    const name = what === 'a directory' ? directory : join(directory, 'in');
    make(name);
    const before = readdirSync(directory);
    expect(atOnce([name], directory)).toBeNull();
    expect(readdirSync(directory)).toEqual(before);
  });
});

it('sorts up to 256 inputs, and leaves more', async () => {
  await withDirectory((directory) => {
    const names = Array.from({ length: 257 }, (_, i) => join(directory, `in-${i}`));
    for (const [i, name] of names.entries()) writeFileSync(name, i % 3 === 0 ? '' : `${(i * 7) % 257}`);
    expect(atOnce(names.slice(1), directory)).toBe(gnuSort(names.slice(1)).stdout);
    expect(atOnce(names, directory)).toBeNull();
  });
});

it('decides by every property of a job that can change the output: add a new one to isPlain, or here', () => {
  const request = parseArguments(['in'], { ...SURROUNDINGS, programName: 'gpusort' });
  if (request.action !== 'sort') throw new Error('nothing is sorted');
  const { input, ordering, output, resources, report, ...others } = request.job;
  const names = (parts: object): string => Object.keys(parts).sort().join(' ');
  expect({
    input: names(input),
    ordering: names(ordering),
    output: names(output),
    resources: names(resources),
    report: names(report),
    others: names(others),
  }).toEqual({
    input: 'combined contigs decompress files framing genomics header mates randomSource warnsOfCompression',
    ordering: 'format key lastResort reverse unique',
    output: 'compression convertsTo count duplicates file index limit mates sync underline verify',
    resources:
      'algorithm batchSize chunkBytes compressProgram engine gpuMemoryBytes memoryBytes parallel temporaryDirectories tunings',
    report: 'color explain presets progress stats',
    others: 'check cluster mode',
  });
});
