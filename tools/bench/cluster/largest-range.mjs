/**
 * The largest range, by simulation: regular samples of sorted shares, splitters at equal distances among them, ties
 * broken by (key, share, position). Records are not made. A record is its place in the sorted output, from 0 to 1.
 */

/** Numbers in [0, 1), the same in each run (a linear congruential generator of 32 bits). */
function randomNumbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Approximately normal, with variance 1. */
const normal = (random) => (random() + random() + random() + random() - 2) * Math.sqrt(3);

/** Where each of `count` keys begins, if key k of a random order has the weight of its rank in Zipf's law. */
function zipfKeys(count, exponent, random) {
  const weights = Array.from({ length: count }, (_, rank) => (rank + 1) ** -exponent);
  for (let i = count - 1; i > 0; i--) {
    const other = Math.floor(random() * (i + 1));
    [weights[i], weights[other]] = [weights[other], weights[i]];
  }
  const total = weights.reduce((sum, weight) => sum + weight);
  const begins = new Float64Array(count + 1);
  for (let i = 0; i < count; i++) begins[i + 1] = begins[i] + weights[i] / total;
  begins[count] = 1;
  return begins;
}

/** The last index whose value is at most x. */
function lastAtMost(values, x) {
  let [low, high] = [0, values.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (values[middle] <= x) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The place of the record at `x` whose key fills [begin, end): among equal records, shares follow one another. */
const tiePlace = (x, begin, end, share, shares) => begin + ((end - begin) * share + (x - begin)) / shares;

const WINDOW = 0.05;

/**
 * Kinds of data. `place(x, share)`: how the record at x, from 0 to 1, of a share compares with others. `output(place)`:
 * the part of the output before it; without it, places are parts already. `alike`: shares are random parts of the data.
 */
const KINDS = {
  random: () => ({ title: 'random keys', alike: true, place: (x) => x }),
  zipf: ({ shares, random }) => {
    const begins = zipfKeys(100_000, 1.1, random);
    return {
      title: "keys by Zipf's law, exponent 1.1",
      alike: true,
      place: (x, share) => {
        const key = Math.min(lastAtMost(begins, x), begins.length - 2);
        return tiePlace(x, begins[key], begins[key + 1], share, shares);
      },
    };
  },
  half: ({ shares }) => ({
    title: 'one key is half of the records',
    alike: true,
    place: (x, share) => (x < 0.25 || x >= 0.75 ? x : tiePlace(x, 0.25, 0.75, share, shares)),
  }),
  ordered: ({ shares }) => ({
    title: 'the input is in order',
    alike: false,
    place: (x, share) => (share + x) / shares,
  }),
  overlapping: ({ shares }) => {
    const begins = Float64Array.from({ length: shares }, (_, share) => (share / shares) * (1 - WINDOW));
    const sums = new Float64Array(shares + 1);
    for (let i = 0; i < shares; i++) sums[i + 1] = sums[i] + begins[i];
    /** Shares of which at least the part `covered` of a window lies before x. */
    const before = (x) => (x < begins[0] ? 0 : lastAtMost(begins, x) + 1);
    return {
      title: 'almost in order: a share has 5 % of all keys',
      alike: false,
      place: (x, share) => begins[share] + WINDOW * x,
      output: (x) => {
        const whole = before(x - WINDOW);
        const begun = before(x);
        return (whole + ((begun - whole) * x - (sums[begun] - sums[whole])) / WINDOW) / shares;
      },
    };
  },
  unique: ({ ranges }) => ({
    title: '`-u`, twice as many keys as ranges',
    alike: true,
    // A run has each key once, and no cut separates equal keys.
    place: (x) => Math.floor(x * 2 * ranges) / (2 * ranges),
  }),
};

export const KIND_NAMES = Object.keys(KINDS);

const GOLDEN = (Math.sqrt(5) - 1) / 2;

/**
 * The largest range as a multiple of the mean.
 * @param {string} kind one of KIND_NAMES
 * @param {{ shares: number, ranges: number, samples: number, records: number, shifted: boolean }} shape samples and
 *   records of a share; whether its samples begin at a place of their own
 */
export function largestRange(kind, { shares, ranges, samples, records, shifted }) {
  const random = randomNumbers(1);
  const data = KINDS[kind]({ shares, ranges, random });
  const places = new Float64Array(shares * samples);
  for (let share = 0; share < shares; share++) {
    const first = shifted ? (share * GOLDEN) % 1 : 0.5;
    for (let i = 0; i < samples; i++) {
      const x = (i + first) / samples;
      // A share that is a random part of the data has its quantiles near those of the whole.
      const error = data.alike ? Math.sqrt((x * (1 - x)) / records) * normal(random) : 0;
      places[share * samples + i] = data.place(Math.min(1 - 1e-12, Math.max(0, x + error)), share);
    }
  }
  places.sort();
  const output = data.output ?? ((place) => place);
  let largest = 0;
  let begin = 0;
  for (let range = 1; range <= ranges; range++) {
    const end = range === ranges ? 1 : output(places[Math.round((range * places.length) / ranges)]);
    largest = Math.max(largest, end - begin);
    begin = end;
  }
  return largest * ranges;
}

export const titleOf = (kind) => KINDS[kind]({ shares: 1, ranges: 1, random: () => 0.5 }).title;
