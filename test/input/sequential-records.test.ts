/** Records of an input whose reader reuses its buffer. */
import { expect, it } from 'vitest';
import { SequentialRecords } from '../../src/input/sequential-records.js';
import { recordFinder } from '../../src/records/record-finder.js';
import { silent } from '../support/jobs.js';
import { readerOf } from '../support/streams.js';

const text = Buffer.from('one\ntwo\nthree\nfour\n');

it('keeps the bytes that it looked at when it reads ahead', async () => {
  for (const limit of [3, 10, 100]) {
    const finder = recordFinder({ kind: 'lines', delimiter: 10 });
    const records = new SequentialRecords(readerOf(text, 5), 'x', finder, silent);
    await records.peek(0);
    await records.prefetch(limit);
    const memory = new Uint8Array(text.length);
    expect(await records.fill(memory)).toBe(text.length);
    expect(Buffer.from(memory).toString()).toBe(text.toString());
  }
});
