/**
 * The first pass over the arguments. It follows GNU getopt_long: clusters (-ru, -mo FILE, -S50M), abbreviated long
 * names, options after operands, `--`; and GNU sort for `+POS1 -POS2` and -y. It rewrites every option to `--name` or
 * `--name=value`, so that the second pass is unambiguous. It knows the names and which of them take arguments, not what
 * the arguments mean.
 */
import type { GpusortError } from '../report/errors.js';
import { toText } from './argv.js';
import { isObsolescentKey } from './key-definition.js';
import { GNU_NAMES, OPTIONS, type OptionRow, QUIET_CHECK } from './options.js';
import { usageError } from './usage.js';

interface Normalised {
  /** `--name` and `--name=value` in the order given. */
  readonly options: string[];
  readonly operands: string[];
  /**
   * How the user wrote each option with a value: `-S`, `--buffer-size` or OBSOLESCENT_KEY. Same order as in `options`.
   */
  readonly spellings: string[];
  /** The error that stopped the pass. As in GNU sort, errors of the options before it are reported first. */
  readonly problem: GpusortError | null;
}

/** The spelling of a --key that was given as `+POS1 -POS2`. In its value, a NUL separates the two if there are two. */
export const OBSOLESCENT_KEY = '+';
/** An option of old sorts. It does nothing, and takes the next word as its argument only if that is a number. */
const NOTHING = 'y';

/** What getopt and GNU sort read from the environment. */
export interface Conventions {
  /** Options end at the first operand, except -o. */
  readonly posixlyCorrect: boolean;
  /** `+POS1` alone is a key, not a file name. */
  readonly obsolescentKeys: boolean;
}

/** These options take effect at once; what follows them is ignored. */
const ACTIONS: readonly string[] = ['help', 'version', 'adapters'];

/** `argv` holds the arguments after the program's name. */
export function normalise(
  argv: readonly string[],
  programName: string,
  { posixlyCorrect, obsolescentKeys }: Conventions,
): Normalised {
  const options: string[] = [];
  const operands: string[] = [];
  const spellings: string[] = [];
  let problem: GpusortError | null = null;
  let next = 0;
  let takesLoneKeys = obsolescentKeys;

  const value = (row: OptionRow, spelling: string, text: string): void => {
    options.push(`--${row.long}=${text}`);
    spellings.push(spelling);
  };

  const longOption = (word: string): void => {
    const equals = word.indexOf('=');
    const row = findLong(equals < 0 ? word.slice(2) : word.slice(2, equals), word);
    const spelling = `--${row.long}`;
    if (equals >= 0) {
      if (row.argument === undefined) throw new BadOption(`option '${spelling}' doesn't allow an argument`);
      value(row, spelling, word.slice(equals + 1));
    } else if (row.argument === undefined) {
      options.push(spelling);
    } else if (row.bare !== undefined) {
      value(row, spelling, row.bare);
    } else {
      if (next === argv.length) throw new BadOption(`option '${spelling}' requires an argument`);
      value(row, spelling, argv[next++]);
    }
  };

  const cluster = (word: string): void => {
    for (let at = 1; at < word.length; at++) {
      const letter = word[at];
      if (letter === QUIET_CHECK.short) {
        options.push(`--${QUIET_CHECK.long}=${QUIET_CHECK.value}`);
        spellings.push('-C');
        continue;
      }
      if (letter === NOTHING) {
        if (at === word.length - 1 && next === argv.length)
          throw new BadOption(`option requires an argument -- '${letter}'`);
        if (at === word.length - 1 && /^[0-9]*$/.test(argv[next])) next++;
        return;
      }
      const row = OPTIONS.find((candidate) => candidate.short === letter);
      if (row === undefined) throw new BadOption(`invalid option -- '${toText(letter)}'`);
      if (row.argument === undefined) {
        options.push(`--${row.long}`);
      } else if (row.bare !== undefined) {
        value(row, `-${letter}`, row.bare);
      } else {
        const attached = word.slice(at + 1);
        if (attached === '' && next === argv.length) throw new BadOption(`option requires an argument -- '${letter}'`);
        value(row, `-${letter}`, attached !== '' ? attached : argv[next++]);
        return;
      }
    }
  };

  /** Whether `word` is an obsolescent key. If so, takes it, and the next word if that is its POS2. */
  const obsolescentKey = (word: string): boolean => {
    if (!word.startsWith('+')) return false;
    const end = /^-[0-9]/.test(argv[next] ?? '') ? argv[next] : undefined;
    takesLoneKeys ||= end !== undefined && !posixlyCorrect;
    if (!takesLoneKeys || !isObsolescentKey(word)) return false;
    if (end !== undefined) next++;
    options.push(`--key=${end === undefined ? word : `${word}\0${end}`}`);
    spellings.push(OBSOLESCENT_KEY);
    return true;
  };
  /** Whether options have ended before `word`, the next one. */
  const isOver = (word: string): boolean => {
    if (!posixlyCorrect || operands.length === 0) return false;
    const isOutput = word.startsWith('-o') && (word.length > 2 || next + 1 < argv.length);
    const checks = options.some((option) => option.startsWith(`--${QUIET_CHECK.long}=`));
    return !isOutput || !takesLoneKeys || checks;
  };

  try {
    while (next < argv.length) {
      if (isOver(argv[next])) {
        operands.push(argv[next++]);
        continue;
      }
      const word = argv[next++];
      if (word === '--') break;
      if (word.startsWith('--')) longOption(word);
      else if (word.startsWith('-') && word !== '-') cluster(word);
      else if (!obsolescentKey(word)) operands.push(word);
      if (ACTIONS.includes(options.at(-1)?.slice(2) ?? '')) break;
    }
    operands.push(...argv.slice(next));
  } catch (error) {
    if (!(error instanceof BadOption)) throw error;
    problem = usageError(error.message, programName);
  }
  return { options, operands, spellings, problem };
}

class BadOption extends Error {}

/** The option that has this name or is abbreviated by it. */
function findLong(name: string, word: string): OptionRow {
  const exact = OPTIONS.find((row) => row.long === name);
  if (exact !== undefined) return exact;
  const begins = (candidate: string): boolean => candidate.startsWith(name);
  const gnu = GNU_NAMES.includes(name) ? [name] : GNU_NAMES.filter(begins);
  const candidates = gnu.length > 0 ? gnu : OPTIONS.map((row) => row.long).filter(begins);
  if (candidates.length > 1) {
    const list = candidates.map((candidate) => ` '--${candidate}'`).join('');
    throw new BadOption(`option '${toText(word)}' is ambiguous; possibilities:${list}`);
  }
  const row = OPTIONS.find((option) => option.long === candidates[0]);
  if (row === undefined) throw new BadOption(`unrecognized option '${toText(word)}'`);
  return row;
}
