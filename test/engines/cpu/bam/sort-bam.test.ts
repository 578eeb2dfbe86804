/** BAM that threads sort as it is: in the calling thread, in tiny groups and ranges. */
import { describe, expect, it } from 'vitest';
import { Declined } from '../../../../src/contract/engine.js';
import { CpuBamSort } from '../../../../src/engines/cpu/bam/sort-bam.js';
import { MiB } from '../../../../src/report/units.js';
import { bamRecord } from '../../../records/bam-reference.js';
import { bgzf } from '../../../support/genomics-bam.js';
import { silent } from '../../../support/jobs.js';
import { casesOfBam } from '../../bam/cases.js';
import { header, inOrder, REFERENCES, records, type SortedBam, sorted } from '../../bam/sorting.js';

interface Options {
  readonly groupBytes?: number;
  readonly workers?: number;
  readonly level?: number;
  readonly memoryBytes?: number;
  readonly references?: number;
}

function sortHere(files: readonly Buffer[], headerBytes: number, options: Options = {}): Promise<SortedBam> {
  const { groupBytes, workers = 0, level = 1, memoryBytes = 1024 * MiB, references = REFERENCES } = options;
  const resources = { workers, helps: workers === 0, memoryBytes, level };
  const bytes = files.reduce((sum, { length }) => sum + length, 0);
  return sorted(
    new CpuBamSort({ bytes, keptBytes: () => 0, rows: null, references, contigs: null }, resources, silent, groupBytes),
    files,
    headerBytes,
  );
}

describe('BAM on processors', () => {
  casesOfBam((files, headerBytes, usual) => sortHere(files, headerBytes, usual === true ? {} : { groupBytes: 70_000 }));

  const some = records(3000, 200, 11);
  const head = header();
  const whole = Buffer.concat([head, ...some]);

  it.each([0, 1, 6])('has the same records at level %d, in threads and in groups of any size', async (level) => {
    for (const options of [{ groupBytes: 66_000 }, { groupBytes: 300_000, workers: 2 }]) {
      const { text, blocks } = await sortHere([bgzf(whole, 1, 7000)], head.length, { ...options, level });
      expect(text.equals(inOrder(some))).toBe(true);
      expect(blocks.equals(inOrder(some))).toBe(true);
    }
  });

  it.each([0, 1, 65_279, 65_280, 65_281])('may have a header of %d bytes and more', async (more) => {
    const long = header(more);
    const { blocks } = await sortHere([bgzf(Buffer.concat([long, ...some]))], long.length, { groupBytes: 66_000 });
    expect(blocks.equals(inOrder(some))).toBe(true);
  });

  it('may have records whose fields look like records', async () => {
    // Eight records in a row inside another one: each guess in it is wrong.
    const decoys = records(60, 40, 3);
    const all = Array.from({ length: 40 }, (_, i) =>
      bamRecord({ reference: i % 3, body: Buffer.concat([Buffer.alloc(i * 37), ...decoys]) }),
    );
    const { blocks } = await sortHere([bgzf(Buffer.concat([head, ...all]), 1, 5000)], head.length, {
      groupBytes: 66_000,
    });
    expect(blocks.equals(inOrder(all))).toBe(true);
  });

  it('is sorted twice at the same time in one thread', async () => {
    const other = records(2500, 300, 12);
    const sorts = [some, other].map((all) =>
      sortHere([bgzf(Buffer.concat([head, ...all]), 1, 7000)], head.length, { groupBytes: 400_000, level: 9 }),
    );
    const [first, second] = await Promise.all(sorts);
    expect(first.blocks.equals(inOrder(some))).toBe(true);
    expect(second.blocks.equals(inOrder(other))).toBe(true);
  });

  it('may be in order', async () => {
    const text = inOrder(some);
    const { blocks } = await sortHere([bgzf(Buffer.concat([head, text]))], head.length, { groupBytes: 66_000 });
    expect(blocks.equals(text)).toBe(true);
  });

  it('is declined if a record is longer than eight groups', async () => {
    const long = (bytes: number): Buffer => bgzf(Buffer.concat([head, bamRecord({ body: Buffer.alloc(bytes) })]));
    const { blocks } = await sortHere([long(500_000)], head.length, { groupBytes: 66_000 });
    expect(blocks.length).toBe(500_038);
    await expect(sortHere([long(530_000)], head.length, { groupBytes: 66_000 })).rejects.toThrow(
      'a record is too long',
    );
  });

  it('is declined before text that compresses well exceeds memory', async () => {
    const flat = bgzf(
      Buffer.concat([head, ...Array.from({ length: 60 }, () => bamRecord({ body: Buffer.alloc(60_000) }))]),
    );
    expect(flat.length).toBeLessThan(40_000);
    const memoryBytes = 10 * 66_000 + 2_000_000;
    await expect(sortHere([flat], head.length, { groupBytes: 66_000, memoryBytes })).rejects.toThrow(
      /^its text of 1\.9.* or more does not fit/,
    );
  });

  it('is declined if its text does not fit into memory, or keys cannot hold its references', async () => {
    const file = bgzf(whole, 1, 7000);
    await expect(sortHere([file], head.length, { groupBytes: 66_000, memoryBytes: MiB })).rejects.toThrow(
      /^its text of .* or more does not fit into .* of memory$/,
    );
    await expect(async () => sortHere([file], head.length, { references: 2 ** 21 })).rejects.toThrow(Declined);
  });
});
