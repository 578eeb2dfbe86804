/**
 * The options of the command as properties. They become arguments, so the command's own parser checks them and reports
 * the same conflicts, in the same words.
 */
import { fileURLToPath } from 'node:url';
import type { OptionRow } from '../cli/options/option.js';
import { OPTIONS } from '../cli/options/table.js';
import { valueName } from '../cli/parse/option-values.js';
import { nearest } from '../cli/parse/usage.js';
import { GpusortError } from '../system/errors.js';
import { isKeyObject, isKeyOption, keyText, refuseProperties, SWITCH, type ValueType } from './key-objects.js';
import type { LineEncoding, PathLike, SortOptions, SortSettings } from './types.js';

const OF_COMMAND = 'only the command prints it';
const OF_CLUSTER = 'tasks of a cluster run the command';
/** Options without a property, and why. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  help: OF_COMMAND,
  version: OF_COMMAND,
  adapters: OF_COMMAND,
  completions: OF_COMMAND,
  explain: OF_COMMAND,
  debug: OF_COMMAND,
  color: OF_COMMAND,
  progress: 'onProgress reports it',
  stats: 'the setting statistics returns them',
  output: 'it is an argument',
  pg: 'there is no command line',
  'files0-from': 'inputs are an argument',
  cluster: OF_CLUSTER,
  tasks: OF_CLUSTER,
  'work-dir': OF_CLUSTER,
  'slurm-options': OF_CLUSTER,
  'output-parts': OF_CLUSTER,
  detach: OF_CLUSTER,
  'cluster-task': OF_CLUSTER,
};

/** The rows of the option table that are properties, by their names. */
export const PROPERTIES: ReadonlyMap<string, OptionRow> = new Map(
  OPTIONS.filter(({ long }) => !Object.hasOwn(LEFT_OUT, long)).map((row) => [valueName(row.long), row]),
);

/** The command-line arguments for the options, with one character per byte. Throws `usage`. */
export function optionArguments(options: SortOptions): string[] {
  return eachValue(options, ({ name, row, value, place }) =>
    isKeyOption(name) && !isPath(value) && isKeyObject(value)
      ? argument(name, row, keyText(name, value, place, options, refused))
      : argument(name, row, value),
  );
}

/**
 * The arguments for the options whose values do not depend on other options. Other options may be added later, so only
 * the types of keys are checked. Throws `usage`.
 */
export function independentArguments(options: SortOptions): string[] {
  return eachValue(options, ({ name, row, value, place }) => {
    if (isKeyOption(name) && !isPath(value) && isKeyObject(value)) {
      refuseProperties(value, place, refused);
      return [];
    }
    const text = argument(name, row, value);
    return isKeyOption(name) || name === 'segmentBy' ? [] : text;
  });
}

interface GivenValue {
  readonly name: string;
  readonly row: OptionRow;
  readonly value: unknown;
  /** The value's name in messages: the name of the option, perhaps with an index. */
  readonly place: string;
}

/** The results of `map` for each value of each option. Throws `usage` for an unknown option. */
function eachValue(options: SortOptions, map: (given: GivenValue) => string | string[]): string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    const row = PROPERTIES.get(name);
    if (row === undefined) throw unknownOption(name);
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    return values.flatMap((one, i) =>
      one === undefined || one === false
        ? []
        : map({ name, row, value: one, place: Array.isArray(value) ? `${name}[${i}]` : name }),
    );
  });
}

const isFunction = (value: unknown): boolean => typeof value === 'function';
const PATH: ValueType = { isValid: (value) => isPath(value), allowed: 'text, a Buffer or a file: URL' };
const FUNCTION: ValueType = { isValid: isFunction, allowed: 'a function' };

/** The settings that are not options of the command, with the types of their values. */
const SETTINGS: Readonly<Record<keyof Omit<SortSettings, keyof SortOptions>, ValueType>> = {
  signal: {
    isValid: (value) => isFunction((value as AbortSignal | null)?.throwIfAborted),
    allowed: 'an AbortSignal, such as the signal of an AbortController',
  },
  onProgress: FUNCTION,
  onWarning: FUNCTION,
  statistics: SWITCH,
};

/** Throws `usage` if such a setting has a value of the wrong type. */
export function refuseSettings(settings: SortSettings): void {
  for (const [name, { isValid, allowed }] of Object.entries(SETTINGS)) {
    const value = settings[name as keyof typeof SETTINGS];
    if (value !== undefined && !isValid(value)) throw refused(`'${name}'`, value, allowed);
  }
}

