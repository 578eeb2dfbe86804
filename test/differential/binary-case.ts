/** Random jobs on binary records, with what they must give by a plain model. The same number gives the same job. */
import type { NumberType, RecordPart } from '../../src/job.js';
import { compareTyped } from '../support/typed-records.js';
import { type Dice, dice } from './dice.js';

/** A job, and the outcome that the model wants. */
export interface BinaryCase {
  readonly words: readonly string[];
  readonly files: readonly Buffer[];
  readonly status: number;
  /** Empty for -c. */
  readonly output: Buffer;
}

/** A key, and how the command line names it. */
interface Key {
  readonly part: RecordPart;
  readonly text: string;
}

/** What decides the order. */
interface Order {
  readonly size: number;
  readonly parts: readonly RecordPart[];
  readonly reverse: boolean;
  readonly unique: boolean;
  readonly lastResort: boolean;
  readonly segment: { readonly offset: number; readonly length: number } | null;
}

const SEED_STEP = 1_000_003;
const TYPES: readonly (readonly [letter: string, kind: NumberType['kind'], bytes: readonly number[]])[] = [
  ['u', 'unsigned', [1, 2, 4, 8, 16]],
  ['i', 'signed', [1, 2, 4, 8]],
  ['f', 'float', [4, 8]],
];

/** Case `number` of `seed`. */
export function binaryCaseOf(seed: number, number: number): BinaryCase {
  const d = dice(seed * SEED_STEP + number);
  const isArray = d.chance(0.4);
  const reverse = d.chance(0.3);
  const array = isArray ? arrayOf(d, reverse) : null;
  const size = array?.size ?? d.pick([1, 2, 3, 4, 5, 7, 8, 8, 12, 16, 16, 20, 33, 100]);
  const keys = array?.keys ?? d.several(0, 3, () => keyOf(d, size, reverse));
  const mode = d.pick(['sort', 'sort', 'sort', 'sort', 'merge', 'check'] as const);
  const unique = d.chance(0.25);
  const stable = isArray || d.chance(0.3);
  const segment = mode === 'sort' && d.chance(0.15) ? { offset: d.below(size), length: 1 } : null;
  const parts = keys.length > 0 ? keys.map(({ part }) => part) : [wholeRecord(size, reverse)];
  const order: Order = { size, parts, reverse, unique, lastResort: !stable && !unique, segment };
  const header = mode !== 'check' && d.chance(0.1) ? d.below(4) : null;
  const limit = segment === null && mode === 'sort' && d.chance(0.2) ? d.below(20) : null;
  const end = d.pick(['top', 'bottom'] as const);
  const many = d.pick([0, 1, 2, 7, 40, 40, 200, 200, 1000]);
  const draw = drawerOf(d, size);
  const lists = Array.from({ length: mode === 'check' ? 1 : d.pick([1, 1, 1, 2, 3]) }, () =>
    Array.from({ length: d.below(many + 1) }, draw),
  );
  const isSorted = mode === 'merge' || (mode === 'check' && d.chance(0.7));
  const inputs = isSorted ? lists.map((list) => sorted({ ...order, unique: unique && d.chance(0.3) }, list)) : lists;
  const head = Array.from({ length: header ?? 0 }, draw);
  const words = [
    ...(array === null ? ['--record-size', String(size)] : ['--array', array.text]),
    ...(array === null ? keys.flatMap(({ text }) => [d.pick(['-k', '--key']), text]) : []),
    ...(reverse ? ['-r'] : []),
    ...(unique ? ['-u'] : []),
    ...(stable && !isArray ? ['-s'] : []),
    ...(segment === null ? [] : ['--segment-by', `${segment.offset}:${segment.length}`]),
    ...(header === null ? [] : ['--header', String(header)]),
    ...(limit === null ? [] : [`--${end}`, String(limit)]),
    ...(mode === 'merge' ? ['-m'] : mode === 'check' ? ['-c'] : []),
    ...(d.chance(0.2) && mode !== 'check' ? ['--verify'] : []),
    ...(d.chance(0.2) ? ['-S', '32M'] : []),
  ];
  const files = inputs.map((list) => Buffer.concat([...head, ...list]));
  if (mode === 'check') return { words, files, status: inOrder(order, inputs[0]) ? 0 : 1, output: Buffer.alloc(0) };
  const all = sorted(order, inputs.flat());
  const left = limit === null ? all : end === 'top' ? all.slice(0, limit) : all.slice(Math.max(0, all.length - limit));
  return { words, files, status: 0, output: Buffer.concat([...head, ...left]) };
}

