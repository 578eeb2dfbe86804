/** Standard streams of a shell: pipes that are slow, closed or do not block, and terminals. Compared with GNU sort. */
import { spawn } from 'node:child_process';
import { constants, openSync, readFileSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { random } from '../../support/random.js';
import { sampled } from '../../support/tier.js';
import { asGpusort, BINARY, environment, exitOf, gnuSort, shell, withDirectory } from '../run.js';

/** Lines of words, some of them longer than a chunk, and the last one without its newline. */
function text(bytes: number, seed: number): string {
  const next = random(seed);
  const lines: string[] = [];
  for (let left = bytes; left > 0; left -= lines.at(-1)!.length + 1)
    lines.push(
      (next() * 1e6)
        .toString(36)
        .repeat(next() < 0.001 ? 9000 : 1 + 3 * next())
        .replace('.', next() < 0.3 ? '\0' : ' '),
    );
  return lines.join('\n');
}

/** In so little memory, a stream of more than 64 KiB is read in chunks by threads. */
const TINY = '--engine cpu --parallel 2 --chunk-size 32K -S 256K';
const OPTIONS = ['', '-r', '-u', '-s -k2', '-z', '-n', '-f -k1,1', '-m', '-c'];
const SOURCES = [
  'cat in | SORT',
  'dd if=in bs=999 status=none | SORT',
  'SORT < in',
  'SORT < in | cat',
  'cat in | SORT - in',
  '(head -c 70000 in; sleep 0.1; tail -c +70001 in) | SORT | cat',
];
const cases = OPTIONS.flatMap((options) => SOURCES.map((source) => ({ options, source })));

describe.runIf(process.platform === 'linux')('streams in tiny chunks', () => {
  it.each(sampled(cases, { count: 16, seed: 4, values: ({ source }) => [source] }))(
    'give the bytes of GNU sort: $source, $options',
    async ({ options, source }) => {
      await withDirectory(async (cwd) => {
        writeFileSync(join(cwd, 'in'), text(400_000, 7), 'latin1');
        const [own, gnu] = [`$GPUSORT ${TINY}`, 'sort'].map((program, i) =>
          shell(`set -o pipefail; (${source.replace('SORT', `${program} ${options}`)}) > out${i}`, { cwd }),
        );
        expect(own).toEqual(asGpusort(gnu));
        expect(readFileSync(join(cwd, 'out0')).equals(readFileSync(join(cwd, 'out1')))).toBe(true);
      });
    },
  );
});

describe.runIf(process.platform === 'linux')('standard input', () => {
  it('may arrive byte by byte', async () => {
    await withDirectory(async (cwd) => {
      writeFileSync(join(cwd, 'in'), 'bb\na\n\nccc');
      expect(
        shell('(for i in 1 2 3 4 5 6 7 8 9; do dd bs=1 count=1 status=none; sleep 0.02; done) < in | $GPUSORT', {
          cwd,
        }),
      ).toEqual({
        status: 0,
        signal: null,
        stdout: '\na\nbb\nccc\n',
        stderr: '',
      });
    });
  });
  it('that is closed is empty, because Node opens /dev/null in its place', () => {
    expect(shell('$GPUSORT <&-')).toEqual({ status: 0, signal: null, stdout: '', stderr: '' });
  });
  it('may be a terminal', async () => {
    await withDirectory(async (cwd) => {
      shell(`printf 'b\\na\\n\\004' | script -qec '$GPUSORT > out' /dev/null`, { cwd });
      expect(readFileSync(join(cwd, 'out'), 'latin1')).toBe('a\nb\n');
    });
  });
});

describe.runIf(process.platform === 'linux')('standard output', () => {
  it('that nobody reads any more ends the sort before it has written all', async () => {
    await withDirectory(async (cwd) => {
      writeFileSync(join(cwd, 'in'), text(400_000, 8), 'latin1');
      const line = `cat in | ($GPUSORT ${TINY}; echo $? > status) | head -c 1 | wc -c; cat status`;
      expect(shell(line, { cwd })).toMatchObject({ stdout: '1\n141\n', stderr: '' });
    });
  });
  it('may be a full pipe that does not block', async () => {
    await withDirectory(async (cwd) => {
      writeFileSync(join(cwd, 'in'), text(400_000, 9), 'latin1');
      shell('mkfifo pipe', { cwd });
      const fd = openSync(join(cwd, 'pipe'), constants.O_RDWR);
      const socket = new Socket({ fd, readable: false, writable: true });
      const sort = spawn(BINARY, [...TINY.split(' '), 'in'], {
        cwd,
        env: environment(),
        stdio: ['ignore', fd, 'inherit'],
      });
      const read = spawn('sh', ['-c', 'dd bs=1000 status=none < pipe > out'], { cwd });
      const [status] = await Promise.all([
        exitOf(sort).then((ended) => {
          socket.destroy();
          return ended.status;
        }),
        exitOf(read),
      ]);
      expect(status).toBe(0);
      expect(readFileSync(join(cwd, 'out'), 'latin1')).toBe(gnuSort(['in'], { cwd }).stdout);
    });
  });
});
