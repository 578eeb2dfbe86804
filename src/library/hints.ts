/**
 * The hints of errors in the library's words: `Use a smaller bufferSize` in place of `Use a smaller -S`. The rooms
 * below write hints for the command; options become properties when an error leaves the library. Options in the
 * commands of other programs stay.
 */
import type { OptionRow } from '../cli/options/option.js';
import { GpusortError } from '../system/errors.js';
import { PROPERTIES } from './options.js';

/** The error with its hint in the library's words. Its stack stays. */
export function inLibraryWords(error: GpusortError): GpusortError {
  const hint = error.hint === undefined ? undefined : libraryHint(error.hint);
  if (hint === error.hint) return error;
  const { code, message, exitCode, end, cause, stack } = error;
  const details = { exitCode, end, cause, ...(hint !== undefined && { hint }) };
  return Object.assign(new GpusortError(code, message, details), { stack });
}

/** The hint in the library's words; undefined if it only refers to the command's help. */
export function libraryHint(hint: string): string | undefined {
  const reworded = SENTENCES.reduce((text, [pattern, words]) => text.replace(pattern, words), hint).trim();
  return reworded.replace(OPTION, optionInWords) || undefined;
}

/** Sentences about the command line, and what a program does instead. */
const SENTENCES: readonly (readonly [RegExp, string])[] = [
  [/Try '[^']*' for more information\./, ''],
  [/^\w+: (minimum|maximum) --?(.*)$/, 'The $1 --$2'],
  [/Please report this, with the command .*/, 'Please report this, with the stack of the error.'],
  [/^Convert it: (.*) \| gpusort --format (\S+)$/, 'Convert it, and sort the result with --format $2: $1'],
  [/^Convert it: gpusort \.\.\. \| (.*)$/, 'Write to a stream, and convert that: $1'],
  [
    /^Use a pipeline: gpusort --output-format bam --level 0 \.\.\. \| (.*)$/,
    'Write to a stream with --output-format bam and --level 0, and convert that: $1',
  ],
  [/^Use a pipeline instead: gpusort \.\.\. \| (.*)$/, 'Write to a stream, and compress that: $1'],
  [/, or sort what comes before: (.*) \| gpusort \.\.\.$/, ', or sort what comes before, as a stream: $1'],
  [/^Decompress both: (.*) \| gpusort \.\.\.$/, 'Decompress both, and sort the result as a stream: $1'],
  [/pass it by standard input: gpusort --format (\w+) \.\.\. < .*$/, 'give it as a stream, with --format $1.'],
  [/pass it by standard input: gpusort \.\.\. < .*$/, 'give it as a stream.'],
  [/with gpusort -c\./, 'with check: true.'],
  [/add --csv \(with -t SEP (if [^)]*)\): .*$/, 'add --csv (with -t $1).'],
  [
    /Let the shell make special bytes, for example .* for a tab\./,
    "Give the byte itself, for example '\\t' for a tab.",
  ],
  [/Give the separator after -t: .*/, 'Give the separator itself: this looks like an option of the command.'],
  [/--output-format gzip, bgzf or zstd/, "--output-format gzip, 'bgzf' or 'zstd'"],
  [/Name a file with -o\b/, 'Name an output file'],
  [/name a file with -o\b/, 'name an output file'],
  [/A file of -o keeps/, 'An output file keeps'],
  [/^-m merges inputs that are sorted/, 'With -m, inputs must be sorted'],
];

/** The letters in hints, with their options. Other letters in hints belong to other programs. */
const LETTERS: Readonly<Record<string, string>> = {
  k: 'key',
  m: 'merge',
  S: 'buffer-size',
  T: 'temporary-directory',
  t: 'field-separator',
};

/** Commands of other programs, in which nothing changes. */
const FOREIGN = [
  '`[^`]*`',
  '\\b(?:samtools|bcftools|bgzip|gzip|zstd|xz|bzip2|lz4|head|ulimit|npm|npx|rm)\\b(?: -{1,2}[\\w-]+| [\\w./@<-]+)+',
  'decompresses with -d',
].join('|');
/** What may be the value of an option: a placeholder, a number or key, text in quotes, or a word. */
const VALUE = '[A-Z]+\\b|\\d(?:[^\\s.]*[^\\s.,])?|"[^"]*"|[a-z0-9-]+';
const OPTION = new RegExp(`${FOREIGN}|(?<=^|[\\s(])(?:--([a-z][a-z0-9-]+)|-([a-zA-Z]))\\b(?:[ =](${VALUE}))?`, 'g');

function optionInWords(all: string, long: string | undefined, letter: string | undefined, value?: string): string {
  const name = long ?? LETTERS[letter ?? ''];
  const property = [...PROPERTIES].find(([, row]) => row.long === name);
  if (property === undefined) return all;
  const [word, row] = property;
  if (value === undefined) return word;
  if (/^(?:\d+|"[^"]*"|[A-Z]+)$/.test(value)) return `${word}: ${value}`;
  return /^\d/.test(value) || accepts(row, value) ? `${word}: '${value}'` : all.replace(/^\S+/, word);
}

/** Whether a word is a value of the option, rather than the next word of the sentence. */
const accepts = (row: OptionRow, word: string): boolean =>
  row.argument !== undefined && (row.words?.choices ?? []).flat().includes(word);
