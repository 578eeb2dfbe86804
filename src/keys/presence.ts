/**
 * Finds out whether any record has the part that a key names: a value at a path of JSON, a field of CSV, a tag. If no
 * record has it, the key has no effect, and a warning says so. Key makers note in memory shared by all threads whether
 * a line has the part (kernels/wasm/keys/part.ts), and count lines that are not JSON; tasks of a cluster leave both in
 * their files.
 */
import type { SortJob } from '../job/job.js';
import { namedOrders, tagOf } from '../job/order-list.js';
import type { KeyPart } from '../job/ordering.js';
import { canTake } from '../job/traits.js';
import { quoteName } from '../report/names.js';
import type { Recorder } from '../report/recorder.js';
import { warn } from '../report/warnings.js';

/** The bits of a part that some records lack and no record has. */
const LACKED = 1;
/** Indexes of runs have room for the bits of this many parts; later ones are not watched. */
const MOST_PARTS = 64;

/** The job with its keys as the user gave them, before names became numbers. */
type KeyedJob = Pick<SortJob, 'mode' | 'input' | 'ordering'>;

/** Watches the parts of the keys that records may lack, if all records are read and their keys are made. */
export function watchParts(job: SortJob, recorder: Recorder): void {
  const looksAtAll = job.mode === 'sort' || canTake('watched', job);
  recorder.watchParts(looksAtAll ? 1 + watchedParts(job).reduce((most, { index }) => Math.max(most, index), -1) : 0);
}

/** A part of a key that records may lack, and its index. */
interface WatchedPart {
  readonly part: KeyPart;
  readonly index: number;
}

function watchedParts({ input, ordering: { key } }: Omit<KeyedJob, 'mode'>): WatchedPart[] {
  if (!('parts' in key)) return [];
  const isTagAsked = namedOrders(input.genomics?.by ?? '').some(({ name }) => tagOf(name) !== null);
  // A list of names becomes several parts, which changes the indices of all later parts.
  const list = key.parts.findIndex(({ instead }) => instead !== undefined);
  // A collation compares later parts only if the first ones are equal.
  const most = Math.min(key.kind === 'collated' ? 1 : MOST_PARTS, list < 0 ? Infinity : list);
  const mayLack = ({ path, span, tag }: KeyPart): boolean =>
    path !== undefined || span.quoted === true || (isTagAsked && tag !== undefined);
  return key.parts.slice(0, most).flatMap((part, index) =>
    // Whether a part is empty is compared just before it.
    mayLack(part) && key.parts[index - 1]?.order !== 'empty' ? { part, index } : [],
  );
}

/** Stands between the digits of the parts and the number of lines that are not JSON. */
const BEFORE_NUMBER = '+';

/** The bits of all parts that are watched, as a digit for each, and the number of lines that are not JSON. */
export const presenceDigits = ({ presence }: Recorder): string =>
  presence === null ? '' : withNumber(presence.parts.join(''), presence.invalid[0]);

const withNumber = (digits: string, invalid: bigint): string =>
  invalid === 0n ? digits : digits + BEFORE_NUMBER + String(invalid);

/** The number of lines that are not JSON. */
const invalidIn = (digits: string): bigint => BigInt(digits.split(BEFORE_NUMBER)[1] ?? 0);

/** What several tasks found, combined. */
export function joinedPresence(presences: readonly string[]): string {
  const [first = ''] = presences;
  const parts = [...first.split(BEFORE_NUMBER)[0]];
  return withNumber(
    parts.map((_, i) => presences.reduce((bits, digits) => bits | Number(digits[i]), 0)).join(''),
    presences.reduce((sum, digits) => sum + invalidIn(digits), 0n),
  );
}

/**
 * Warns about each part that was looked for and found in no record, and about lines that are not JSON, unless the job
 * checks an order. `digits`: see `presenceDigits`.
 */
export function warnOfAbsent(job: KeyedJob, digits: string): void {
  for (const { part, index } of watchedParts(job))
    if (Number(digits[index]) === LACKED)
      warn(`no record has ${described(part)}, so this key ${part.isGroup ? 'forms no groups' : 'has no effect'}`);
  const invalid = invalidIn(digits);
  if (invalid > 0n && job.mode !== 'check')
    warn(
      `${invalid === 1n ? '1 line is not JSON and sorts' : `${invalid} lines are not JSON and sort`} as if no value were there`,
    );
}

function described({ path, name, tag, span, isGroup }: KeyPart): string {
  const value = path === undefined ? '' : quoteName(Buffer.from(path.map(escaped).join('.')));
  if (path !== undefined) return `a JSON value at ${value} (${isGroup ? '--per' : '--json'})`;
  if (name !== undefined) return `the field ${quoteName(Buffer.from(name))} of the header`;
  return tag !== undefined ? `the tag ${tag}` : `a field ${span.begin.field + 1} (${isGroup ? '--per' : '-k'})`;
}

/** A name of a path as it is written in --json. */
const escaped = (name: Uint8Array): string =>
  Buffer.from(name)
    .toString()
    .replace(/[\\.:]/g, '\\$&');
