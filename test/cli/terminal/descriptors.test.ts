/** Descriptors: those that the program was started with are files, Node's own do not exist; standard output blocks. */
import { constants, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sampled } from '../../support/tier.js';
import { gnuSort, gpusort, shell, withDirectory } from '../run.js';

/** Options that take a file, with `F` for its name. */
const OPTIONS = [
  'F',
  '-o F in',
  '-m F in',
  '-c F',
  '--files0-from=F',
  '-R --random-source=F in',
  '--stats=F.svg in',
  '--format bed --by position --contigs=F in',
];
const NAMES = ['/dev/fd/N', '/proc/self/fd/N', '/proc/thread-self/fd/N', 'link'];
/** With Node 20: event queues, pipes and a reserve of /dev/null. */
const NUMBERS = [3, 4, 5, 6, 7, 8, 10, 11, 12, 15, 16, 18, 40];

/** Lines of digits, in no order. */
const linesOf = (count: number): string =>
  Array.from({ length: count }, (_, i) => `${Math.imul(i, 0x9e3779b1) >>> 0}\n`).join('');

const cases = OPTIONS.flatMap((option) => NAMES.flatMap((name) => NUMBERS.map((number) => ({ option, name, number }))));

describe.runIf(process.platform === 'linux')('a descriptor that the program was not started with', () => {
  it.each(sampled(cases, { count: 40, seed: 1, values: ({ option, name, number }) => [option, name, number] }))(
    'is not a file: $option, $name, $number',
    async ({ option, name, number }) => {
      await withDirectory(async (cwd) => {
        writeFileSync(join(cwd, 'in'), 'b\na\n');
        const target = name === 'link' ? `/dev/fd/${number}` : name.replace('N', String(number));
        for (const link of ['link', 'link.svg']) symlinkSync(target, join(cwd, link));
        // The end of its name makes the file a drawing.
        const words = option.replace('F', name === 'link' || option.includes('svg') ? 'link' : target).split(' ');
        const { status, stderr } = gpusort(words, { cwd });
        expect({ status, stderr }).toMatchObject({
          status: 2,
          stderr: expect.stringContaining('No such file or directory'),
        });
        const isOfGnu = !option.includes('svg') && !option.includes('format');
        if (isOfGnu) expect(stderr).toBe(gnuSort(words, { cwd }).stderr.replace(/^sort:/, 'gpusort:'));
      });
    },
  );

  it('is not a file if the program restarts itself', () => {
    expect(shell('ulimit -v 20000000; $GPUSORT /dev/fd/4 5< /dev/null')).toMatchObject({
      status: 2,
      stderr: 'gpusort: cannot read: /dev/fd/4: No such file or directory\n',
    });
  });
});

describe.runIf(process.platform === 'linux')('a descriptor that the program was started with', () => {
  it.each([
    ['$GPUSORT /dev/fd/3 3< in', 'a\nb\n'],
    ['$GPUSORT /dev/fd/40 40< in', 'a\nb\n'],
    ['$GPUSORT <(cat in) /dev/fd/3 3< /dev/null', 'a\nb\n'],
    ['$GPUSORT -o /dev/fd/6 in 6> out; cat out', 'a\nb\n'],
  ])('is a file: %s', async (line, sorted) => {
    await withDirectory(async (cwd) => {
      writeFileSync(join(cwd, 'in'), 'b\na\n');
      expect(shell(line, { cwd })).toEqual({ status: 0, signal: null, stdout: sorted, stderr: '' });
      expect(readFileSync(join(cwd, 'in'), 'latin1')).toBe('b\na\n');
    });
  });
});

describe.runIf(process.platform === 'linux')('standard output', () => {
  it('stays blocking while threads sort, because a full pipe would refuse writes otherwise', async () => {
    // Only a stream that is longer than what is read ahead of it needs threads.
    const sort = 'cat in | $GPUSORT --engine cpu --parallel 2 --chunk-size 64K -S 256K';
    const flags = 'grep flags /proc/$!/fdinfo/1 >&2';
    await withDirectory(async (cwd) => {
      writeFileSync(join(cwd, 'in'), linesOf(60_000));
      const line = `mkfifo began go; {
        ${sort} & read -r < began; ${flags}; echo > go; wait $!
      } | { head -c 1; echo > began; read -r < go; cat; }`;
      const { status, stdout, stderr } = shell(line, { cwd });
      expect({ status, stdout }).toEqual({ status: 0, stdout: gnuSort(['in'], { cwd }).stdout });
      expect(Number.parseInt(/^flags:\s*(\d+)$/m.exec(stderr)![1], 8) & constants.O_NONBLOCK).toBe(0);
    });
  });
});
