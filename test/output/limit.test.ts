/** The first and the last records of a stream, however it is cut into blocks, against slices of an array. */
import { describe, expect, it } from 'vitest';
import type { Limit, RecordFormat } from '../../src/job.js';
import type { Filter } from '../../src/output/filter.js';
import { limitRecords, type Spool } from '../../src/output/limit.js';
import { collector } from '../support/jobs.js';
import { randomBelow } from '../support/random.js';
import { join, LINES } from '../support/records.js';
import { NIGHTLY } from '../support/tier.js';

/** A store that counts what it holds, and fails if a place is read or released twice. */
function space(): Spool & { held: () => number } {
  const open = new Set<Buffer>();
  return {
    held: () => open.size,
    create: (bytes) => {
      const memory = Buffer.alloc(bytes);
      return {
        write: async (part) => {
          await new Promise(setImmediate);
          expect(part.length).toBe(bytes);
          memory.set(part);
        },
        finish: async () => {
          open.add(memory);
          return {
            bytes,
            readAt: async (byte, target) => {
              expect(open.has(memory)).toBe(true);
              memory.copy(target, 0, byte, byte + target.length);
            },
            release: () => {
              expect(open.delete(memory)).toBe(true);
              memory.fill(0xee);
            },
          };
        },
      };
    },
  };
}

/** Writes `text` in blocks whose memory is reused after each write. With `waits`, each write ends before the next. */
async function pour(filter: Filter, text: Buffer, blockBytes: () => number, waits: boolean): Promise<void> {
  const writes: Promise<void>[] = [];
  for (let at = 0; at < text.length; ) {
    const block = Buffer.from(text.subarray(at, (at += 1 + blockBytes())));
    const taken = filter.write(block).then(() => {
      block.fill(0x2a);
    });
    writes.push(taken);
    if (waits) await taken;
  }
  await Promise.all(writes);
  await filter.finish();
}

const ROUNDS = NIGHTLY ? 600 : 60;
const FORMATS: Record<string, RecordFormat> = {
  lines: LINES.format,
  'lines that end with NUL': { kind: 'lines', delimiter: 0 },
  'records of 7': { kind: 'fixed', size: 7 },
};

describe.each(Object.entries(FORMATS))('%s', (_, format) => {
  it.each(['first', 'last'] as const)(
    'writes the %s records for every limit and block size, held in memory and in the store',
    async (end) => {
      const below = randomBelow(31);
      for (let round = 0; round < ROUNDS; round++) {
        const total = below(40);
        const records = Array.from({ length: total }, () =>
          Buffer.alloc(format.kind === 'fixed' ? format.size : below(20), 97 + below(26)),
        );
        const limit: Limit = { count: [0, 1, 2, below(45), total, 1e15][below(6)], end };
        const most = [1, 5, 30, 400][below(4)];
        const out = collector();
        const store = space();
        const filter = limitRecords(limit, format, store, out.write, [0, 40, 1 << 20][below(3)]);
        await pour(filter, join(records, { ...LINES, format }), () => below(most), below(2) === 0);
        const expected =
          end === 'first' ? records.slice(0, limit.count) : records.slice(Math.max(0, total - limit.count));
        expect(out.bytes().toString('latin1'), `round ${round}`).toBe(
          join(expected, { ...LINES, format }).toString('latin1'),
        );
        expect(filter.over()).toBe(end === 'first' && limit.count <= total);
      }
    },
  );

  it('holds back the last records and at most the rest of their first block', async () => {
    const store = space();
    const out = collector();
    const filter = limitRecords({ count: 10, end: 'last' }, format, store, out.write, 0);
    const record = Buffer.from(format.kind === 'fixed' ? 'abcdefg' : `abcdef${String.fromCharCode(format.delimiter)}`);
    for (let block = 0; block < 200; block++) {
      await filter.write(Buffer.concat(Array.from({ length: 3 }, () => record)));
      expect(store.held()).toBeLessThanOrEqual(5);
    }
    await filter.finish();
    expect(out.bytes().equals(Buffer.concat(Array.from({ length: 10 }, () => record)))).toBe(true);
  });
});

it('fails with the error of the store', async () => {
  const broken: Spool = {
    create: () => ({
      write: () => Promise.reject(new Error('no room')),
      finish: () => {
        throw new Error('not reached');
      },
    }),
  };
  const filter = limitRecords({ count: 9, end: 'last' }, LINES.format, broken, collector().write, 0);
  await expect(filter.write(Buffer.from('a\n'))).rejects.toThrow('no room');
  await expect(filter.finish()).rejects.toThrow('no room');
});
