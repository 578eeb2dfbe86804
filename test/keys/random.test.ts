/** -R: shuffled by a seed. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe } from 'vitest';
import { randomBelow } from '../support/random.js';
import { ALL_BYTES, drawn, SEED, type Tested, testOrdering } from './orderings.js';

const directory = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'gpusort-random-'));
const source = join(directory, 'source');
writeFileSync(source, Buffer.concat([SEED, Buffer.from('of these nothing is read')]));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Orders lines by the MD5 digest of the seed and the bytes of the line that count. */
function shuffled(part: Tested['part'], options: readonly string[], counts: (line: string) => string): Tested {
  const digest = (line: string): Buffer =>
    createHash('md5')
      .update(SEED)
      .update(Buffer.from(counts(line), 'latin1'))
      .digest();
  const digests = new Map<string, Buffer>();
  const known = (line: string): Buffer => digests.get(line) ?? digests.set(line, digest(line)).get(line)!;
  return {
    part: { ...part, order: 'random' },
    options: ['-R', `--random-source=${source}`, ...options],
    compare: (a, b) => Buffer.compare(known(a), known(b)),
  };
}

const below = randomBelow(66);
/**
 * All lengths up to 259. They include those at which the text, its padding mark or its length takes another MD5 block:
 * 39, 40, 47, 48, 103, 104, 111, 112 ...
 */
const lengths = Array.from({ length: 260 }, (_, length) =>
  Array.from({ length }, () => ALL_BYTES[32 + below(224)]).join(''),
);

describe('random order', () => {
  testOrdering(
    'lines of all lengths',
    shuffled({}, [], (line) => line),
    lengths,
  );
  testOrdering(
    'equal lines',
    shuffled({}, [], (line) => line),
    drawn(below, 300, 3, 'ab\n\0'),
  );
  testOrdering(
    'folded',
    shuffled({ fold: true }, ['-f'], (line) => line.toUpperCase()),
    drawn(below, 300, 3, 'aAbB1 '),
  );
  testOrdering(
    'dictionary',
    shuffled({ dictionary: true }, ['-d'], (line) => line.replaceAll('-', '')),
    drawn(below, 200, 4, 'ab- '),
  );
});
