/** Makes a failing case small: fewer options, files, lines and bytes, as long as it fails. Knows nothing of programs. */
import type { Case } from './case.js';
import { mayBeRandom, withoutDifferences } from './generate.js';

/** Most tries: each starts a process or two. */
const TRIES = 600;

/** The smallest case found that `fails` still, by greedy steps from `of`, which does. */
export async function shrink(of: Case, fails: (of: Case) => Promise<boolean>): Promise<Case> {
  let best = of;
  let tries = TRIES;
  for (let again = true; again && tries > 0;) {
    again = false;
    for (const { places, smaller } of STEPS) {
      // What is taken out at a place leaves the next thing there.
      for (let at = 0; at < places(best) && tries > 0;) {
        const candidate = smaller(best, at);
        if (candidate !== null && isFixed(candidate) && (tries--, await fails(candidate))) {
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

/** Its result depends neither on chance nor on what is known to be different. */
function isFixed({ options, files, randomSource }: Case): boolean {
  const words = options.flatMap((option) => option.words).join(' ');
  return (randomSource !== null || !mayBeRandom(words)) && withoutDifferences(files, words).every((text, i) => text === files[i]);
}

/** Ways to make a case smaller, numbered by the places where it can be. */
interface Step {
  places(of: Case): number;
  /** null where there is nothing to be done at that place. */
  smaller(of: Case, at: number): Case | null;
}

const without = <T>(list: readonly T[], at: number, count = 1): T[] => [...list.slice(0, at), ...list.slice(at + count)];
const replaced = <T>(list: readonly T[], at: number, by: T): T[] => list.map((item, i) => (i === at ? by : item));

const fewerOptions: Step = {
  places: (of) => of.options.length,
  smaller: (of, at) => ({ ...of, options: without(of.options, at), before: at < of.before ? of.before - 1 : of.before }),
};

/** What is set beside options and files goes. */
const PLAINER: readonly Partial<Case>[] = [{ randomSource: null }, { posix: false }, { presorted: 'no' }, { presorted: 'same' }, { randomSource: 'x'.repeat(16) }];
const plainer: Step = {
  places: () => PLAINER.length + 1,
  smaller: (of, at) => {
    const change = PLAINER[at] ?? { before: of.options.length };
    const isSmaller = Object.entries(change).every(([name, value]) => { const old = of[name as keyof Case]; return old !== value && old !== 'no' && old !== null; });
    return isSmaller ? { ...of, ...change } : null;
  },
};

/** Removes a file, or puts it behind the one before. */
const fewerFiles: Step = {
  places: (of) => (of.files.length > 1 ? 2 * of.files.length : 0),
  smaller: (of, at) => {
    const file = at >> 1;
    if (at % 2 === 0) return { ...of, files: without(of.files, file) };
    return file === 0 ? null : { ...of, files: without(replaced(of.files, file - 1, of.files[file - 1]! + of.files[file]!), file) };
  },
};

/** A step in each file. */
function inFiles(places: (text: string, of: Case) => number, smaller: (text: string, at: number, of: Case) => string): Step {
  return {
    places: (of) => of.files.reduce((sum, text) => sum + places(text, of), 0),
    smaller: (of, place) => {
      let at = place;
      let file = 0;
      while (at >= places(of.files[file]!, of)) at -= places(of.files[file++]!, of);
      const text = smaller(of.files[file]!, at, of);
      return text === of.files[file] ? null : { ...of, files: replaced(of.files, file, text) };
    },
  };
}

/** Removes one of `parts` parts of a file's lines, or single lines where there are fewer. */
function fewerLines(parts: number): Step {
  const linesOf = (text: string, of: Case): string[] => text.split(new RegExp(`(?<=${delimiterOf(of)})`)).filter((line) => line !== '');
  const share = (lines: readonly string[]): number => Math.max(1, Math.floor(lines.length / parts));
  return inFiles(
    (text, of) => { const lines = linesOf(text, of); return Math.ceil(lines.length / share(lines)); },
    (text, at, of) => { const lines = linesOf(text, of); return without(lines, at * share(lines), share(lines)).join(''); },
  );
}

function delimiterOf({ options }: Case): string { return options.some(({ words }) => /^(-z|--zero)/.test(words[0]!)) ? '\\0' : '\\n'; }

/** Removes `count` bytes that stand together. */
const fewerBytes = (count: number): Step => inFiles((text) => Math.ceil(text.length / count), (text, at) => text.slice(0, at * count) + text.slice((at + 1) * count));

/** Of longer texts bytes stay as they are. */
const SHORT_BYTES = 40;
/** Puts a plain letter, or a digit for a digit, in a byte's place. */
const plainerBytes: Step = inFiles((text) => (text.length <= SHORT_BYTES ? text.length : 0), (text, at) => {
  const byte = text[at]!;
  return /[a1\n\0]/.test(byte) ? text : text.slice(0, at) + (/[0-9]/.test(byte) ? '1' : 'a') + text.slice(at + 1);
});

/** Removes a character of an option's value or of its letters, not of its name; a case that is refused then fails no more. */
const shorterOptions: Step = {
  places: (of) => of.options.reduce((sum, { words }) => sum + words.join('').length, 0),
  smaller: (of, place) => {
    let at = place;
    for (const [i, option] of of.options.entries()) {
      for (const [j, word] of option.words.entries()) {
        if (at < word.length) {
          const isName = word.startsWith('--') && !word.slice(0, at).includes('=');
          return isName || word.length === 1 ? null : { ...of, options: replaced(of.options, i, { ...option, words: replaced(option.words, j, word.slice(0, at) + word.slice(at + 1)) }) };
        }
        at -= word.length;
      }
    }
    return null;
  },
};

const STEPS: readonly Step[] = [
  fewerLines(2), fewerOptions, fewerFiles, plainer, fewerLines(4), fewerLines(16), fewerLines(Infinity), fewerBytes(32), fewerBytes(8), fewerBytes(2), fewerBytes(1), shorterOptions, plainerBytes,
];
