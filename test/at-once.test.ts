/** Small sorts that are done at once: the same bytes as GNU sort, and the jobs that are left to the general path. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { parseArguments } from '../src/cli/request.js';
import { sortAtOnce } from '../src/run/at-once.js';
import { fileSystem } from '../src/system/file-system.js';
import { SURROUNDINGS } from './cli/arguments.js';
import { gnuSort, withDirectory } from './cli/run.js';
import { randomBelow } from './support/random.js';

/** Sorts at once and returns the output; null if the job is left to the general path. */
function atOnce(
  args: readonly string[],
  directory: string,
  output = join(directory, `out-${readdirSync(directory).length}`),
): string | null {
  const request = parseArguments([...args, '-o', output], { ...SURROUNDINGS, programName: 'gpusort' });
  if (request.action !== 'sort') throw new Error('nothing is sorted');
  return sortAtOnce(request.job, () => true).kind === 'done' ? readFileSync(output, 'latin1') : null;
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
  '--top=1 --per=1,1',
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

describe('a file that exists', () => {
  /** Sorts `b` and `a` into an output with old contents, which `prepare` may change. */
  async function overwritten(prepare: (output: string, directory: string) => void): Promise<{
    sorted: string | null;
    now: string;
    mode: number;
    names: string[];
  }> {
    let result!: Awaited<ReturnType<typeof overwritten>>;
    await withDirectory((directory) => {
      const output = join(directory, 'out');
      writeFileSync(join(directory, 'in'), 'b\na\n');
      writeFileSync(output, 'old contents\n', { mode: 0o640 });
      prepare(output, directory);
      const sorted = atOnce([join(directory, 'in')], directory, output);
      const mode = statSync(output).mode & 0o7777;
      result = { sorted, now: readFileSync(output, 'latin1'), mode, names: readdirSync(directory).sort() };
    });
    return result;
  }

  it('is replaced, and keeps its mode; a process that has it open reads the old contents', async () => {
    let before = -1;
    const { sorted, mode, names } = await overwritten((output) => {
      before = openSync(output, 'r');
    });
    expect({ sorted, mode, names }).toEqual({ sorted: 'a\nb\n', mode: 0o640, names: ['in', 'out'] });
    expect(readFileSync(before, 'latin1')).toBe('old contents\n');
    closeSync(before);
  });

  it('may be the input', async () => {
    await withDirectory((directory) => {
      const name = join(directory, 'in');
      writeFileSync(name, 'b\na\n');
      expect(atOnce([name], directory, name)).toBe('a\nb\n');
    });
  });

  it('is replaced behind a symbolic link', async () => {
    await withDirectory((directory) => {
      const [link, target] = [join(directory, 'link'), join(directory, 'target')];
      writeFileSync(target, 'b\na\n');
      symlinkSync('target', link);
      expect(atOnce([target], directory, link)).toBe('a\nb\n');
      expect(readlinkSync(link)).toBe('target');
    });
  });

  it.each<readonly [what: string, prepare: (output: string, directory: string) => void]>([
    ['has a second name', (output, directory) => linkSync(output, join(directory, 'second'))],
    ['has a set-group-ID bit', (output) => chmodSync(output, 0o2640)],
  ])('is left to the general path if it %s', async (_, prepare) => {
    expect(await overwritten(prepare)).toMatchObject({ sorted: null, now: 'old contents\n' });
  });

  it('is left to the general path, and unchanged, if the system does not let it be replaced', async () => {
    const { renameSync } = fileSystem;
    fileSystem.renameSync = () => {
      throw Object.assign(new Error('injected'), { code: 'EPERM' });
    };
    try {
      expect(await overwritten(() => {})).toEqual({
        sorted: null,
        now: 'old contents\n',
        mode: 0o640,
        names: ['in', 'out'],
      });
    } finally {
      fileSystem.renameSync = renameSync;
    }
  });

  it('is not opened if it is a FIFO: its reader would see an end', async () => {
    await withDirectory((directory) => {
      const [input, fifo] = [join(directory, 'in'), join(directory, 'fifo')];
      writeFileSync(input, 'b\na\n');
      execFileSync('mkfifo', [fifo]);
      const { openSync: open } = fileSystem;
      const opened: unknown[] = [];
      fileSystem.openSync = (name, ...others) => {
        opened.push(String(name));
        return open(name, ...others);
      };
      try {
        expect(atOnce([input], directory, fifo)).toBeNull();
      } finally {
        fileSystem.openSync = open;
      }
      expect(opened).not.toContain(fifo);
    });
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
