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
import { isKeyObject, isKeyOption, keyText, SWITCH, type ValueType } from './key-objects.js';
import type { PathLike, SortOptions, SortSettings } from './types.js';

const OF_COMMAND = 'the command alone prints it';
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

/** The arguments that mean the options, one character per byte. Throws `usage`. */
export function optionArguments(options: SortOptions): string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    const row = PROPERTIES.get(name);
    if (row === undefined) throw unknownOption(name);
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    return values.flatMap((one, i) => {
      if (one === undefined || one === false) return [];
      if (!isKeyOption(name) || isPath(one) || !isKeyObject(one)) return argument(name, row, one);
      const place = Array.isArray(value) ? `${name}[${i}]` : name;
      return argument(name, row, keyText(name, one, place, options, refused));
    });
  });
}

const isFunction = (value: unknown): boolean => typeof value === 'function';
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

/** A path as an argument. In the library `-` is the name of a file. */
export function pathArgument(path: PathLike): string {
  if (path instanceof URL && path.protocol !== 'file:')
    throw refused('a file name', path.href, 'text, a Buffer or a file: URL');
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
  if (typeof value === 'number') return `${option}=${value}${row.long === 'buffer-size' ? 'b' : ''}`;
  if (!isPath(value)) throw wrong();
  const isFile = row.completes === 'file' || row.completes === 'directory';
  if (isFile || value instanceof URL) return `${option}=${pathArgument(value)}`;
  return `${option}=${Buffer.from(value as string).toString('latin1')}`;
}

/** The values of an option, in words. */
function allowedValue(name: string, row: OptionRow): string {
  if (row.argument === undefined) return SWITCH.allowed;
  if (row.long === 'check') return "true or 'explain'";
  const text = `text or a whole number, as in --${row.long}=${row.argument}`;
  return `${row.bare === undefined ? '' : 'true, '}${text}${isKeyOption(name) ? ', an object, or an array of these' : ''}`;
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
