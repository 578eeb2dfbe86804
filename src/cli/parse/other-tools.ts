/**
 * Adds gpusort's words to errors and warnings about words of other tools. Words that gpusort accepts keep their
 * meaning: only what was refused, or had no effect, gets a remedy.
 */
import { FORMAT_NAMES, type FormatName } from '../../job/job.js';
import { FORMATS } from '../../records/formats.js';
import { displayName } from '../../report/names.js';
import { GpusortError } from '../../system/errors.js';
import { GNU_NAME, toName } from './argv.js';
import { GENERAL_WORDS, GENOMICS_WORDS, nameIn, OTHER_TOOLS, type OtherTool, type OtherWord } from './other-words.js';
import { splitWords } from './shell-words.js';
import { quoteLikeC } from './values.js';

/** The beginnings of errors about an option that does not exist. */
const UNKNOWN = /^(?:invalid option -- |unrecognized option |option '[^']*' is ambiguous)/;
/** The lines of hints that GNU sort prints, too. gpusort's own give way to the remedy. */
const OF_GNU = /^(?:Try '|Valid arguments are:| {2}- ')/;
const GUESS = /^Did you mean /m;
/** Words that need no quotes in a shell. */
const PLAIN = /^[\w%+,\-./@:=]+$/;

type Given = OtherWord & { readonly given: string };
const isGiven = (word: OtherWord): word is Given => word.given !== undefined;

/**
 * The error with a remedy on its second line if it is about a word of another tool. Options of tools for genomics data
 * count only beside --format or --by; Picard's settings look like file names. `argv`: see parseArguments.
 */
export function namingOurs(error: unknown, argv: readonly string[], programName: string): unknown {
  if (!(error instanceof GpusortError) || programName === GNU_NAME) return error;
  const remedy = remedyFor(error, optionsOf(argv));
  return remedy === undefined ? error : withRemedy(error, remedy);
}

/** The warning with a remedy on a second line, if it is about a word of another tool. */
export function warningWithOurs(sentence: string, argv: readonly string[], programName: string): string {
  const remedy = programName === GNU_NAME ? undefined : remedyForGiven(sentence, undefined, optionsOf(argv));
  return remedy === undefined ? sentence : `${sentence}\n${remedy}`;
}

/** The words before `--`. */
function optionsOf(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end < 0 ? argv : argv.slice(0, end);
}

function remedyFor(error: GpusortError, words: readonly string[]): string | undefined {
  const tools = toolsOf(words);
  const names = words.map((word) => nameOf(word, error)).filter((name) => name !== null);
  return (
    names.flatMap((name) => tools.flatMap((tool) => remediesFor(tool, name)))[0] ??
    remedyForGiven(error.message, error.hint, words) ??
    (UNKNOWN.test(error.message) ? names.flatMap(generalRemedies)[0] : undefined)
  );
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
  if (LONG_WORDS.has(word)) return word;
  const letter = [...word.slice(1)].find((one) => isQuoted(one, `-${one}`));
  return letter === undefined ? null : `-${letter}`;
}

const namesOf = ({ there }: Pick<OtherWord, 'there'>): string[] => there.map(nameIn);
/** Names of more than one letter after one dash. */
const LONG_WORDS = new Set(
  [...GENOMICS_WORDS, ...GENERAL_WORDS.filter((word) => !isGiven(word))]
    .flatMap(namesOf)
    .filter((name) => /^-[^-]./.test(name)),
);

/** What to use instead of the options of `tool` with this name. */
export function remediesFor(tool: OtherTool, name: string): string[] {
  return GENOMICS_WORDS.filter((word) => word.tool === tool && namesOf(word).includes(name)).map((word) => {
    const spelling = `${spellingOf(word, name)} of ${tool}`;
    return remedyText(spelling, word.here, word.here === null ? word.note : undefined);
  });
}

const generalRemedies = (name: string): string[] =>
  GENERAL_WORDS.filter((word) => !isGiven(word) && namesOf(word).includes(name)).map((word) =>
    remedyText(spellingOf(word, name), word.here, word.note),
  );

const spellingOf = (word: OtherWord, name: string): string => word.there[namesOf(word).indexOf(name)];

function remedyText(there: string, here: string | null, note: string | undefined): string {
  const end = note === undefined ? '.' : `: ${note}.`;
  return here === null ? `Leave out ${there}${end}` : `Use ${here} instead of ${there}${end}`;
}

/** The remedy for words that the row's pattern finds among `words`, if the message is about them. */
function remedyForGiven(message: string, hint: string | undefined, words: readonly string[]): string | undefined {
  for (const word of GENERAL_WORDS.filter(isGiven)) {
    if (word.yields && GUESS.test(hint ?? '')) continue;
    for (const found of matchesIn(words, word))
      if (word.failed!.some((text) => isAbout(message, text, found.groups)))
        return remedyText(shown(found[0]), inPlaceOf(word, found.groups), word.note);
  }
  return undefined;
}

/** Where the words fit the row's pattern. In the text that is searched, a newline precedes each word. */
const matchesIn = (words: readonly string[], { given }: Given): readonly RegExpMatchArray[] => [
  ...`\n${words.join('\n')}\n`.matchAll(new RegExp(`(?<=\\n)(?:${given})(?=\\n)`, 'g')),
];

type MatchedTexts = RegExpMatchArray['groups'];

/** Whether the message has the text, in which {NAME} is the text of a group, quoted in any of the ways of messages. */
function isAbout(message: string, text: string, groups: MatchedTexts): boolean {
  const filled = (quoted: (group: string) => string): string =>
    text.replace(/\{(\w+)\}/g, (_, name: string) => quoted(groups?.[name] ?? ''));
  return [displayed, (group: string) => quoteLikeC(group).slice(1, -1), (group: string) => group].some((quoted) =>
    message.includes(filled(quoted)),
  );
}

const displayed = (bytes: string): string => (bytes === '' ? '' : displayName(toName(bytes)));

/** The words of a match as one would type them. */
const shown = (match: string): string =>
  match
    .split('\n')
    .map((word) => (PLAIN.test(word) ? word : displayed(word)))
    .join(' ');

/** gpusort's words, with the texts of the groups in place of those of the row's first example. */
function inPlaceOf(word: Given, groups: MatchedTexts): string | null {
  const [example] = matchesIn(splitWords(word.there[0], word.there[0]), word);
  const texts = new Map(
    Object.entries(example.groups ?? {}).map(([name, text]) => [displayed(text), displayed(groups?.[name] ?? '')]),
  );
  if (word.here === null || texts.size === 0) return word.here;
  const escaped = [...texts.keys()].map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return word.here.replace(new RegExp(escaped.join('|'), 'g'), (text) => texts.get(text)!).trim();
}

/** The error with the remedy before its other lines, but not twice. */
function withRemedy({ code, message, hint = '', exitCode, end, cause }: GpusortError, remedy: string): GpusortError {
  const others = hint.split('\n').filter((line) => OF_GNU.test(line));
  return new GpusortError(code, message, { exitCode, end, cause, hint: [remedy, ...others].join('\n') });
}
