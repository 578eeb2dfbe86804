/** A row of the option table: one option's names, parser, conflicts, completion, help and topic. */
import type { Surroundings } from '../parse/environment.js';
import type { OptionSyntax } from '../parse/getopt.js';
import type { Topic } from '../parse/option-values.js';
import type { Words } from '../parse/values.js';

export const GROUPS = [
  'Ordering options',
  'Other options',
  'Options of gpusort',
  'Genomics and compressed files',
  'Clusters',
] as const;
export type OptionGroup = (typeof GROUPS)[number];
export const [ORDERING, OTHER, OWN, GENOMICS, CLUSTERS] = GROUPS;

/** Whether GNU sort lacks the options of a group. */
export const isOwn = (group: OptionGroup): boolean => group !== ORDERING && group !== OTHER;

export type OptionRow = (SwitchRow | ValueRow) & { readonly group: OptionGroup; readonly topic: Topic };

interface Row extends OptionSyntax {
  /** The first clause is also the summary: see `summaryOf`. */
  readonly help: string;
  /** The topic of --help that has the option. Default: the topic of its group (`inGroup`). */
  readonly topic?: Topic;
  /** Whether the first page of --help shows the option's summary. */
  readonly common?: true;
  /**
   * The long names of options that are incompatible with this one. Messages name this one first. A function gets the
   * value of this option.
   */
  readonly conflicts?: readonly string[] | ((value: never) => readonly string[]);
  /** The option cannot change the output, so GPUSORT_OPTIONS may hold it. */
  readonly preset?: true;
}

/** An option without an argument. Its value is `true`. */
interface SwitchRow extends Row {
  readonly argument?: never;
  readonly alias?: never;
}

/** An option with an argument. */
interface ValueRow extends Row {
  readonly argument: string;
  readonly alias?: { readonly short: string; readonly value: string; readonly help: string };
  readonly parse: ValueParser;
  /** The words that the option accepts. */
  readonly words?: Words;
  /** The completions of the argument besides `words`. Default: none. */
  readonly completes?: 'file' | 'directory' | 'program' | 'column';
  /**
   * How messages name the option with its value, as `parse` returned it. Default: `-x`, or `--name` without a letter.
   */
  readonly named?: (value: never) => string;
}

/** Reads one value of an option; the result is the option's value so far. Throws a GpusortError with GNU's sentence. */
export type ValueParser = (text: string, context: ValueContext) => unknown;

export interface ValueContext {
  readonly row: ValueRow & { readonly group: OptionGroup };
  /** How the user wrote the option. */
  readonly spelling: string;
  /** The result of the option's earlier values; undefined at the first one. */
  readonly previous: unknown;
  readonly keys: KeySyntax;
  /** Whether lines are JSON. */
  readonly isJson: boolean;
  readonly surroundings: Surroundings;
}

/** What -k accepts: OFFSET:LENGTH; KEYDEFs and names of the CSV header; only KEYDEFs; or nothing. */
export type KeySyntax = 'bytes' | 'csv' | 'fields' | 'none';

/** The two options that make segments. */
export const SEGMENTS = ['segment-by', 'segments'];

/** Rows under one heading of --help=all. `topic` is for rows that name none. */
export function inGroup(
  group: OptionGroup,
  topic: Topic,
  rows: readonly (SwitchRow | ValueRow)[],
): readonly OptionRow[] {
  return rows.map((row) => ({ topic, ...row, group }));
}

/** The first clause of an option's help. */
export function summaryOf(help: string): string {
  return help.split(/; |\. |: | \(/)[0];
}
