/** Files of BGZF that become texts of the device (inflated-texts.ts), against their text as zlib inflates it. */
import { expect, it } from 'vitest';
import { Declined } from '../../../../src/contract/engine.js';
import { InflatedTexts, REST_BYTES } from '../../../../src/engines/gpu/bgzf/inflated-texts.js';
import type { Gpu } from '../../../../src/engines/gpu/device/device.js';
import { readBack } from '../../../../src/engines/gpu/device/dispatch.js';
import { DevicePool, Scratch } from '../../../../src/engines/gpu/device/pool.js';
import { type DeviceFraming, endOfRecord, frameText } from '../../../../src/engines/gpu/records/frame.js';
import { textBufferBytes } from '../../../../src/engines/gpu/records/records.js';
import { BGZF_END, bgzf } from '../../../support/genomics-bam.js';
import { randomBelow } from '../../../support/random.js';
import { upload } from '../helpers.js';

export const FRAMINGS: Readonly<Record<'lines' | 'nuls' | 'fixed' | 'reads' | 'sequences' | 'genes', DeviceFraming>> = {
  lines: { format: { kind: 'lines', delimiter: 10 }, source: null },
  nuls: { format: { kind: 'lines', delimiter: 0 }, source: null },
  fixed: { format: { kind: 'fixed', size: 5 }, source: null },
  reads: { format: { kind: 'lines', delimiter: 0 }, source: 'fastq' },
  sequences: { format: { kind: 'lines', delimiter: 0 }, source: 'fasta' },
  genes: { format: { kind: 'lines', delimiter: 10 }, source: 'gff' },
};

interface File {
  readonly bytes: Buffer;
  readonly headerBytes?: number;
}

interface Sizes {
  readonly textBytes?: number;
  /** Bytes of the first stretch of each file, and of each other one. Multiples of 4. */
  readonly firstStretch?: number;
  readonly stretch?: number;
  readonly leastRate?: number;
}

/** The text in blocks of `blockText` bytes, with the empty block at the end. */
const inBlocks = (text: Uint8Array, blockText: number): Buffer => bgzf(text, 1, blockText);
/** The same without the empty block. */
const blocksOnly = (text: Uint8Array, blockText: number): Buffer => inBlocks(text, blockText).subarray(0, -28);

/** The texts of files, one after another. */
async function textsOf(
  gpu: Gpu,
  framing: DeviceFraming,
  files: readonly File[],
  { textBytes = 2 ** 17, firstStretch = Infinity, stretch = firstStretch, leastRate = 0 }: Sizes = {},
): Promise<Buffer[]> {
  const pool = new DevicePool(gpu);
  const scratch = new Scratch(pool);
  const texts: Buffer[] = [];
  const source = new InflatedTexts(scratch, {
    groupBytes: (textBytes * 15) / 16,
    textBytes,
    leastRate,
    cut: (text) => frameText(scratch, text, framing),
    take: async ({ text, bytes }) => {
      expect(text.size).toBeGreaterThanOrEqual(textBufferBytes(bytes));
      texts.push(Buffer.from(await readBack(gpu, text, 0, Math.ceil(bytes / 4) * 4)).subarray(0, bytes));
      pool.give(text);
    },
  });
  try {
    for (const { bytes, headerBytes = 0 } of files) {
      source.begin(headerBytes);
      for (let at = 0, most = firstStretch; at < bytes.length; most = stretch) {
        const part = bytes.subarray(at, at + most);
        at += part.length;
        const place = Buffer.concat([Buffer.alloc(REST_BYTES, 0x1f), part]);
        const buffer = upload(gpu, place, textBufferBytes(place.length));
        try {
          await source.add(buffer, part.length);
        } finally {
          buffer.destroy();
        }
      }
      await source.end(endOfRecord(framing));
    }
  } finally {
    scratch.end();
    pool.destroyIdle();
  }
  for (const text of texts) {
    expect(text.length).toBeGreaterThan(0);
    expect(text.length).toBeLessThanOrEqual(textBytes);
    // Each text has whole records.
    if (framing.format.kind === 'fixed') expect(text.length % framing.format.size).toBe(0);
    else expect(text.at(-1)).toBe(framing.format.delimiter);
  }
  return texts;
}

/** A text of records. If `isOpen`, the last one lacks the byte that ends it. */
function drawnText(kind: keyof typeof FRAMINGS, records: number, { isOpen = false } = {}): Buffer {
  const below = randomBelow(records);
  const letters = (count: number): string =>
    Buffer.from(Array.from({ length: count }, () => 65 + below(26))).toString();
  const record = (): string => {
    if (kind === 'fixed') return letters(5);
    if (kind === 'lines' || kind === 'genes') return `${letters(below(30))}\n`;
    if (kind === 'nuls') return `${letters(below(9))}\n${letters(below(9))}\0`;
    const length = below(20);
    if (kind === 'sequences')
      return `>${letters(below(4))}\n${letters(length)}\n${length % 3 === 0 ? `${letters(2)}\n` : ''}`;
    return `@${letters(below(4))}\n${letters(length)}\n+\n${letters(length)}\n`;
  };
  const text = Buffer.from(Array.from({ length: records }, record).join(''));
  return isOpen ? Buffer.concat([text.subarray(0, -1)]) : text;
}

