/** Hashes a record piece by piece, if it is too long to be held in memory. */
import { addStep, finish, firstBytes, nextCounter, STEP, stepKey } from './hash';
import { addSums } from './records';

/** The sums a and b, the counter of the next step, and the number of bytes so far. */
let sums: v128 = i64x2(0, 0);
let counter: v128 = i64x2(0, 0);
let total: u64 = 0;

export function openRecord(): void {
  sums = i64x2.splat(0);
  counter = i64x2.splat(0);
  total = 0;
}

/** Adds bytes [from, to), a multiple of STEP. */
export function addToRecord(from: u32, to: u32): void {
  for (let at = from; at < to; at += STEP) {
    sums = addStep(sums, v128.xor(v128.load(at), stepKey(counter)));
    counter = nextCounter(counter);
  }
  total += to - from;
}

/** Adds the record's last bytes [from, to), fewer than STEP, and counts the record. */
export function closeRecord(from: u32, to: u32): void {
  const last = addStep(sums, v128.xor(firstBytes(v128.load(from), to - from), stepKey(counter)));
  addSums(1, finish(last, total + (to - from)));
}
