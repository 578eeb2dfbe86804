/**
 * Combines all keys and the ordering letters of the command line into the key of an Ordering, by the rules of GNU sort.
 */
import type { KeyPart, Ordering, PartOrder, SortKey } from '../../job/ordering.js';
import { EMPTY_LAST, type KeyDefinition, type Modifiers, ORDERING_LETTERS, spanOf } from './key-definition.js';
import { incompatible } from './usage.js';

/**
 * The letter of each ordering. If a key has several letters (only R and V are compatible), the first in this list
 * decides.
 */
const ORDERS: readonly (readonly [letter: string, order: PartOrder])[] = [
  ['n', 'numeric'],
  ['g', 'general-numeric'],
  ['h', 'human-numeric'],
  ['M', 'month'],
  ['R', 'random'],
  ['V', 'version'],
];
const WHOLE_LINE: Pick<KeyDefinition, 'begin' | 'end'> = { begin: { field: 0, byte: 0 }, end: null };

export interface OrderingRequest {
  /** All --per: keys that come before the others and do not inherit the letters of the command line. */
  readonly groups: readonly KeyDefinition[];
  /** All -k, in the order given. */
  readonly keys: readonly KeyDefinition[];
  /** The letters of the command line. */
  readonly global: Modifiers;
  /** The field separator. */
  readonly separator: Uint8Array | null;
  /** Whether fields are those of CSV. */
  readonly quoted: boolean;
  /** Whether lines must be JSON. Only with keys that have a path. */
  readonly mustBeJson: boolean;
  readonly stable: boolean;
  readonly unique: boolean;
  /** Whether --debug must show keys as they were given. */
  readonly debug: boolean;
  /** A language tag; null: the order of bytes. */
  readonly locale: string | null;
}

/** The letter that --sort=`order` stands for. */
export function letterOf(order: string): string {
  return ORDERS.find(([, name]) => name === order)![0];
}

/** The modifiers for letters given for all keys; `b` may be among them. */
export function modifiersOf(letters: ReadonlySet<string>): Modifiers {
  const blanks = letters.has('b');
  return { letters: new Set([...letters].filter((letter) => letter !== 'b')), beginBlanks: blanks, endBlanks: blanks };
}

/** How lines are ordered. Throws `usage` if letters are incompatible. */
export function orderingOfLines(request: OrderingRequest): Pick<Ordering, 'key' | 'reverse' | 'unique' | 'lastResort'> {
  const { groups, keys, global, separator, mustBeJson, stable, unique, debug, locale } = request;
  // Without -k, the key is the whole record, including quotes.
  const syntax = { separator, quoted: request.quoted && keys.length > 0 };
  const given = [
    ...groups.flatMap((key) => partsOf(key, { separator, quoted: request.quoted }).map(ofGroup)),
    ...ownKeys(request).flatMap((key) => partsOf(key, syntax)),
  ];
  const [first, ...later] = debug ? given : deciding(given);
  const parts: readonly KeyPart[] =
    first === undefined ? [] : [{ ...first, ...(mustBeJson && { mustBeJson }) }, ...later];
  const requested = { reverse: global.letters.has('r'), unique, lastResort: !stable && !unique };
  if (locale !== null) {
    // GNU sort's last resort compares whole lines in the language's order, and by bytes only if they are equal in it.
    const last = parts.length === 0 || requested.lastResort ? [wholeLine(requested.reverse)] : [];
    return { ...requested, key: { kind: 'collated', locale, parts: [...parts, ...last], seed: null } };
  }
  return debug && parts.length > 0 ? { ...requested, key: normalized(parts) } : shortest(parts, requested);
}

/** The parts without those that also come earlier, in either direction: they never decide. */
function deciding(parts: readonly KeyPart[]): KeyPart[] {
  const seen = new Set<string>();
  return parts.filter((part) => {
    const before = seen.size;
    return seen.add(JSON.stringify({ ...part, reverse: false, isGroup: undefined })).size > before;
  });
}

const ofGroup = (part: KeyPart): KeyPart => ({
  ...part,
  isGroup: true,
  ...(part.instead && { instead: part.instead.map(ofGroup) }),
});

/** All keys with the letters that apply to them, in the order in which they are compared. */
export const requestedKeys = (request: OrderingRequest): readonly KeyDefinition[] => [
  ...request.groups,
  ...ownKeys(request),
];

/**
 * The keys of -k with the letters that apply to them. A key without letters takes the global ones. Without keys, the
 * global letters apply to the whole line.
 */
function ownKeys({ keys, global }: OrderingRequest): readonly KeyDefinition[] {
  if (keys.length === 0) return saysAnything(global) ? [{ ...WHOLE_LINE, modifiers: global }] : [];
  const complete = ({ instead, ...key }: KeyDefinition): KeyDefinition => ({
    ...key,
    ...(saysAnything(key.modifiers) || key.modifiers.letters.has('r') ? {} : { modifiers: global }),
    ...(instead && { instead: instead.map(complete) }),
  });
  return keys.map(complete);
}

