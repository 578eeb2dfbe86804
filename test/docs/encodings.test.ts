/** The encodings of typed keys that docs/ordering.md shows are those of the program. */
import { expect, it } from 'vitest';
import { parseRecordKey } from '../../src/cli/parse/record-key.js';
import { planEncoding } from '../../src/keys/record-encoding.js';
import { encodeRecords } from '../support/typed-records.js';
import { read } from './documents.js';

const bytesOf = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
const rows = [...read('docs/ordering.md').matchAll(/^\| `(\d+:[^`]+)` \| (\S+) \| `([^`]+)` \| `([^`]+)` \|$/gm)].map(
  ([, key, number, record, encoded]) => ({ key, number, record: bytesOf(record), encoded: bytesOf(encoded) }),
);

it('docs/ordering.md has examples of typed keys', () => {
  expect(rows.length).toBeGreaterThan(5);
});

it.each(rows)('$key of $number', ({ key, record, encoded }) => {
  const { encoding } = planEncoding(record.length, [parseRecordKey(key, '-k')], false, null);
  const copy = record.slice();
  if (encoding !== null) encodeRecords(encoding, copy);
  expect(copy).toEqual(encoded);
});
