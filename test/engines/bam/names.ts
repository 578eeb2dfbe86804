/** Records by name, and a plain model of their orders: what every sort of BAM by name must do. */
import { it } from 'vitest';
import { bamRecord } from '../../records/bam-reference.js';
import { compareNatural, templateOf } from '../../support/genomics-orders.js';
import { type RandomBelow, randomBelow } from '../../support/random.js';

export interface Named {
  readonly name: string;
  readonly flag: number;
}

/** A record whose body shows its place in the input. */
export function record({ name, flag }: Named, place: number): Buffer {
  const bytes = bamRecord({ name: Buffer.from(`${name}\0`, 'latin1'), body: Buffer.from(`${place};`.repeat(3)) });
  bytes.writeUInt16LE(flag, 18);
  return bytes;
}

const COMPARE = {
  queryname: compareNatural,
  'queryname-ascii': (a: string, b: string) => Number(a > b) - Number(a < b),
};
export type NameOrder = keyof typeof COMPARE;
export const NAME_ORDERS = ['queryname', 'queryname-ascii'] as const satisfies readonly NameOrder[];

export function expectedOf(order: NameOrder, records: readonly Named[]): Buffer {
  const placed = records.map((one, place) => ({ ...one, bytes: record(one, place) }));
  placed.sort((a, b) => COMPARE[order](a.name, b.name) || templateOf(a.flag) - templateOf(b.flag));
  return Buffer.concat(placed.map(({ bytes }) => bytes));
}

export const FLAGS = [0, 4, 16, 0x41, 0x81, 0x141, 0x181, 0x841, 0x881, 0x41 | 16];

/** Names of a sequencer. */
export function sequenced(seed: number, count: number): Named[] {
  const below = randomBelow(seed);
  return Array.from({ length: count }, () => ({
    name: `A00:46:HV3:${1 + below(2)}:${1101 + below(3)}:${below(40_000)}:${below(9) === 0 ? 7 : below(40_000)}`,
    flag: FLAGS[below(FLAGS.length)],
  }));
}

const NAMES: readonly (readonly [string, (below: RandomBelow, i: number) => string])[] = [
  ['few names', (below) => `read${below(5)}`],
  ['one name', () => 'the only one'],
  ['no names', () => ''],
  ['one other name', (below) => (below(900) === 0 ? 'other' : `long beginning of ${below(300)}`)],
  ['names in order', (_, i) => `read${i}`],
  ['names in reverse order', (_, i) => `read${5000 - i}`],
  ['numbers of any length', (below) => '1234567890'.repeat(25).slice(0, below(250))],
  ['leading zeros', (below) => `a${'0'.repeat(below(20))}${below(3)}b`],
  ['long names that turn', (below) => `${'a1'.repeat(124)}${below(3)}${below(3)}`],
  ['names of all lengths', (below) => 'b'.repeat(below(255))],
  ['bytes of any value', (below) => String.fromCharCode(...Array.from({ length: below(6) }, () => below(256)))],
];

/** `check` sorts `count` records in all orders of names, and compares the result with the model. */
export function casesOfNames(check: (records: readonly Named[]) => Promise<void>, count: number): void {
  it.each(NAMES)('may have %s', async (_, nameOf) => {
    const below = randomBelow(7);
    await check(
      Array.from({ length: count }, (_, i) => ({ name: nameOf(below, i), flag: FLAGS[below(FLAGS.length)] })),
    );
  });
}