/** Throws `usage` if one of the arguments of sortFile is not a file name. The names in an array are checked later. */
export function refuseStreams(input: unknown, output: unknown): void {
  const file = `the name of a file: ${PATH.allowed}`;
  if (!PATH.isValid(input) && !Array.isArray(input))
    throw refused("'input'", input, `${file}; or an array of names. Streams are for sort()`);
  if (!PATH.isValid(output)) throw refused("'output'", output, `${file}. Streams, and null to check, are for sort()`);
}

const ENCODINGS: readonly unknown[] = ['utf8', 'latin1', 'buffer'] satisfies LineEncoding[];

/** Throws `usage` if sortedLines does not know the encoding. */
export function refuseEncoding(encoding: unknown): void {
  if (!ENCODINGS.includes(encoding)) throw refused("'encoding'", encoding, "'utf8', 'latin1' or 'buffer'");
}

/** A path as an argument. In the library, `-` is the name of a file. */
export function pathArgument(path: PathLike): string {
  if (path instanceof URL && path.protocol !== 'file:') throw refused('a file name', path.href, PATH.allowed);
  const bytes = Buffer.isBuffer(path) ? path : Buffer.from(path instanceof URL ? fileURLToPath(path) : path);
  const name = bytes.toString('latin1');
  if (name.includes('\0')) throw refused('a file name', name, 'a name without NUL');
  return name === '-' ? './-' : name;
}

export const isPath = (value: unknown): value is PathLike =>
  typeof value === 'string' || Buffer.isBuffer(value) || value instanceof URL;

function argument(name: string, row: OptionRow, value: unknown): string {
  const option = `--${row.long}`;
  const wrong = (): GpusortError => refused(`'${name}'`, value, allowedValue(name, row));
  if (value === true && (row.argument === undefined || row.bare !== undefined)) return option;
  if (row.argument === undefined || (row.long === 'check' && value !== 'explain')) throw wrong();
  if (typeof value === 'number' && !Number.isSafeInteger(value)) throw wrong();
  if (typeof value === 'number' && isOfName(row)) throw wrong();
  if (typeof value === 'number') return `${option}=${value}${row.long === 'buffer-size' ? 'b' : ''}`;
  if (!isPath(value)) throw wrong();
  const isFile = isOfName(row) && row.completes !== 'program';
  if (isFile || value instanceof URL) return `${option}=${pathArgument(value)}`;
  return `${option}=${Buffer.from(value as string).toString('latin1')}`;
}

/** Whether the value of an option is the name of a file, a directory or a program. */
const isOfName = (row: OptionRow): boolean =>
  row.argument !== undefined && ['file', 'directory', 'program'].includes(row.completes!);

/** The allowed values of an option, in words. */
function allowedValue(name: string, row: OptionRow): string {
  if (row.argument === undefined) return SWITCH.allowed;
  if (isOfName(row)) {
    const words = (row.words?.choices ?? []).flat().map((word) => `'${word}' or `);
    return `${words.join('')}the name of a ${row.completes}: ${PATH.allowed}`;
  }
  if (row.long === 'check') return "true or 'explain'";
  const text = `text or a whole number (${row.argument})`;
  const before = row.bare === undefined ? '' : 'true, ';
  const after = isKeyOption(name) ? ', an object, or an array of these' : '';
  return before + text + after;
}

function refused(what: string, value: unknown, allowed: string): GpusortError {
  const isShown = value === null || ['number', 'boolean'].includes(typeof value);
  const shown = isShown ? String(value) : typeof value === 'string' ? JSON.stringify(value) : typeof value;
  return new GpusortError('usage', `invalid value of ${what}: ${shown}`, { hint: `Give ${allowed}.` });
}

function unknownOption(name: string): GpusortError {
  const names = [...PROPERTIES.keys()];
  const [known] = [...PROPERTIES].find(([, { elsewhere }]) => elsewhere?.includes(name)) ?? [];
  const longer = names.filter((property) => property.startsWith(name));
  const meant = known ?? (longer.length === 1 ? longer[0] : nearest(name, names));
  return new GpusortError(
    'usage',
    `unknown option '${name}'`,
    meant === undefined ? {} : { hint: `Did you mean '${meant}'?` },
  );
}
