/**
 * The first pass over the arguments. It follows GNU getopt_long (clusters such as -ru, -mo FILE and -S50M, abbreviated
 * long names, options after operands, `--`) and, for `+POS1 -POS2` and -y, GNU sort. It knows the names of options and
 * which of them take arguments, not the meaning of the arguments.
 */
import type { GpusortError } from '../../system/errors.js';
import { GNU_NAME, toText } from './argv.js';
import { isObsolescentKey } from './key-definition.js';
import { nearest, usageError } from './usage.js';

/** How an option is written. */
export interface OptionSyntax {
  /** The name without dashes, by which the whole program knows the option. */
  readonly long: string;
  readonly short?: string;
  /** The argument's name in the help; undefined for a switch. */
  readonly argument?: string;
  /** The value of a bare `--name`. The option takes another value only as `--name=VALUE`, never from the next word. */
  readonly bare?: string;
  /** Whether the option takes no argument if the program is called by GNU sort's name. */
  readonly isGnuSwitch?: true;
  /** Another letter, which stands for the option with this value. */
  readonly alias?: { readonly short: string; readonly value: string };
  /**
   * Names of the same option in other programs. They are not accepted, but the library suggests this option. Messages
   * of the command line: see other-words.ts.
   */
  readonly elsewhere?: readonly string[];
  /** Whether the option yields to others: an abbreviation that also fits another option means the other one. */
  readonly later?: true;
  /** Whether the option takes effect at once, so that later words are ignored. */
  readonly actsAtOnce?: true;
}

/** All options that a program has. */
export interface OptionNames<Row extends OptionSyntax> {
  readonly rows: readonly Row[];
  /**
   * The long names that GNU sort has, in its own order. An abbreviation of one of these means the same as in GNU sort.
   */
  readonly gnuNames: readonly string[];
}

export interface GivenOption<Row> {
  readonly row: Row;
  /** How the user wrote the option: `-S`, `--buffer-size` or OBSOLESCENT_KEY. */
  readonly spelling: string;
  /** The argument; undefined for a switch. */
  readonly text: string | undefined;
}

interface CommandLine<Row> {
  /** The options, in the order given. */
  readonly options: readonly GivenOption<Row>[];
  readonly operands: readonly string[];
  /** The error that ended the pass. As in GNU sort, errors of earlier options are reported first. */
  readonly problem: GpusortError | null;
}

/** The spelling of a --key that was given as `+POS1 -POS2`. In its value, a NUL separates the two if there are two. */
export const OBSOLESCENT_KEY = '+';
/**
 * An option of old versions of sort. It does nothing, and takes the next word as its argument only if that is a number.
 */
const NOTHING = 'y';

/** The settings that getopt and GNU sort read from the environment. */
export interface Conventions {
  readonly programName: string;
  /** Whether options end at the first operand, except -o. */
  readonly posixlyCorrect: boolean;
  /** Whether `+POS1` alone is a key, and not a file name. */
  readonly obsolescentKeys: boolean;
}

/** `argv` holds the arguments after the program's name. */
export function splitArguments<Row extends OptionSyntax>(
  argv: readonly string[],
  names: OptionNames<Row>,
  conventions: Conventions,
): CommandLine<Row> {
  const reader = new ArgumentReader(argv, names, conventions);
  let problem: GpusortError | null = null;
  try {
    reader.readAll();
  } catch (error) {
    if (!(error instanceof BadOption)) throw error;
    problem = usageError(error.message, conventions.programName, { meant: error.meant });
  }
  const { options, operands } = reader;
  return { options, operands, problem };
}

class ArgumentReader<Row extends OptionSyntax> {
  readonly options: GivenOption<Row>[] = [];
  readonly operands: string[] = [];
  private readonly argv: readonly string[];
  private readonly names: OptionNames<Row>;
  private readonly conventions: Conventions;
  /** The index of the next word. */
  private next = 0;
  private takesLoneKeys: boolean;

  constructor(argv: readonly string[], names: OptionNames<Row>, conventions: Conventions) {
    this.argv = argv;
    this.names = names;
    this.conventions = conventions;
    this.takesLoneKeys = conventions.obsolescentKeys;
  }

  /** Throws BadOption at the first wrong word; the words before it have been read. */
  readAll(): void {
    const { argv, options, operands } = this;
    while (this.next < argv.length) {
      if (this.isOver(argv[this.next])) {
        operands.push(argv[this.next++]);
        continue;
      }
      const word = argv[this.next++];
      if (word === '--') break;
      if (word.startsWith('--')) this.longOption(word);
      else if (word.startsWith('-') && word !== '-') this.cluster(word);
      else if (!this.obsolescentKey(word)) operands.push(word);
      if (options.at(-1)?.row.actsAtOnce) break;
    }
    // One by one, because hundreds of thousands of names as arguments of one call would overflow the stack.
    for (; this.next < argv.length; this.next++) operands.push(argv[this.next]);
  }

