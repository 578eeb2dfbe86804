/** Small sorts that are done at once: the same bytes as GNU sort, and the jobs that are left to the general path. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { sortAtOnce } from '../src/at-once.js';
import { parseArguments } from '../src/cli/request.js';
import { SURROUNDINGS } from './cli/arguments.js';
import { exitOf, gnuSort, gpusort, shell, waitingGpusort, withDirectory } from './cli/run.js';
import { randomBelow } from './support/random.js';

/** Sorts at once and returns the output; null if the job is left to the general path. */
function atOnce(args: readonly string[], directory: string): string | null {
  const output = join(directory, `out-${readdirSync(directory).length}`);
  const request = parseArguments([...args, '-o', output], { ...SURROUNDINGS, programName: 'gpusort' });
  if (request.action !== 'sort') throw new Error('nothing is sorted');
  return sortAtOnce(request.job, () => true) === null ? readFileSync(output, 'latin1') : null;
}

/** Waits until a process is in a read of standard input (system call 0, on ARM 63), or a second. */
async function readsInput(pid: number): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const call = existsSync(`/proc/${pid}/syscall`) ? readFileSync(`/proc/${pid}/syscall`, 'latin1') : '';
    if (/^(0|63) 0x0 /.test(call)) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
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
      // Texts of more than 64 KiB are sorted by kernels.
      const copies = seed % 8 === 0 ? 1 + Math.ceil((80 << 10) / 400) : 1;
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

describe('the program', () => {
  it('sorts standard input from where it is, and moves it to its end', async () => {
    await withDirectory((directory) => {
      writeFileSync(join(directory, 'in'), 'first\nc\nb\na\n');
      const line = (program: string): string => `{ read -r first; ${program}; cat; } < in`;
      expect(shell(line('"$GPUSORT"'), { cwd: directory })).toEqual(shell(line('sort'), { cwd: directory }));
    });
  });

  it.each([
    ['little', 'head -c 1000 in'],
    ['nothing', 'true'],
    ['as much as is read at once', 'head -c 1048576 in'],
    ['a byte more', 'head -c 1048577 in'],
    ['all', 'cat in'],
    ['pieces, with pauses', '{ head -c 300000 in; sleep 0.1; tail -c +300001 in; }'],
    ['a file that is compressed', 'gzip < in'],
  ])('sorts a pipe with %s like GNU sort, and writes another one', async (_, producer) => {
    await withDirectory((directory) => {
      const below = randomBelow(3);
      writeFileSync(
        join(directory, 'in'),
        Array.from({ length: 90_000 }, () => `${below(2 ** 31)} ${below(9)}\n`).join(''),
      );
      for (const options of ['-k2n -s']) {
        const line = (sort: string): string => `${producer} | ${sort} ${options} - | md5sum`;
        expect(shell(line('"$GPUSORT" 2> /dev/null'), { cwd: directory })).toEqual(
          shell(line('sort'), { cwd: directory }),
        );
      }
    });
  });

  it.each(['TERM', 'INT', 'HUP', 'USR1'])('dies of %s while it waits for a pipe', async (signal) => {
    const sorting = waitingGpusort([]);
    sorting.stdin!.write('b\n');
    await readsInput(sorting.pid!);
    sorting.kill(`SIG${signal}` as NodeJS.Signals);
    expect(await exitOf(sorting)).toEqual({ status: null, signal: `SIG${signal}` });
  });

  it('goes on after HUP if that was ignored when it started', async () => {
    const { status, stdout } = shell(
      'trap \'\' HUP; { echo b; sleep 0.5; echo a; } | { "$GPUSORT" & sleep 0.3; kill -HUP $!; wait; } 2>&1',
    );
    expect([status, stdout]).toEqual([0, 'a\nb\n']);
  });

  it('says what GNU sort says if the output cannot be written, and leaves no file', async () => {
    await withDirectory((directory) => {
      writeFileSync(join(directory, 'in'), 'b\na\n');
      const full = shell('"$GPUSORT" in > /dev/full', { cwd: directory });
      expect([full.status, full.stderr]).toEqual([
        2,
        "gpusort: write failed: 'standard output': No space left on device\n",
      ]);
      const nowhere = gpusort(['in', '-o', 'missing/out'], { cwd: directory });
      expect([nowhere.status, nowhere.stderr]).toEqual([
        2,
        'gpusort: open failed: missing/out: No such file or directory\n',
      ]);
      expect(existsSync(join(directory, 'missing'))).toBe(false);
      expect(readdirSync(directory)).toEqual(['in']);
    });
  });
});