/** Text as engines hold it. */
function asFramed(kind: keyof typeof FRAMINGS, text: Buffer): Buffer {
  const end = endOfRecord(FRAMINGS[kind]);
  const whole = end === null || text.length === 0 || text.at(-1) === end ? text : Buffer.concat([text, Buffer.of(end)]);
  if (kind === 'sequences') return Buffer.from(whole.toString('latin1').replace(/\n(?=>|$)/g, '\0'), 'latin1');
  if (kind !== 'reads') return whole;
  return Buffer.from(whole.toString('latin1').replace(/((?:.*\n){3}.*)\n/g, '$1\0'), 'latin1');
}

/** `isQuick`: only some places at which stretches end, and some sizes, are tried. */
export function casesOfTexts(useGpu: () => Gpu, { isQuick = false } = {}): void {
  const some = <T>(all: readonly T[]): T[] => all.filter((_, i) => !isQuick || i % 3 === 0);
  const kinds = Object.keys(FRAMINGS) as (keyof typeof FRAMINGS)[];
  const joined = async (kind: keyof typeof FRAMINGS, files: readonly File[], sizes?: Sizes): Promise<Buffer> =>
    Buffer.concat(await textsOf(useGpu(), FRAMINGS[kind], files, sizes));
  const declined = async (kind: keyof typeof FRAMINGS, files: readonly File[], why: RegExp, sizes?: Sizes) => {
    const error = await textsOf(useGpu(), FRAMINGS[kind], files, sizes).then(
      () => null,
      (one: unknown) => one,
    );
    expect(error).toBeInstanceOf(Declined);
    expect(String(error)).toMatch(why);
  };

  it.each(kinds)('are texts of whole records wherever stretches cut the file: %s', async (kind) => {
    const text = drawnText(kind, 12);
    const bytes = Buffer.concat([blocksOnly(text.subarray(0, 50), 21), BGZF_END, inBlocks(text.subarray(50), 40)]);
    const expected = asFramed(kind, text);
    // Only the last stretch may end within a word.
    for (let cut = isQuick ? 60 : 4; cut < bytes.length; cut += isQuick ? 92 : 4)
      expect((await joined(kind, [{ bytes }], { firstStretch: cut, stretch: Infinity })).equals(expected)).toBe(true);
  });

  it('are found in stretches shorter than a block', async () => {
    const text = drawnText('lines', 40);
    const bytes = inBlocks(text, 150);
    for (const stretch of some([60, 16, 28, 100]))
      expect((await joined('lines', [{ bytes }], { firstStretch: stretch })).equals(text)).toBe(true);
  });

  it('have at most the bytes asked for, and about as many each', async () => {
    const text = drawnText('lines', 3000);
    const bytes = inBlocks(text, 200);
    const texts = await textsOf(useGpu(), FRAMINGS.lines, [{ bytes }], { textBytes: 5200 });
    expect(Buffer.concat(texts).equals(text)).toBe(true);
    const [least, most] = [Math.min(...texts.map(({ length }) => length)), Math.max(...texts.map((one) => one.length))];
    expect(texts.length).toBe(Math.ceil(text.length / ((5200 * 15) / 16)));
    expect(most - least).toBeLessThan(500);
  });

  it.each(some([0, 1, 20, 21, 22, 60, 63, 700, 900]))('leave out a header of %i bytes', async (headerBytes) => {
    const text = drawnText('lines', 30);
    const whole = Buffer.concat([Buffer.alloc(headerBytes, 35), text]);
    const expected = asFramed('lines', text);
    for (const sizes of [{}, { firstStretch: 64 }, { textBytes: 400 }])
      expect((await joined('lines', [{ bytes: inBlocks(whole, 21), headerBytes }], sizes)).equals(expected)).toBe(true);
  });

  it.each([1, 21, 42, 50])('may be none: the header of %i bytes is the whole file', async (headerBytes) => {
    const bytes = inBlocks(Buffer.alloc(headerBytes, 35), 21);
    expect(await textsOf(useGpu(), FRAMINGS.lines, [{ bytes, headerBytes }], { firstStretch: 32 })).toEqual([]);
  });

  it('may be none: there is only the empty block', async () => {
    for (const kind of kinds) expect(await textsOf(useGpu(), FRAMINGS[kind], [{ bytes: BGZF_END }])).toEqual([]);
    const bytes = Buffer.concat([BGZF_END, BGZF_END]);
    expect(await textsOf(useGpu(), FRAMINGS.lines, [{ bytes }], { firstStretch: 28 })).toEqual([]);
  });

  it.each(['lines', 'nuls', 'reads', 'sequences', 'genes'] as const)(
    'end in a delimiter that the file lacks: %s',
    async (kind) => {
      for (const records of [1, 2, 7]) {
        const text = drawnText(kind, records, { isOpen: true });
        for (const blockText of some([7, 1000]))
          expect((await joined(kind, [{ bytes: inBlocks(text, blockText) }])).equals(asFramed(kind, text))).toBe(true);
      }
    },
  );

  it('are those of several files, each with its own header', async () => {
    const texts = [5, 1, 9].map((records) => drawnText('lines', records, { isOpen: records !== 9 }));
    const file = (text: Buffer, headerBytes: number): File => ({
      bytes: inBlocks(Buffer.concat([Buffer.alloc(headerBytes, 35), text]), 33),
      headerBytes,
    });
    const empty = { bytes: BGZF_END };
    const files = [file(texts[0], 40), empty, file(texts[1], 0), file(Buffer.alloc(0), 70), file(texts[2], 3)];
    const expected = Buffer.concat(texts.map((text) => asFramed('lines', text)));
    for (const firstStretch of [Infinity, 40])
      expect((await joined('lines', files, { firstStretch })).equals(expected)).toBe(true);
  });

  it('are declined if a record is incomplete', async () => {
    const incomplete = /a file is cut off|a read is malformed/;
    for (const bytes of [1, 2, 3, 4])
      await declined('fixed', [{ bytes: inBlocks(Buffer.alloc(50 + bytes, 65), 33) }], /a file is cut off/);
    for (const end of some(['@', '@a', '@a\n', '@a\nAC', '@a\nAC\n', '@a\nAC\n+', '@a\nAC\n+\n', '@a\nAC\n+\nI']))
      await declined('reads', [{ bytes: inBlocks(Buffer.from(`@b\nA\n+\nI\n${end}`), 9) }], incomplete);
    const [first, second] = ['@a\nAC\n', '+\nII\n'].map((text) => ({ bytes: inBlocks(Buffer.from(text), 9) }));
    await declined('reads', [first, second], incomplete);
  });

  it('are declined if the file is cut off', async () => {
    const text = drawnText('lines', 12);
    const bytes = inBlocks(text, 50);
    const sound = { bytes };
    const cuts: number[] = [];
    for (let at = 0, size = 0; at < bytes.length; at += size) {
      size = bytes.readUInt16LE(at + 16) + 1;
      cuts.push(...(at === 0 ? [] : [at]), at + 1, at + 10, at + 18, at + size - 1);
    }
    for (const cut of some(cuts)) {
      await declined('lines', [{ bytes: bytes.subarray(0, cut) }], /a file is cut off/);
      await declined('lines', [{ bytes: bytes.subarray(0, cut) }, sound], /a file is cut off/, { firstStretch: 60 });
    }
    // Its header is longer than the file.
    await declined('lines', [{ bytes, headerBytes: text.length + 1 }], /a file is cut off/);
  });

  it('are declined if other bytes follow the last block', async () => {
    const bytes = inBlocks(drawnText('lines', 9), 50);
    for (const more of [1, 3, 100])
      await declined('lines', [{ bytes: Buffer.concat([bytes, Buffer.alloc(more)]) }], /a file is cut off/);
    const many = Buffer.concat([bytes, Buffer.alloc(REST_BYTES)]);
    await declined('lines', [{ bytes: many }], /not as htslib writes it/);
  });

  it('are declined if a block is damaged', async () => {
    const text = drawnText('lines', 30);
    const bytes = inBlocks(text, 99);
    const second = bytes.readUInt16LE(16) + 1;
    // In its checksum, in its size, and in its data.
    for (const [at, why] of [
      [second - 8, /a block is damaged/],
      [second - 4, /a block is damaged|a record is longer/],
      [30, /a block is damaged/],
      [second + 12, /a file is cut off|htslib/],
    ] as const) {
      const changed = Buffer.from(bytes);
      changed[at] ^= 1;
      await declined('lines', [{ bytes: changed }], why);
    }
  });

  it('are declined if a record is longer than a text may be', async () => {
    const text = Buffer.concat([drawnText('lines', 9), Buffer.alloc(1000, 65), drawnText('lines', 3)]);
    const bytes = inBlocks(text, 100);
    await declined('lines', [{ bytes }], /a record is too long/, { textBytes: 1000 });
    expect((await joined('lines', [{ bytes }], { textBytes: 1400 })).equals(text)).toBe(true);
    // With the delimiter that it lacks, it is as long as a text may be, or one byte longer.
    const open = inBlocks(Buffer.alloc(1000, 65), 100);
    expect((await joined('lines', [{ bytes: open }], { textBytes: 1001 })).length).toBe(1001);
    await declined('lines', [{ bytes: open }], /a record is too long/, { textBytes: 1000 });
  });

  it('are declined if the device inflates too slowly', async () => {
    const bytes = inBlocks(drawnText('lines', 9), 50);
    await declined('lines', [{ bytes }], /it inflates .*\/s; at least .*\/s is needed/, { leastRate: Infinity });
  });
}