/** The letters that have an effect, in the order of messages. */
export function lettersOf({ letters }: Modifiers): string[] {
  return [...ORDERING_LETTERS].filter((letter) => letters.has(letter) && !(letter === 'i' && letters.has('d')));
}

/** Whether there is any letter other than `r`. */
function saysAnything({ letters, beginBlanks, endBlanks }: Modifiers): boolean {
  return beginBlanks || endBlanks || [...letters].some((letter) => letter !== 'r');
}

/** Letters of different groups are incompatible: d, i, R and V can be combined, the others only with none of these. */
export const EXCLUSIVE_LETTERS = ['n', 'g', 'h', 'M', 'diRV'];

/** Throws if letters are incompatible. */
function refuseContradiction(modifiers: Modifiers): void {
  const letters = lettersOf(modifiers);
  const groups = EXCLUSIVE_LETTERS.filter((group) => letters.some((letter) => group.includes(letter)));
  if (groups.length > 1) throw incompatible(`-${letters.filter((letter) => letter !== 'r').join('')}`);
}

/** The key part for the whole line. */
function wholeLine(reverse: boolean): KeyPart {
  const modifiers = modifiersOf(new Set(reverse ? ['r'] : []));
  return partOf({ ...WHOLE_LINE, modifiers }, { separator: null, quoted: false });
}

/** How lines are divided into fields: see FieldSpan. */
interface FieldSyntax {
  readonly separator: Uint8Array | null;
  readonly quoted: boolean;
}

/** The parts of a key. With EMPTY_LAST, the first part compares whether the key is empty, and is not reversed. */
function partsOf(key: KeyDefinition, syntax: FieldSyntax): KeyPart[] {
  refuseContradiction(key.modifiers);
  const part = partOf(key, syntax);
  if (key.instead !== undefined) return [{ ...part, instead: key.instead.flatMap((other) => partsOf(other, syntax)) }];
  if (!key.modifiers.letters.has(EMPTY_LAST)) return [part];
  const empty: KeyPart = { ...part, order: 'empty', reverse: false, dictionary: false, printing: false, fold: false };
  return [empty, part.path === undefined ? part : { ...part, nullIsMissing: true }];
}

function partOf(key: KeyDefinition, { separator, quoted }: FieldSyntax): KeyPart {
  const {
    name,
    path,
    modifiers: { letters },
  } = key;
  return {
    span: { ...spanOf(key, separator), ...(quoted && { quoted }) },
    ...(name !== undefined && { name: bytesOfLatin1(name) }),
    ...(path !== undefined && { path: path.map(bytesOfLatin1) }),
    order: ORDERS.find(([letter]) => letters.has(letter))?.[1] ?? 'bytes',
    dictionary: letters.has('d'),
    // -d drops more than -i, but keeps tabs. With -d, -i has no effect.
    printing: letters.has('i') && !letters.has('d'),
    fold: letters.has('f'),
    reverse: letters.has('r'),
  };
}

function bytesOfLatin1(text: string): Uint8Array {
  return Buffer.from(text, 'latin1');
}

type OrderFlags = Pick<Ordering, 'reverse' | 'unique' | 'lastResort'>;

/**
 * The shortest key with the same order. A part after the whole line never decides. The whole line alone needs no key.
 * As the last of several parts, the whole line becomes the last resort, except with -u or if only one of the two is
 * reversed. With -R no part is dropped: its random source must be read, and may be missing.
 */
function shortest(parts: readonly KeyPart[], requested: OrderFlags): OrderFlags & Pick<Ordering, 'key'> {
  if (parts.length === 0) return { ...requested, key: { kind: 'record' } };
  const whole = parts.findIndex(isWholeLine);
  if (whole < 0 || parts.some(({ order }) => order === 'random')) return { ...requested, key: normalized(parts) };
  const { reverse } = parts[whole];
  if (whole === 0) return { ...requested, reverse, key: { kind: 'record' } };
  if (requested.unique || reverse !== requested.reverse)
    return { ...requested, key: normalized(parts.slice(0, whole + 1)) };
  return { ...requested, lastResort: true, key: normalized(parts.slice(0, whole)) };
}

function isWholeLine({ span: { begin, end, quoted }, path, order, dictionary, printing, fold }: KeyPart): boolean {
  return (
    !quoted &&
    path === undefined &&
    begin.field === 0 &&
    begin.byte === 0 &&
    !begin.skipBlanks &&
    end === null &&
    order === 'bytes' &&
    !dictionary &&
    !printing &&
    !fold
  );
}

function normalized(parts: readonly KeyPart[]): SortKey {
  return { kind: 'normalized', parts, seed: null };
}
