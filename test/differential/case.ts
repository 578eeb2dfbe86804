/**
 * A case of the differential test: options and input files. Also prints a case as shell commands. Strings have one
 * character a byte ("latin1").
 */

/** One option, with its argument if that is a separate word. */
export interface CaseOption {
  readonly words: readonly string[];
  /** The option is -c, -C, -m or --debug, which are left out when GNU sort presorts the inputs. */
  readonly mode?: true;
}

export interface Case {
  readonly options: readonly CaseOption[];
  /** The number of options before the files; the others follow the files. */
  readonly before: number;
  /** The contents of the files, which are named a, b, c ... At least one. */
  readonly files: readonly string[];
  /** The content of the file for --random-source; null: no such option. */
  readonly randomSource: string | null;
  /** Whether GNU sort presorts each file. `same`: by the same options; `near`: without the last, so nearly in order. */
  readonly presorted: 'no' | 'same' | 'near';
  /** Whether the case runs under POSIXLY_CORRECT. */
  readonly posix: boolean;
}

/** The file that --random-source names. */
export const RANDOM_FILE = 'random';

export function fileName(index: number): string {
  return String.fromCharCode(97 + index);
}

/** The arguments, in order. */
export function wordsOf({ options, before, files, randomSource }: Case): string[] {
  const words = (list: readonly CaseOption[]): string[] => list.flatMap((option) => option.words);
  const random = randomSource === null ? [] : [`--random-source=${RANDOM_FILE}`];
  return [
    ...random,
    ...words(options.slice(0, before)),
    ...files.map((_, i) => fileName(i)),
    ...words(options.slice(before)),
  ];
}

/** The options by which GNU sort presorts the files. */
export function presortWords({ options, randomSource, presorted }: Case): string[] {
  const ordering = options.filter(({ mode }) => mode === undefined);
  const random = randomSource === null ? [] : [`--random-source=${RANDOM_FILE}`];
  return [...random, ...(presorted === 'near' ? ordering.slice(0, -1) : ordering).flatMap(({ words }) => words)];
}

/** A word quoted for bash. */
export function quoted(word: string): string {
  if (/^[A-Za-z0-9_.,+=:/-]+$/.test(word)) return word;
  if (/^[\x20-\x7e]*$/.test(word) && !word.includes("'")) return `'${word}'`;
  return `$'${[...word].map((character) => (/[\x20-\x7e]/.test(character) && !/['\\]/.test(character) ? character : octal(character))).join('')}'`;
}

/** A command that writes `bytes` to standard output. */
export function printed(bytes: string): string {
  const format = [...bytes].map((character) =>
    character === '\n'
      ? '\\n'
      : character === '\t'
        ? '\\t'
        : character === '%'
          ? '%%'
          : /[\x20-\x7e]/.test(character) && !/['\\]/.test(character)
            ? character
            : octal(character),
  );
  // The first byte of a format must not look like an option.
  return `printf '${format.join('').replace(/^-/, '\\055')}'`;
}

/** Shell commands that create the files and run `program` in place of sort. */
export function commands(of: Case, program: string): string[] {
  const files = of.files.map((bytes, i) => `${printed(bytes)} > ${fileName(i)}`);
  if (of.randomSource !== null) files.push(`${printed(of.randomSource)} > ${RANDOM_FILE}`);
  const presort =
    of.presorted === 'no'
      ? []
      : of.files.map(
          (_, i) => `LC_ALL=C sort ${[...presortWords(of).map(quoted), '-o', fileName(i), fileName(i)].join(' ')}`,
        );
  return [
    ...files,
    ...presort,
    `LC_ALL=C ${of.posix ? 'POSIXLY_CORRECT=1 ' : ''}${program} ${wordsOf(of).map(quoted).join(' ')}`,
  ];
}

function octal(character: string): string {
  return `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`;
}
