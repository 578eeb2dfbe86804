/** A plain model of --shuffle and --sample: the places of records by a Feistel network, in exact integers. */

const MASK = 0xffff_ffffn;
const STEP = 0x9e37_79b9n;

/** The finalizer of MurmurHash3. */
function mixed(word: bigint): bigint {
  let hash = word & MASK;
  hash = ((hash ^ (hash >> 16n)) * 0x85eb_ca6bn) & MASK;
  hash = ((hash ^ (hash >> 13n)) * 0xc2b2_ae35n) & MASK;
  return hash ^ (hash >> 16n);
}

/** The place of a record of `--seed SEED`, which fits in 32 bits: the other words of the seed are 0. */
function placeOf(number: bigint, seed: number): bigint {
  const words = [BigInt(seed), 0n, 0n, 0n];
  let [left, right] = [number >> 32n, number & MASK];
  for (let round = 0; round < 8; round++)
    [left, right] = [right, left ^ mixed(right + words[round % 4] + BigInt(round) * STEP)];
  return (left << 32n) | right;
}

/** The records of the inputs, shuffled. */
export function shuffledBy(records: readonly string[], seed: number): string[] {
  const placed = records.map((record, i) => ({ record, place: placeOf(BigInt(i), seed) }));
  return placed.sort((a, b) => (a.place < b.place ? -1 : 1)).map(({ record }) => record);
}
