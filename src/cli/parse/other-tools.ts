/** Adds gpusort's option to errors about an option of another tool, if genomics data is to be sorted. */
import { FORMAT_NAMES, type FormatName } from '../../job/job.js';
import { FORMATS } from '../../records/formats.js';
import { GpusortError } from '../../system/errors.js';
import { GNU_NAME } from './argv.js';
import { nameIn, OTHER_TOOLS, type OtherTool, TOOL_OPTIONS } from './tool-options.js';

type ListedToolOption = (typeof TOOL_OPTIONS)[number];

/**
 * The error with a remedy on its second line, if the command line has --format or --by and the message is about a word
 * that is an option of another tool. Picard's settings look like file names here. `argv`: see parseArguments.
 */
export function namingOurs(error: unknown, argv: readonly string[], programName: string): unknown {
  if (!(error instanceof GpusortError) || programName === GNU_NAME) return error;
  if (error.code !== 'usage' && error.code !== 'cannot-read') return error;
  const end = argv.indexOf('--');
  const words = end < 0 ? argv : argv.slice(0, end);
  const tools = toolsOf(words);
  for (const word of words) {
    const name = nameOf(word, error);
    const remedies = name === null ? [] : tools.flatMap((tool) => remediesFor(tool, name));
    if (remedies.length > 0) return withRemedy(error, remedies[0]);
  }
  return error;
}

/**
 * The tools that sort the format named by the words or, without --format, a format that has the named order. Without
 * both, none.
 */
function toolsOf(words: readonly string[]): readonly OtherTool[] {
  const [format, by] = ['format', 'by'].map((name) => valueIn(words, name));
  if (format === undefined && by === undefined) return [];
  const first = by?.split(',', 1)[0].replace(/:r$/, '');
  const named = first?.startsWith('tag:') ? 'tag:XX' : first;
  const sorts = (one: FormatName): boolean =>
    format !== undefined ? one === format : FORMATS[one].orders.includes(named!);
  const tools = Object.keys(OTHER_TOOLS) as OtherTool[];
  const fitting = tools.filter((tool) =>
    FORMAT_NAMES.filter(sorts).some((one) => OTHER_TOOLS[tool].includes(one as never)),
  );
  return fitting.length > 0 ? fitting : tools;
}

/** The value of the long option `name`, which may be abbreviated if its first letters are unique. */
function valueIn(words: readonly string[], name: string): string | undefined {
  const at = words.findIndex((word) => {
    const given = /^--([^=]*)/.exec(word)?.[1] ?? '';
    return given.length > 1 && name.startsWith(given);
  });
  if (at < 0) return undefined;
  return words[at].includes('=') ? words[at].slice(words[at].indexOf('=') + 1) : (words[at + 1] ?? '');
}

/**
 * The name of the option that `word` would be in another tool, if the error is about `word`: the message quotes the
 * name, or the word has several letters, which gpusort reads as several options. Null: the error is about something
 * else.
 */
function nameOf(word: string, { code, message }: GpusortError): string | null {
  const setting = /^[A-Z_]+=/.exec(word)?.[0];
  if (setting !== undefined) return message.includes(word) ? setting : null;
  if (code !== 'usage' || !/^-./s.test(word)) return null;
  const isQuoted = (...texts: string[]): boolean => texts.some((text) => message.includes(`'${text}'`));
  if (word.startsWith('--')) return isQuoted(word) ? word.replace(/=.*/s, '') : null;
  if (WORDS.has(word)) return word;
  const letter = [...word.slice(1)].find((one) => isQuoted(one, `-${one}`));
  return letter === undefined ? null : `-${letter}`;
}

const namesOf = ({ there }: Pick<ListedToolOption, 'there'>): string[] => there.map(nameIn);
/** Names of more than one letter after one dash. */
const WORDS = new Set(TOOL_OPTIONS.flatMap(namesOf).filter((name) => /^-[^-]./.test(name)));

/** What to use instead of the options of `tool` with this name. */
export function remediesFor(tool: OtherTool, name: string): string[] {
  return TOOL_OPTIONS.filter((option) => option.tool === tool && namesOf(option).includes(name)).map(
    ({ there, here, note }) => {
      const spelling = there[namesOf({ there }).indexOf(name)];
      return here === null
        ? `Leave out ${spelling} of ${tool}: ${note}.`
        : `Use ${here} instead of ${spelling} of ${tool}.`;
    },
  );
}

/** The error with the remedy before its other lines, but not twice. A guess at the intended option is left out. */
function withRemedy({ code, message, hint = '', exitCode }: GpusortError, remedy: string): GpusortError {
  const others = hint.split('\n').filter((line) => line !== '' && line !== remedy && !line.startsWith('Did you mean'));
  return new GpusortError(code, message, { exitCode, hint: [remedy, ...others].join('\n') });
}