  private give(row: Row, spelling: string, text?: string): void {
    this.options.push({ row, spelling, text });
  }

  private longOption(word: string): void {
    const equals = word.indexOf('=');
    const row = findLong(this.names, equals < 0 ? word.slice(2) : word.slice(2, equals), word);
    const spelling = `--${row.long}`;
    if (equals >= 0) {
      if (row.argument === undefined || (row.isGnuSwitch && this.conventions.programName === GNU_NAME))
        throw new BadOption(`option '${spelling}' doesn't allow an argument`);
      this.give(row, spelling, word.slice(equals + 1));
    } else if (row.argument === undefined || row.bare !== undefined) {
      this.give(row, spelling, row.bare);
    } else {
      if (this.next === this.argv.length) throw new BadOption(`option '${spelling}' requires an argument`);
      this.give(row, spelling, this.argv[this.next++]);
    }
  }

  /** Options of one letter, the last of which may have an argument. */
  private cluster(word: string): void {
    const { argv } = this;
    for (let at = 1; at < word.length; at++) {
      const letter = word[at];
      const spelling = `-${letter}`;
      if (letter === NOTHING) {
        if (at === word.length - 1 && this.next === argv.length)
          throw new BadOption(`option requires an argument -- '${letter}'`);
        if (at === word.length - 1 && /^[0-9]*$/.test(argv[this.next])) this.next++;
        return;
      }
      const row = this.names.rows.find(({ short, alias }) => short === letter || alias?.short === letter);
      if (row === undefined) throw new BadOption(`invalid option -- '${toText(letter)}'`);
      if (row.alias?.short === letter) {
        this.give(row, spelling, row.alias.value);
      } else if (row.argument === undefined || row.bare !== undefined) {
        this.give(row, spelling, row.bare);
      } else {
        const attached = word.slice(at + 1);
        if (attached === '' && this.next === argv.length)
          throw new BadOption(`option requires an argument -- '${letter}'`);
        this.give(row, spelling, attached !== '' ? attached : argv[this.next++]);
        return;
      }
    }
  }

  /** Whether `word` is an obsolescent key. If so, takes it, and the next word if that is its POS2. */
  private obsolescentKey(word: string): boolean {
    if (!word.startsWith('+')) return false;
    const following = this.argv[this.next];
    const end = /^-[0-9]/.test(following ?? '') ? following : undefined;
    this.takesLoneKeys ||= end !== undefined && !this.conventions.posixlyCorrect;
    if (!this.takesLoneKeys || !isObsolescentKey(word)) return false;
    if (end !== undefined) this.next++;
    this.give(findLong(this.names, 'key', word), OBSOLESCENT_KEY, end === undefined ? word : `${word}\0${end}`);
    return true;
  }

  /** Whether options have ended before `word`, which is the next word. */
  private isOver(word: string): boolean {
    if (!this.conventions.posixlyCorrect || this.operands.length === 0) return false;
    const isOutput = word.startsWith('-o') && (word.length > 2 || this.next + 1 < this.argv.length);
    return !isOutput || !this.takesLoneKeys || this.options.some(({ row }) => row.long === 'check');
  }
}

class BadOption extends Error {
  readonly meant: string | undefined;

  constructor(message: string, meant?: string) {
    super(message);
    this.meant = meant;
  }
}

/** The option that has this name, or of whose name it is an abbreviation. */
function findLong<Row extends OptionSyntax>({ rows, gnuNames }: OptionNames<Row>, name: string, word: string): Row {
  const exact = rows.find((row) => row.long === name);
  if (exact !== undefined) return exact;
  const begins = (candidate: string): boolean => candidate.startsWith(name);
  const gnu = gnuNames.filter(begins);
  const earlier = rows.filter((row) => row.later === undefined).map((row) => row.long);
  const candidates =
    [gnu, earlier.filter(begins)].find((list) => list.length > 0) ?? rows.map((row) => row.long).filter(begins);
  if (candidates.length > 1) {
    const list = candidates.map((candidate) => ` '--${candidate}'`).join('');
    throw new BadOption(`option '${toText(word)}' is ambiguous; possibilities:${list}`);
  }
  const row = rows.find((option) => option.long === candidates[0]);
  if (row !== undefined) return row;
  const meant = nearest(
    name,
    rows.map(({ long }) => long),
  );
  throw new BadOption(`unrecognized option '${toText(word)}'`, meant && `--${meant}`);
}
