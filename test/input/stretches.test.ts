/**
 * BAM from pipes, in tiny parts, blocks, stretches and groups: it is sorted or declined as files are. Its bytes can be
 * read again until the sort writes.
 */
import { describe, expect, it } from 'vitest';
import { Declined } from '../../src/contract/engine.js';
import { type InputFile, statInput } from '../../src/input/files.js';
import { Replay } from '../../src/input/replay.js';
import { readStretches } from '../../src/input/stretches.js';
import type { ByteSource } from '../../src/system/byte-source.js';
import { casesOfBam } from '../engines/bam/cases.js';
import { sortedInGroups } from '../engines/bam/in-groups.js';
import { header, inOrder, records, type SortedBam } from '../engines/bam/sorting.js';
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
  readonly most?: number;
  readonly isWhole?: boolean;
}

/** Sorts pipes whose bytes are kept. */
async function sortPipes(
  files: readonly Buffer[],
  headerBytes: number,
  { groupBytes = 1 << 20, most = 40_000, isWhole = false }: Options = {},
): Promise<SortedBam> {
  const replays = files.map((file) => new Replay(async () => arriving(file, most), 7000));
  const replayOf = (file: Buffer): Replay => replays[files.indexOf(file)];
  // A pipe that ends in what is read ahead has a size.
  if (isWhole) for (const replay of replays) await replay.readAhead(Infinity);
  try {
    return await sortedInGroups(files, headerBytes, {
      groupBytes,
      add: (taker, file) => readStretches(taker, { ...PIPE, replay: replayOf(file) }, silent),
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

  it('may have empty blocks anywhere', async () => {
    const empty = bgzf(Buffer.alloc(0));
    const part = (from: number, to: number): Buffer => bgzf(Buffer.concat(some.slice(from, to)), 1, 5000);
    const within = Buffer.concat([bgzf(head), empty, part(0, 700).subarray(0, -28), empty, empty, part(700, 1500)]);
    const { blocks } = await sortPipes([within], head.length, { groupBytes: 66_000 });
    expect(blocks.equals(inOrder(some))).toBe(true);
  });
});
