/**
 * The faults that the tests must catch (run.mjs), read from faults/, a text file for each area of the code:
 *
 *     tests: --gpu none test/merge.test.ts
 *     src/run/merge.ts: -m: the first input is left out
 *       < for (const input of inputs)
 *       > for (const input of inputs.slice(1))
 */
// - `tests:` holds for all faults up to the next such line. Two of them, one right below the other, are one list.
// - `<` marks a line of the text that is replaced, `>` one of its replacement. Without `>`, the text is removed.
// - The text is all that follows "< ", leading spaces included. Newlines join its lines, so an empty line `<` at the
//   end is a newline there. Quotes show outer spaces, as in <" && isLast"; a space at the end needs them.
// - Empty lines separate groups. Lines that begin with # are comments.
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/**
 * @typedef {object} Fault
 * @property {string} file the file that it is injected into
 * @property {string} name what goes wrong, as a sentence
 * @property {string} from text that occurs once in the file
 * @property {string} to what replaces it
 * @property {string} tests the files that should catch it, as arguments of the launcher
 * @property {string} place where it is listed, as PATH:LINE
 */

const root = new URL('../../', import.meta.url);
const folder = 'test/mutation/faults';
const testFiles = readdirSync(new URL('test', root), { recursive: true }).map((name) => `test/${name}`);

/** @type {readonly Fault[]} */
export const FAULTS = parseFaults(
  readdirSync(new URL(folder, root))
    .sort()
    .map((name) => `${folder}/${name}`)
    .map((path) => ({ path, text: readFileSync(new URL(path, root), 'utf8') })),
);

/**
 * Parses the files of several areas.
 *
 * @param {readonly { path: string, text: string }[]} areas
 * @returns {Fault[]} in the given order
 * @throws {Error} PATH:LINE: PROBLEM: for a malformed line, a file or test that does not exist, and a repeated fault
 */
export function parseFaults(areas) {
  const faults = areas.flatMap(({ path, text }) => parseArea(path, text.split('\n')));
  const places = new Map();
  for (const { file, name, place } of faults) {
    const known = places.get(`${file}: ${name}`);
    if (known !== undefined) throw new Error(`${place}: this fault is listed already: ${known}`);
    places.set(`${file}: ${name}`, place);
  }
  return faults;
}

/** Parses one file, given as lines. */
function parseArea(path, lines) {
  const faults = [];
  let tests = '';
  /** Lines taken so far, so the last one has this number. */
  let taken = 0;

  const fail = (problem) => {
    throw new Error(`${path}:${taken}: ${problem}`);
  };
  /** Takes the lines with a mark; none make an empty text. */
  const takeText = (mark) => {
    const text = [];
    while (lines[taken]?.startsWith(`  ${mark}`)) {
      const line = lines[taken++].slice(3);
      const [, plain, quoted] = /^(?: (.*\S)|"(.*)")?$/.exec(line) ?? fail(`not ${mark} TEXT or ${mark}"TEXT "`);
      text.push(plain ?? quoted ?? '');
    }
    return text.join('\n');
  };
  /** Takes the texts of a fault, whose first line is taken. */
  const takeFault = (file, name) => {
    if (tests === '') fail('a line "tests: FILES" is missing above');
    if (!existsSync(new URL(file, root))) fail(`no such file: ${file}`);
    const place = `${path}:${taken}`;
    const from = takeText('<');
    if (from === '') fail('the text to replace is missing: "  < TEXT"');
    return { file, name, from, to: takeText('>'), tests, place };
  };

  while (taken < lines.length) {
    const line = lines[taken++];
    if (line === '' || line.startsWith('#')) continue;
    const [, key, value] = /^(\S+): (\S.*)$/.exec(line) ?? fail('not "tests: FILES", "FILE: FAULT" or a text below it');
    if (key === 'tests') {
      const problem = problemOfTests(value);
      if (problem !== null) fail(problem);
      tests = lines[taken - 2]?.startsWith('tests: ') ? `${tests} ${value}` : value;
    } else faults.push(takeFault(key, value));
  }
  return faults;
}

/** Says whether arguments of the launcher name tests that do not exist; null: they exist. */
function problemOfTests(words) {
  const named = words.split(' ').filter((word) => word.startsWith('test/'));
  const missing = named.find((name) => !testFiles.some((file) => file.startsWith(name)));
  if (missing !== undefined) return `no such test: ${missing}`;
  return named.length > 0 ? null : `no test: ${words}`;
}
