/**
 * Whether any record has the part that a key names: a value at a path of JSON, a field of CSV, a tag. If none has it,
 * the key has no effect, and a warning says so. Key makers record in memory shared by all threads whether a line has
 * the part (kernels/wasm/keys/part.ts); tasks of a cluster leave the bits in their files.
 */
import type { SortJob } from '../job/job.js';
import { namedOrders, tagOf } from '../job/order-list.js';
import type { KeyPart, Ordering } from '../job/ordering.js';
import { canTake } from '../job/traits.js';
import { quoteName } from '../report/names.js';
import { warn } from '../report/warnings.js';

/** The bits if a record lacks the part and none has it. */
const LACKED = 1;
/** Indexes of runs have room for the bits of this many parts; later ones are not watched. */
const MOST_PARTS = 64;

/** The job, with memory for the bits of the parts that records may lack. */
export function watchingParts(job: SortJob): SortJob {
  const { key } = job.ordering;
  if (!('parts' in key) || !looksAtAll(job)) return job;
  const isTagAsked = namedOrders(job.input.genomics?.by ?? '').some(({ name }) => tagOf(name) !== null);
  // A list of names becomes several parts, which are numbered differently.
  const firstList = key.parts.findIndex(({ instead }) => instead !== undefined);
  const most = Math.min(key.kind === 'collated' ? 1 : MOST_PARTS, firstList < 0 ? Infinity : firstList);
  const parts = key.parts.map((part, i): KeyPart => {
    // Whether a part is empty is compared just before it.
    if (key.parts[i - 1]?.order === 'empty') return part;
    const mayLack = part.path !== undefined || part.span.quoted === true || (isTagAsked && part.tag !== undefined);
    // A collation compares later parts only if the first ones are equal.
    if (!mayLack || i >= most) return part;
    return { ...part, presence: new Int32Array(new SharedArrayBuffer(4)) };
  });
  return { ...job, ordering: { ...job.ordering, key: { ...key, parts } } };
}

/** Whether all records are read, and their keys made. */
const looksAtAll = (job: SortJob): boolean => job.mode === 'sort' || canTake('watched', job);

/** The bits of all parts, as a digit for each. */
export function presenceOf({ key }: Ordering): string {
  return 'parts' in key ? key.parts.map(({ presence }) => presence?.[0] ?? 0).join('') : '';
}

/** The bits of several tasks, combined. */
export function joinedPresence(presences: readonly string[]): string {
  const [first = ''] = presences;
  return [...first].map((_, i) => presences.reduce((bits, digits) => bits | Number(digits[i]), 0)).join('');
}

/** Warns about each part that was looked for and found in no record. `ordering`: with names, as the user gave them. */
export function warnOfAbsent(ordering: Ordering, presence = presenceOf(ordering)): void {
  if (!('parts' in ordering.key)) return;
  for (const [i, part] of ordering.key.parts.entries())
    if (Number(presence[i]) === LACKED)
      warn(`no record has ${described(part)}, so this key ${part.isGroup ? 'forms no groups' : 'has no effect'}`);
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
