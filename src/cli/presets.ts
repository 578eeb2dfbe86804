/**
 * Presets: options in the environment variable GPUSORT_OPTIONS. They are limited to those that cannot change the
 * output, and the command line takes precedence.
 */

import type { When } from '../job/job.js';
import { displayName, quoteName } from '../report/names.js';
import { GpusortError } from '../system/errors.js';
import type { OptionRow } from './options/option.js';
import { OPTION_NAMES, OPTIONS, readValues } from './options/table.js';
import { GNU_NAME, toName } from './parse/argv.js';
import type { Surroundings } from './parse/environment.js';
import { type GivenOption, splitArguments } from './parse/getopt.js';
import { optionValue, type Values, valueName } from './parse/option-values.js';
import { splitWords } from './parse/shell-words.js';

const VARIABLE = 'GPUSORT_OPTIONS';
/** The option whose values accumulate. */
const REPEATED = 'temporary-directory';

/** The presets that the command line leaves in effect. */
export interface Presets {
  readonly values: Values;
  /** The text that shows each preset (`--engine=cpu`), by the name of its value. */
  readonly shown: Readonly<Record<string, string>>;
}

/**
 * Reads the presets; `given` holds the values of the command line. There are none under the name `sort`. Throws `usage`
 * if the variable holds anything other than the options that are allowed in it.
 */
export function readPresets(given: Values, surroundings: Surroundings): Presets {
  const { presets, programName } = surroundings;
  if (presets === undefined || programName === GNU_NAME) return { values: {}, shown: {} };
  try {
    const options = splitPresets(presets, surroundings).filter(({ row }) => optionValue(given, row.long) === undefined);
    const shown: Record<string, string> = {};
    for (const { row, text } of options) {
      const name = valueName(row.long);
      const option = `--${row.long}=${displayName(toName(text ?? ''))}`;
      shown[name] = row.long === REPEATED && name in shown ? `${shown[name]} ${option}` : option;
    }
    return { values: readValues(options, surroundings), shown };
  } catch (error) {
    if (!(error instanceof GpusortError)) throw error;
    const { code, message, hint, exitCode } = error;
    throw new GpusortError(code, `${VARIABLE}: ${message}`, { exitCode, ...(hint !== undefined && { hint }) });
  }
}

/** The shortest abbreviation of --color. */
const COLOR = '--col';
const WHENS: readonly When[] = ['auto', 'always', 'never'];

/**
 * The value of --color for messages about a command line that cannot be read: the last valid value, or that of the
 * presets. Under the name `sort`, there are no presets.
 */
export function requestedColor(argv: readonly string[], { presets = '', programName }: Surroundings): When {
  if (programName === GNU_NAME) return 'auto';
  let preset: readonly string[] = [];
  try {
    preset = splitWords(presets, 'it');
  } catch {
    /* the command line's error is reported instead */
  }
  const end = argv.indexOf('--');
  return colorIn(end < 0 ? argv : argv.slice(0, end)) ?? colorIn(preset) ?? 'auto';
}

/** The last valid value of --color in some words. */
function colorIn(words: readonly string[]): When | undefined {
  const values = words.flatMap((word, i) => {
    const [name, value = words[i + 1] ?? ''] = word.split('=', 2);
    if (!name.startsWith(COLOR) || !'--color'.startsWith(name)) return [];
    const meant = WHENS.filter((when) => when.startsWith(value));
    return meant.length === 1 ? meant : [];
  });
  return values.at(-1);
}

/** The options in the variable's text. */
function splitPresets(text: string, surroundings: Surroundings): readonly GivenOption<OptionRow>[] {
  const words = splitWords(text, 'it').map((word) => Buffer.from(word, 'utf8').toString('latin1'));
  const { options, operands, problem } = splitArguments(words, OPTION_NAMES, surroundings);
  const other = options.find(({ row }) => row.preset === undefined);
  if (other !== undefined) throw refused(`option --${other.row.long} is not allowed there`);
  if (problem !== null) throw problem;
  if (operands.length > 0) throw refused(`${quoteName(toName(operands[0]))} is not an option`);
  return options;
}

function refused(message: string): GpusortError {
  const names = OPTIONS.filter(({ preset }) => preset).map(({ long }) => `--${long}`);
  return new GpusortError('usage', message, {
    hint: `It may hold ${names.slice(0, -1).join(', ')} and ${names.at(-1)}: options that cannot change the output.`,
  });
}
