/**
 * BAM from pipes, in tiny parts, blocks, stretches and groups: it is sorted or declined as files are. Its bytes can be
 * read again until the sort writes.
 */
import { describe, expect, it } from 'vitest';
import { Declined } from '../../src/contract/engine.js';
import { CpuBamSort } from '../../src/engines/cpu/bam/sort-bam.js';
import { type InputFile, statInput } from '../../src/input/files.js';
import { Replay } from '../../src/input/replay.js';
import { readStretches } from '../../src/input/stretches.js';
import { MiB } from '../../src/report/units.js';
import type { ByteSource } from '../../src/system/byte-source.js';
import { casesOfBam } from '../engines/bam/cases.js';
import { header, inOrder, REFERENCES, records, type SortedBam, sorted } from '../engines/bam/sorting.js';
import { bamRecord } from '../records/bam-reference.js';
import { bgzf } from '../support/genomics-bam.js';
import { silent } from '../support/jobs.js';
import { randomBelow } from '../support/random.js';

/** The bytes of a pipe, a few at a time. */
function arriving(bytes: Buffer, most: number): ByteSource {
  const below = randomBelow(bytes.length);
  let at = 0;
  const read = async (): Promise<Uint8Array | null> => {
    const part = bytes.subarray(at, at + 1 + below(most));
    at += part.length;
    return part.length === 0 ? null : part;
  };
  return { read, close: () => {} };
}

const PIPE: InputFile = statInput(null, 'sort', {
  ...{ format: 'bam', framing: null, decompress: false, threads: 0, warnsOfCompression: false },
  source: arriving(Buffer.alloc(0), 1),
});

interface Options {
  readonly groupBytes?: number;
  readonly memoryBytes?: number;
  readonly most?: number;
  readonly isWhole?: boolean;
}

/** Sorts pipes; returns what was kept of them, too. */
async function sortPipes(
  files: readonly Buffer[],
  headerBytes: number,
  { groupBytes, memoryBytes = 1024 * MiB, most = 40_000, isWhole = false }: Options = {},
): Promise<SortedBam> {
  const replays = files.map((file) => new Replay(async () => arriving(file, most), 7000));
  const replayOf = (file: Buffer): Replay => replays[files.indexOf(file)];
  // A pipe that ends in what is read ahead has a size.
  if (isWhole) for (const replay of replays) await replay.readAhead(Infinity);
  const keptBytes = (): number => replays.reduce((sum, replay) => sum + replay.keptBytes, 0);
  const bytes = isWhole ? keptBytes() : null;
  const input = { bytes, keptBytes, rows: null, references: REFERENCES, contigs: null };
  const resources = { workers: 0, helps: true, memoryBytes, level: 1 };
  const sort = new CpuBamSort(input, resources, silent, groupBytes);
  try {
    return await sorted(sort, files, headerBytes, {
      add: (one, file) => readStretches(one, { ...PIPE, replay: replayOf(file) }, silent),
    });
  } finally {
    // Another attempt may read them from the beginning.
    for (const file of files) {
      const reader = replayOf(file).reader();
      const first = await reader.read();
      expect(file.subarray(0, first!.length).equals(first!)).toBe(true);
      reader.close();
    }
  }
}

describe('BAM from pipes', () => {
  casesOfBam((files, headerBytes, usual) => sortPipes(files, headerBytes, usual ? {} : { groupBytes: 70_000 }));

  const some = records(1500, 200, 21);
  const head = header();
  const whole = bgzf(Buffer.concat([head, ...some]), 1, 7000);

  it.each([1, 100, 7000, 1_000_000])('has the same records if %d bytes arrive at most at once', async (most) => {
    const file = most === 1 ? bgzf(Buffer.concat([head, ...some.slice(0, 30)])) : whole;
    for (const isWhole of [false, true]) {
      const { blocks } = await sortPipes([file], head.length, { groupBytes: 66_000, most, isWhole });
      expect(blocks.equals(inOrder(most === 1 ? some.slice(0, 30) : some))).toBe(true);
    }
  });

  it('is declined wherever it is cut off', async () => {
    const ends: number[] = [];
    for (let at = 0; at < whole.length; at += whole.readUInt16LE(at + 16) + 1) ends.push(at, at + 30);
    expect(ends.length).toBeGreaterThan(40);
    for (const end of ends.filter((one) => one < whole.length && one > 0))
      await expect(sortPipes([whole.subarray(0, end)], head.length, { groupBytes: 66_000 })).rejects.toThrow(Declined);
  });

  it('is sorted or declined as files are, whatever its blocks', async () => {
    const empty = bgzf(Buffer.alloc(0));
    const part = (from: number, to: number): Buffer => bgzf(Buffer.concat(some.slice(from, to)), 1, 5000);
    const within = Buffer.concat([bgzf(head), empty, part(0, 700).subarray(0, -28), empty, empty, part(700, 1500)]);
    const { blocks } = await sortPipes([within], head.length, { groupBytes: 66_000 });
    expect(blocks.equals(inOrder(some))).toBe(true);
    const long = bgzf(Buffer.concat([head, bamRecord({ body: Buffer.alloc(530_000) })]));
    await expect(sortPipes([long], head.length, { groupBytes: 66_000 })).rejects.toThrow('a record is too long');
  });

  it('is declined if text and compressed bytes do not fit into memory together', async () => {
    const file = bgzf(Buffer.concat([head, ...some]), 0, 7000);
    const options = { groupBytes: 66_000, most: 9000 };
    const memoryBytes = 10 * 66_000 + Math.ceil(1.5 * file.length);
    await expect(sortPipes([file], head.length, { ...options, memoryBytes })).rejects.toThrow(
      /^its text of .* or more does not fit into .* of memory$/,
    );
    const more = memoryBytes + file.length;
    const { blocks } = await sortPipes([file], head.length, { ...options, memoryBytes: more });
    expect(blocks.equals(inOrder(some))).toBe(true);
  });

  it('has longer groups and stretches the more has arrived', async () => {
    const all = Array.from({ length: 5 }, () => bamRecord({ body: Buffer.alloc(60_000) }));
    const part = bgzf(Buffer.concat(all)).subarray(0, -28);
    // They become longer than 1 MiB once 210 MiB have arrived.
    const file = Buffer.concat([bgzf(head).subarray(0, -28), ...Array(900).fill(part), bgzf(Buffer.alloc(0))]);
    const input = {
      bytes: null,
      keptBytes: () => 0,
      rows: null,
      references: REFERENCES,
      contigs: null,
    } as const;
    const resources = { workers: 0, helps: true, memoryBytes: 1024 * MiB, level: 1 };
    const sort = new CpuBamSort(input, resources, silent);
    try {
      const before = sort.stretchBytes;
      sort.begin(head.length);
      const replay = new Replay(async () => arriving(file, 40_000));
      await readStretches(sort, { ...PIPE, replay }, silent);
      await sort.end();
      expect(sort.stretchBytes).toBeGreaterThan(1.05 * before);
      expect((await sort.prepare()).records).toBe(4500);
    } finally {
      await sort.close();
    }
  });
});
