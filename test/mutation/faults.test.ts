/** The faults of `npm run test:mutation` fit the code, and the parser of their files rejects malformed ones. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
// @ts-expect-error: no types
import { FAULTS, parseFaults } from './faults.mjs';

type Fault = Readonly<Record<'file' | 'name' | 'from' | 'to' | 'tests' | 'place', string>>;
const faults: readonly Fault[] = FAULTS;
const parse: (areas: readonly { path: string; text: string }[]) => Fault[] = parseFaults;

const root = new URL('../../', import.meta.url);
const TESTS = 'tests: test/merge.test.ts';
const HEAD = 'src/run/merge.ts: no merge';

it('each fault replaces a text that occurs once in its file', () => {
  const wrong = faults.filter(({ file, from, to }) => {
    const parts = readFileSync(new URL(file, root), 'utf8').split(from);
    return parts.length !== 2 || from === to;
  });
  expect(faults.length).toBeGreaterThan(0);
  expect(wrong.map(({ place, file, name }) => `${place}: ${file}: ${name}`)).toEqual([]);
});

it('takes texts exactly, with their spaces and newlines', () => {
  const text = `# Two areas
${TESTS}
${HEAD}
  <   a
  <
  <  "b"
  <
  >"c "
  >" "d" "
src/run/check.ts: no: check
  < x

tests: -t "a b" test/cli
${TESTS}
src/run/check.ts: y
  < y
`;
  const [first, second, third] = parse([{ path: 'a.txt', text }]);
  expect(first).toEqual({
    file: 'src/run/merge.ts',
    name: 'no merge',
    from: '  a\n\n "b"\n',
    to: 'c \n "d" ',
    tests: 'test/merge.test.ts',
    place: 'a.txt:3',
  });
  expect(second).toMatchObject({ name: 'no: check', from: 'x', to: '', tests: 'test/merge.test.ts' });
  expect(third).toMatchObject({ tests: '-t "a b" test/cli test/merge.test.ts', place: 'a.txt:15' });
});

it.each([
  [[HEAD, '  < x'], 'a.txt:1: a line "tests: FILES" is missing above'],
  [['tests: --gpu none'], 'a.txt:1: no test: --gpu none'],
  [[TESTS, 'tests: test/none.test.ts'], 'a.txt:2: no such test: test/none.test.ts'],
  [[TESTS, 'src/none.ts: no file', '  < x'], 'a.txt:2: no such file: src/none.ts'],
  [[TESTS, HEAD, '', '  < x'], 'a.txt:2: the text to replace is missing: "  < TEXT"'],
  [[TESTS, HEAD, '  < x', '  > y', '  < z'], 'a.txt:5: not "tests: FILES", "FILE: FAULT" or a text below it'],
  [[TESTS, HEAD, '  < x', '  > y '], 'a.txt:4: not > TEXT or >"TEXT "'],
  [[TESTS, HEAD, '  <x'], 'a.txt:3: not < TEXT or <"TEXT "'],
])('rejects %j', (lines, problem) => {
  expect(() => parse([{ path: 'a.txt', text: lines.join('\n') }])).toThrow(new Error(problem));
});

it('rejects two faults of a file with one name, also in two areas', () => {
  const text = [TESTS, HEAD, '  < x', ''].join('\n');
  expect(() => parse(['a.txt', 'b.txt'].map((path) => ({ path, text })))).toThrow(
    'b.txt:2: this fault is listed already: a.txt:2',
  );
});