function arrayOf(d: Dice, reverse: boolean): { size: number; keys: Key[]; text: string } {
  const key = typeOf(d);
  const value = d.chance(0.5) ? typeOf(d) : null;
  return {
    size: key.type.bytes + (value?.type.bytes ?? 0),
    keys: [{ part: { offset: 0, length: key.type.bytes, type: key.type, reverse }, text: '' }],
    text: value === null ? key.text : `${key.text}+${value.text}`,
  };
}

function typeOf(d: Dice, most = 16): { type: NumberType; text: string } {
  const [letter, kind, widths] = d.pick(TYPES.filter(([, , bytes]) => bytes[0] <= most));
  const bytes = d.pick(widths.filter((width) => width <= most));
  const order = d.pick(['', 'le', 'be']);
  return { type: { kind, bytes, bigEndian: order === 'be' }, text: `${letter}${8 * bytes}${order}` };
}

function keyOf(d: Dice, size: number, reverse: boolean): Key {
  const own = d.chance(0.3);
  const letter = own ? ':r' : '';
  if (d.chance(0.3)) {
    const length = 1 + d.below(Math.min(size, d.pick([3, 10, 40])));
    const offset = d.below(size - length + 1);
    const text = `${offset}:${length}${d.pick(['', ':bytes'])}${letter}`;
    return { part: { offset, length, type: null, reverse: own || reverse }, text };
  }
  const { type, text } = typeOf(d, size);
  const offset = d.below(size - type.bytes + 1);
  const length = d.chance(0.3) ? `:${type.bytes}` : '';
  return {
    part: { offset, length: type.bytes, type, reverse: own || reverse },
    text: `${offset}${length}:${text}${letter}`,
  };
}

const wholeRecord = (size: number, reverse: boolean): RecordPart => ({ offset: 0, length: size, type: null, reverse });

/**
 * Draws records: of the bytes that NaNs, infinities, both zeros, extremes and ties are made of; of any bytes; or of two
 * random bytes in one place, with some others far away, so that many keys lie close together.
 */
function drawerOf(d: Dice, size: number): () => Buffer {
  const bytes = (draw: (i: number) => number): Buffer => Buffer.from(Array.from({ length: size }, (_, i) => draw(i)));
  const any = (): Buffer => bytes(() => d.below(256));
  const kind = d.below(5);
  if (kind < 2) return () => bytes(() => d.pick([0, 0, 0, 1, 0x7f, 0x80, 0x80, 0xff, 0xf0]));
  if (kind < 4) return any;
  const [rest, place] = [any(), d.below(size)];
  return () => (d.chance(0.05) ? any() : bytes((i) => (i === place || i === place + 1 ? d.below(256) : rest[i]!)));
}

function compare({ parts, lastResort, reverse }: Order, a: Buffer, b: Buffer): number {
  const sign = compareTyped(parts, a, b);
  return sign !== 0 || !lastResort ? sign : Buffer.compare(a, b) * (reverse ? -1 : 1);
}

/** The records in order, each segment by itself. */
function sorted(order: Order, records: readonly Buffer[]): Buffer[] {
  const result: Buffer[] = [];
  for (let from = 0; from < records.length; ) {
    let to = from + 1;
    while (to < records.length && isSameSegment(order, records[from], records[to])) to++;
    const list = records.slice(from, to).sort((a, b) => compare(order, a, b));
    result.push(
      ...(order.unique
        ? list.filter((record, i) => i === 0 || compareTyped(order.parts, list[i - 1], record) !== 0)
        : list),
    );
    from = to;
  }
  return result;
}

function isSameSegment({ segment }: Order, a: Buffer, b: Buffer): boolean {
  if (segment === null) return true;
  const { offset, length } = segment;
  return a.subarray(offset, offset + length).equals(b.subarray(offset, offset + length));
}

function inOrder(order: Order, records: readonly Buffer[]): boolean {
  return records.every((record, i) => i === 0 || compare(order, records[i - 1], record) < (order.unique ? 0 : 1));
}
