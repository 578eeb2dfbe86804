/** Keys that no record has: one warning, however the input is sorted, and none if a single record has the key. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { joinedPresence } from '../../src/keys/presence.js';
import { gpusortHere } from '../cli/here.js';
import { withDirectory } from '../cli/run.js';
import { sorted } from '../cluster/both.js';

const LINES = Array.from({ length: 40 }, (_, i) => `{"a":${10 + i},"s":"a\\tb","l":[${i}]}\n`);
const HEADER = '@SQ\tSN:c\tLN:9\n';
const read = (i: number, tags = ''): string => `r${i}\t0\tc\t${i}\t9\t*\t*\t0\t0\tA\tI${tags}\n`;
const FILES = {
  json: LINES.join(''),
  last: `${LINES.slice(0, 30).join('')}{"b":1}\n`,
  csv: 'x,y,z\n1,"p,q"\n2,"r""",\n',
  short: 'x,y,z\n1,p\n2,q\n',
  quoted: 'x,y\n1,"p,q"\n2,"r"\n',
  sam: HEADER + read(1) + read(2),
  tagged: HEADER + read(1) + read(2, '\tXX:i:3'),
  empty: '',
};

/** The command, and the key that is reported to be in no record. */
const CASES: readonly (readonly [string, ...string[]])[] = [
  ['--json a json'],
  ['--json l.3 json', "a JSON value at 'l.3' (--json)"],
  ['--json l.0:n json'],
  ['--json a.b json', "a JSON value at 'a.b' (--json)"],
  ['--json a --json q:r --json x\\.y json', "a JSON value at 'q' (--json)", "a JSON value at 'x\\.y' (--json)"],
  ['--json b json empty', "a JSON value at 'b' (--json)"],
  ['--json b last', ''],
  ['--json b empty'],
  ['--json b csv', "a JSON value at 'b' (--json)"],
  ['--csv -k 3 csv'],
  ['--csv -k 4,4n csv', 'a field 4 (-k)'],
  ['--csv -k z csv'],
  ['--csv -k z short', "the field 'z' of the header"],
  ['--csv -k 3 quoted', 'a field 3 (-k)'],
  ['--csv -k 2 quoted'],
  ['--format sam --by tag:XX sam', 'the tag XX'],
  ['--format sam --by tag:XX tagged'],
  ['--as picard --by queryname --format sam sam'],
  ['-t , -k 9 csv'],
];

const warningsOf = (missing: readonly string[]): string =>
  missing
    .filter((what) => what !== '')
    .map((what) => `gpusort: warning: no record has ${what}, so this key has no effect\n`)
    .join('');

function inFiles<T>(run: (cwd: string) => Promise<T>): Promise<T> {
  return withDirectory(async (cwd) => {
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(cwd, name), text);
    return run(cwd);
  });
}

describe('a key that no record has', () => {
  it.each(CASES)('%s', (words, ...missing) =>
    inFiles(async (cwd) => {
      for (const way of [[], ['--chunk-size=1K', '-S64K'], ['--verify'], ['-m']]) {
        const { stderr } = await gpusortHere(['--engine=cpu', ...way, ...words.split(' ')], { cwd });
        expect({ way, stderr }).toEqual({ way, stderr: warningsOf(missing) });
      }
    }),
  );

  it('is not reported by a merge that ends early', () =>
    inFiles(async (cwd) => {
      const { stderr } = await gpusortHere(['-m', '--top=3', '--json=b', 'last'], { cwd });
      expect(stderr).toBe('');
    }));

  it('is detected by a check that sees all records', () =>
    inFiles(async (cwd) => {
      const checked = async (key: string): Promise<string> => (await gpusortHere(['-C', key, 'json'], { cwd })).stderr;
      expect(await checked('--json=b')).toBe(warningsOf(["a JSON value at 'b' (--json)"]));
      expect(await checked('--json=a')).toBe('');
    }));

  it('is detected by threads', () =>
    withDirectory(async (cwd) => {
      writeFileSync(join(cwd, 'a'), LINES.join('').repeat(200));
      const threads = ['--engine=cpu', '--parallel=2', '--chunk-size=64K', '-S1M'];
      const { stderr } = await gpusortHere([...threads, '--json=b', 'a'], { cwd });
      expect(stderr).toBe(warningsOf(["a JSON value at 'b' (--json)"]));
    }));

  it('is detected if a language compares it first', () =>
    inFiles(async (cwd) => {
      const args = ['--locale=de', '--json=x', '--json=y'];
      expect((await gpusortHere([...args, 'json'], { cwd })).stderr).toBe(warningsOf(["a JSON value at 'x' (--json)"]));
      expect((await gpusortHere(['-m', ...args, 'json', 'last'], { cwd })).stderr).toBe('');
    }));

  it.each([
    ['a sort', ['--json', 'b', '--json', 'a'], ['json', 'json']],
    ['a merge', ['-m', '-s', '--json', 'b', '--json', 'a'], ['json', 'json']],
  ])('is counted over all tasks of %s', async (_, words, inputs) => {
    const tasks = { shares: 3, ranges: 3 };
    const { json, last } = FILES;
    const missing = warningsOf(["a JSON value at 'b' (--json)"]);
    expect((await sorted([...words, ...inputs], { json }, tasks)).messages).toBe(missing);
    expect((await sorted([...words, ...inputs, 'last'], { json, last }, tasks)).messages).toBe('');
  });
});

it.each([
  ['a..b', 3],
  ['.a', 1],
  ['a.\\..b.', 8],
  ['.', 1],
  ['a.:n', 3],
])('refuses the path %s', async (path, place) => {
  const shown = path.replace('\\', '\\\\');
  expect(await gpusortHere(['--json', path])).toMatchObject({
    status: 2,
    // A path of jq has a remedy of its own (other-words.ts).
    stderr:
      `gpusort: no name at character ${place} of path '${shown}'\n` +
      (path === '.a'
        ? 'Use --json a instead of --json .a.\n'
        : 'Write one dot between two names, and \\. for a dot in a name.\n'),
  });
});

it('combines the bits of all tasks', () => {
  expect(joinedPresence(['012', '100', '020'])).toBe('132');
});
