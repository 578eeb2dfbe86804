/** Shrinks a failing case: fewer options, files, lines and bytes, as long as it fails. It knows nothing of programs. */
import type { Case } from './case.js';
import { mayBeRandom, withoutDifferences } from './generate.js';

/** Maximum number of tries. Each starts a process or two. */
const TRIES = 600;

/** Shrinks `of`, which fails, by greedy steps; returns the smallest case found that still fails. */
export async function shrink(of: Case, fails: (of: Case) => Promise<boolean>): Promise<Case> {
  let best = of;
  let tries = TRIES;
  for (let again = true; again && tries > 0; ) {
    again = false;
    for (const { places, smaller } of STEPS) {
      // After a removal the next item is at the same place, so `at` stays.
      for (let at = 0; at < places(best) && tries > 0; ) {
        const candidate = smaller(best, at);
        if (candidate !== null && isFixed(candidate) && tries-- > 0 && (await fails(candidate))) {
          best = candidate;
          again = true;
        } else {
          at++;
        }
      }
    }
  }
  return best;
}

/** Whether the result is deterministic and avoids known differences (withoutDifferences). */
function isFixed({ options, files, randomSource }: Case): boolean {
  const words = options.flatMap((option) => option.words).join(' ');
  return (
    (randomSource !== null || !mayBeRandom(words)) &&
    withoutDifferences(files, words).every((text, i) => text === files[i])
  );
}

/** One way to make a case smaller. It applies at places, which are numbered from 0. */
interface Step {
  places(of: Case): number;
  /** The smaller case; null: nothing to do at this place. */
  smaller(of: Case, at: number): Case | null;
}

const without = <T>(list: readonly T[], at: number, count = 1): T[] => [
  ...list.slice(0, at),
  ...list.slice(at + count),
];
const replaced = <T>(list: readonly T[], at: number, by: T): T[] => list.map((item, i) => (i === at ? by : item));

const fewerOptions: Step = {
  places: (of) => of.options.length,
  smaller: (of, at) => ({
    ...of,
    options: without(of.options, at),
    before: at < of.before ? of.before - 1 : of.before,
  }),
};

/** Simpler values of what a case has besides options and files. */
const PLAINER: readonly Partial<Case>[] = [
  { randomSource: null },
  { posix: false },
  { presorted: 'no' },
  { presorted: 'same' },
  { randomSource: 'x'.repeat(16) },
];
const plainer: Step = {
  places: () => PLAINER.length + 1,
  smaller: (of, at) => {
    const change = PLAINER[at] ?? { before: of.options.length };
    const isSmaller = Object.entries(change).every(([name, value]) => {
      const old = of[name as keyof Case];
      return old !== value && old !== 'no' && old !== null;
    });
    return isSmaller ? { ...of, ...change } : null;
  },
};

/** Removes a file, or appends it to the previous one. */
const fewerFiles: Step = {
  places: (of) => (of.files.length > 1 ? 2 * of.files.length : 0),
  smaller: (of, at) => {
    const file = at >> 1;
    if (at % 2 === 0) return { ...of, files: without(of.files, file) };
    return file === 0
      ? null
      : { ...of, files: without(replaced(of.files, file - 1, of.files[file - 1] + of.files[file]), file) };
  },
};

/** A step that changes one file. */
function inFiles(
  places: (text: string, of: Case) => number,
  smaller: (text: string, at: number, of: Case) => string,
): Step {
  return {
    places: (of) => of.files.reduce((sum, text) => sum + places(text, of), 0),
    smaller: (of, place) => {
      let at = place;
      let file = 0;
      while (at >= places(of.files[file], of)) at -= places(of.files[file++], of);
      const text = smaller(of.files[file], at, of);
      return text === of.files[file] ? null : { ...of, files: replaced(of.files, file, text) };
    },
  };
}

/** Removes one of `parts` parts of a file's lines, or a single line if there are fewer lines than parts. */
function fewerLines(parts: number): Step {
  const linesOf = (text: string, of: Case): string[] =>
    text.split(new RegExp(`(?<=${delimiterOf(of)})`)).filter((line) => line !== '');
  const share = (lines: readonly string[]): number => Math.max(1, Math.floor(lines.length / parts));
  return inFiles(
    (text, of) => {
      const lines = linesOf(text, of);
      return Math.ceil(lines.length / share(lines));
    },
    (text, at, of) => {
      const lines = linesOf(text, of);
      return without(lines, at * share(lines), share(lines)).join('');
    },
  );
}

function delimiterOf({ options }: Case): string {
  return options.some(({ words }) => /^(-z|--zero)/.test(words[0])) ? '\\0' : '\\n';
}

/** Removes `count` adjacent bytes. */
const fewerBytes = (count: number): Step =>
  inFiles(
    (text) => Math.ceil(text.length / count),
    (text, at) => text.slice(0, at * count) + text.slice((at + 1) * count),
  );

/** Bytes of the longest text in which single bytes are simplified. */
const SHORT_BYTES = 40;
/** Replaces a digit by 1 and any other byte by a; delimiters stay. */
const plainerBytes: Step = inFiles(
  (text) => (text.length <= SHORT_BYTES ? text.length : 0),
  (text, at) => {
    const byte = text[at];
    return /[a1\n\0]/.test(byte) ? text : text.slice(0, at) + (/[0-9]/.test(byte) ? '1' : 'a') + text.slice(at + 1);
  },
);

/** Removes a character of an option's value or letters, but not of a long name. */
const shorterOptions: Step = {
  places: (of) => of.options.reduce((sum, { words }) => sum + words.join('').length, 0),
  smaller: (of, place) => {
    let at = place;
    for (const [i, option] of of.options.entries()) {
      for (const [j, word] of option.words.entries()) {
        if (at < word.length) {
          const isName = word.startsWith('--') && !word.slice(0, at).includes('=');
          return isName || word.length === 1
            ? null
            : {
                ...of,
                options: replaced(of.options, i, {
                  ...option,
                  words: replaced(option.words, j, word.slice(0, at) + word.slice(at + 1)),
                }),
              };
        }
        at -= word.length;
      }
    }
    return null;
  },
};

const STEPS: readonly Step[] = [
  fewerLines(2),
  fewerOptions,
  fewerFiles,
  plainer,
  fewerLines(4),
  fewerLines(16),
  fewerLines(Infinity),
  fewerBytes(32),
  fewerBytes(8),
  fewerBytes(2),
  fewerBytes(1),
  shorterOptions,
  plainerBytes,
];
