/** Compares the device's keyed lines with those of the host. */
import { afterAll, beforeAll, expect } from 'vitest';
import { parseFieldSpan } from '../../../../../src/cli/parse/key-definition.js';
import type { Gpu } from '../../../../../src/engines/gpu/device/device.js';
import { readBack } from '../../../../../src/engines/gpu/device/dispatch.js';
import { DevicePool, Scratch } from '../../../../../src/engines/gpu/device/pool.js';
import {
  type Keyed,
  loadKeyedLines,
  makeKeyedLines,
  takeParts,
} from '../../../../../src/engines/gpu/records/keyed-lines/keyed-lines.js';
import type { FieldSpan, KeyPart, Ordering } from '../../../../../src/job/ordering.js';
import { KeyMaker } from '../../../../../src/keys/key-maker.js';
import { join, LINES, positionsOf } from '../../../../support/records.js';
import { destroyRecords, readWords, uploadRecords, useGpu } from '../../helpers.js';

export const spanOf = (definition: string, separator: string | null = null): FieldSpan =>
  parseFieldSpan(definition, separator === null ? null : Buffer.from(separator, 'latin1'));
export const part = (span: FieldSpan, changes: Partial<KeyPart> = {}): KeyPart => ({
  span,
  order: 'bytes',
  dictionary: false,
  printing: false,
  fold: false,
  reverse: false,
  ...changes,
});
export const orderingOf = (parts: readonly KeyPart[], changes: Partial<Ordering> = {}): Ordering => ({
  ...LINES,
  key: { kind: 'normalized', parts, seed: null },
  ...changes,
});
export const lines = (texts: readonly string[]): Buffer[] => texts.map((text) => Buffer.from(text, 'latin1'));

interface Compared {
  /** Makes keyed lines of at most `most` bytes on the device; `look` sees them. */
  made(
    records: readonly Uint8Array[],
    ordering: Ordering,
    most?: number,
    look?: (keyed: Keyed & { kind: 'keyed' }) => Promise<void>,
  ): Promise<Keyed>;
  /** Expects the device's keyed lines to be those of the host. */
  check(records: readonly Uint8Array[], ordering: Ordering, name: string): Promise<void>;
}

/** For the tests of the calling suite. */
export function comparedKeys(): Compared {
  const useTestGpu = useGpu();
  let gpu: Gpu;
  let pool: DevicePool;
  beforeAll(() => {
    gpu = useTestGpu();
    pool = new DevicePool(gpu);
  });
  afterAll(() => {
    pool.destroyIdle();
  });

  async function made(
    records: readonly Uint8Array[],
    ordering: Ordering,
    most = 1 << 30,
    look?: (keyed: Keyed & { kind: 'keyed' }) => Promise<void>,
  ): Promise<Keyed> {
    await loadKeyedLines(gpu, ordering);
    const parts = await takeParts(gpu, pool, ordering);
    const scratch = new Scratch(pool);
    const uploaded = uploadRecords(gpu, records, ordering);
    const keyed = await makeKeyedLines(scratch, uploaded, parts, most);
    if (keyed.kind === 'keyed') await look?.(keyed);
    scratch.end();
    pool.give(parts.parts, parts.tables);
    destroyRecords(uploaded);
    return keyed;
  }

  async function check(records: readonly Uint8Array[], ordering: Ordering, name: string): Promise<void> {
    const keyed = await made(records, ordering, 1 << 30, async ({ records: { text, textBytes, starts, count } }) => {
      const maker = new KeyMaker(ordering);
      const each = records.map((record) =>
        Buffer.concat(maker.keyed(join([record], ordering)).map((piece) => new Uint8Array(piece))),
      );
      const delimiter = ordering.format.kind === 'lines' ? ordering.format.delimiter : 0;
      const expected = Buffer.concat(each);
      const found = Buffer.from(await readBack(gpu, text, 0, textBytes));
      const places = [...(await readWords(gpu, starts!, count + 1))];
      expect(places, name).toEqual(
        positionsOf(
          each.map((line) => line.subarray(0, -1)),
          ordering,
        ).map(({ byte }) => byte),
      );
      for (const [i, line] of each.entries()) {
        if (found.compare(line, 0, line.length, places[i], places[i + 1]) !== 0) {
          expect(
            `${found.subarray(places[i], places[i + 1]).toString('hex')}`,
            `${name}: ${Buffer.from(records[i]).toString('latin1').slice(0, 200)}`,
          ).toBe(line.toString('hex'));
        }
      }
      expect(found.equals(expected), name).toBe(true);
      // Keys contain no delimiter, so there is one per line.
      expect(found.filter((byte) => byte === delimiter).length, name).toBe(count);
    });
    expect(keyed.kind, name).toBe('keyed');
  }

  return { made, check };
}
