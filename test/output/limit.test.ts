/** The first and the last records of a stream, however it is cut into blocks, against slices of an array. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { delimiterOf, type RecordFormat } from '../../src/job/ordering.js';
import { lastNeeded } from '../../src/output/filters.js';
import { limitRecords, type Spool } from '../../src/output/limit.js';
import { pour, pouring } from '../support/cuts.js';
import { collector, job } from '../support/jobs.js';
import { property } from '../support/property.js';
import { join, LINES } from '../support/records.js';

/** A store that counts its blobs, and fails if a place is read or released twice. */
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

const FORMATS: Record<string, RecordFormat> = {
  lines: LINES.format,
  'lines that end with NUL': { kind: 'lines', delimiter: 0 },
  'records of 7': { kind: 'fixed', size: 7 },
};

describe.each(Object.entries(FORMATS))('%s', (_, format) => {
  const record = fc
    .tuple(fc.nat(19), fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz'))
    .map(([bytes, letter]) => Buffer.alloc(format.kind === 'fixed' ? format.size : bytes, letter));
  const limits = fc.oneof(fc.constantFrom(0, 1, 2, 1e15), fc.nat(44));

  property(
    'limits records to the first or last ones, held in memory and in the store',
    [
      fc.array(record, { maxLength: 40, size: 'max' }),
      // null: as many as there are.
      fc.record({ count: fc.option(limits, { freq: 6 }), end: fc.constantFrom('first' as const, 'last' as const) }),
      fc.constantFrom(0, 40, 1 << 20),
      pouring(400),
    ],
    async (records, { count: drawn, end }, inMemory, poured) => {
      const total = records.length;
      const count = drawn ?? total;
      const out = collector();
      const filter = limitRecords({ count, end }, format, space(), out.write, inMemory);
      await pour(filter, join(records, { ...LINES, format }), poured);
      const expected = end === 'first' ? records.slice(0, count) : records.slice(Math.max(0, total - count));
      expect(out.bytes().toString('latin1')).toBe(join(expected, { ...LINES, format }).toString('latin1'));
      expect(filter.over()).toBe(end === 'first' && count <= total);
    },
    { runs: 120 },
  );

  it('holds back the last records and at most the rest of the block of the first one', async () => {
    const store = space();
    const out = collector();
    const filter = limitRecords({ count: 10, end: 'last' }, format, store, out.write, 0);
    const record = Buffer.from(
      format.kind === 'fixed' ? 'abcdefg' : `abcdef${String.fromCharCode(delimiterOf(format))}`,
    );
    for (let block = 0; block < 200; block++) {
      await filter.write(Buffer.concat(Array.from({ length: 3 }, () => record)));
      expect(store.held()).toBeLessThanOrEqual(5);
    }
    await filter.finish();
    expect(out.bytes().equals(Buffer.concat(Array.from({ length: 10 }, () => record)))).toBe(true);
  });
});

it('fails to limit records with the error of the store', async () => {
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

describe('the last records that are needed', () => {
  const bottom = { limit: { count: 5, end: 'last' as const } };
  it('are those of --bottom', () => {
    expect(lastNeeded(job(bottom))).toBe(5);
    expect(lastNeeded(job())).toBeUndefined();
    expect(lastNeeded(job({ limit: { count: 5, end: 'first' } }))).toBeUndefined();
  });

  it.each([
    ['repeats are dropped', { ordering: { ...LINES, unique: true } }],
    ['repeats are counted', { count: true }],
    ['parents come before their children', { genomics: { format: 'gff', by: 'position' } as never }],
  ])('are unknown if %s', (_, settings) => {
    expect(lastNeeded(job({ ...bottom, ...settings }))).toBeUndefined();
  });
});
