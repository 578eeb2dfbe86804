/**
 * Compressed inputs give the same text as with gzip and bgzip, in pieces of any size and with any number of threads.
 * Damaged or truncated inputs are refused.
 */
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BLOCK_TEXT, END_BLOCK, writeBlock } from '../../src/codecs/bgzf.js';
import { zstd } from '../../src/codecs/zstd.js';
import { decompressing } from '../../src/input/decompress.js';
import { checkedFrames } from '../../src/input/inflate-streams.js';
import { GpusortError } from '../../src/system/errors.js';
import { randomBytes } from '../support/codecs.js';
import { property } from '../support/property.js';
import { randomBelow } from '../support/random.js';
import { readAll, readerOf } from '../support/streams.js';

const TEXT = randomBytes(1, 5_000_000, 4);
const SOME = TEXT.subarray(0, 1_500_000);

function bgzf(text: Uint8Array, level = 1, blockText = BLOCK_TEXT): Buffer {
  const blocks: Buffer[] = [];
  const target = Buffer.alloc(1 << 16);
  for (let at = 0; at < text.length; at += blockText)
    blocks.push(Buffer.from(target.subarray(0, writeBlock(text.subarray(at, at + blockText), level, target, 0))));
  return Buffer.concat([...blocks, END_BLOCK]);
}

function textOf(bytes: Uint8Array, threads = 0, most?: number): Promise<Buffer> {
  return readAll(decompressing(readerOf(bytes, most), { label: 'in.gz', threads }));
}

/** The message of the error with which reading must end. */
async function refusal(bytes: Uint8Array, threads = 0): Promise<string> {
  try {
    await textOf(bytes, threads);
  } catch (error) {
    expect(error).toBeInstanceOf(GpusortError);
    expect((error as GpusortError).code).toBe('bad-records');
    expect((error as GpusortError).message).toContain('in.gz');
    return (error as GpusortError).message;
  }
  throw new Error('it was read');
}

async function isText(bytes: Uint8Array, text: Uint8Array, threads?: number, most?: number): Promise<void> {
  // toEqual compares long buffers slowly.
  expect(Buffer.compare(await textOf(bytes, threads, most), text)).toBe(0);
}

describe('text that is not compressed', () => {
  it('passes text that is not compressed through unchanged', async () => {
    for (const text of [Buffer.alloc(0), Buffer.from('a\n'), Buffer.from([0x1f, 0x8b, 10]), TEXT.subarray(0, 100_000)])
      for (const most of [1, 7, 1 << 16]) if (text.length < 1000 || most > 7) await isText(text, text, 0, most);
  });

  it('closes the reader of plain and compressed input once', async () => {
    for (const bytes of [Buffer.from('text'), gzipSync('text'), bgzf(Buffer.from('text'))]) {
      const reader = readerOf(bytes);
      await readAll(decompressing(reader, { label: 'in', threads: 0 }));
      expect(reader.closes).toBe(1);
    }
    const unread = readerOf(TEXT);
    decompressing(unread, { label: 'in', threads: 2 }).close();
    expect(unread.closes).toBe(1);
  });
});

describe('BGZF', () => {
  it('inflates BGZF in order with any number of threads', async () => {
    const file = bgzf(TEXT);
    for (const threads of [0, 1, 3]) await isText(file, TEXT, threads);
    await isText(bgzf(TEXT, 0), TEXT, 2);
  });

  it('reads BGZF in pieces of any size', async () => {
    const text = TEXT.subarray(0, 20_000);
    for (const most of [1, 17, 4096]) await isText(bgzf(text, 6, 1000), text, 0, most);
  });

  it('reads BGZF with empty blocks anywhere and with several files in one', async () => {
    const text = TEXT.subarray(0, 300_000);
    await isText(Buffer.concat([END_BLOCK, bgzf(text), bgzf(text), END_BLOCK]), Buffer.concat([text, text]), 2);
    await isText(Buffer.from(END_BLOCK), Buffer.alloc(0));
    const many = Buffer.concat(Array.from({ length: 50_000 }, () => END_BLOCK));
    await isText(Buffer.concat([many, bgzf(text)]), text, 1);
  });

  it('refuses BGZF wherever it is cut off', async () => {
    const file = bgzf(TEXT.subarray(0, 300), 6, 100);
    for (let to = 18; to < file.length; to++) expect(await refusal(file.subarray(0, to))).toContain(' is cut off');
    expect(await refusal(file.subarray(0, -28))).toBe('in.gz is cut off: the end block of BGZF is missing');
    const large = bgzf(TEXT);
    for (const cut of [28, 29, 1_000_000]) expect(await refusal(large.subarray(0, -cut), 2)).toContain(' is cut off');
  });

  it('refuses BGZF if something else follows', async () => {
    const file = bgzf(TEXT.subarray(0, 300));
    const at = file.length + 1;
    expect(await refusal(Buffer.concat([file, gzipSync('x')]))).toBe(
      `in.gz: other data follows the last BGZF block: bytes that begin like gzip, from byte ${at} on`,
    );
    const damaged = Buffer.concat([file.subarray(0, -END_BLOCK.length), Buffer.from('x'), END_BLOCK]);
    expect(await refusal(damaged)).toBe(`in.gz: the BGZF block at byte ${at - 28} is not a BGZF block`);
    // A block that says that it has too much text.
    const long = Buffer.from(END_BLOCK);
    long.writeUInt32LE(70_000, long.length - 4);
    expect(await refusal(Buffer.concat([file, long]))).toMatch(`in.gz: the BGZF block at byte ${at} has 70000 bytes`);
  });

  it('reads BGZF with zeros at the end, but with nothing else there', async () => {
    const file = bgzf(TEXT.subarray(0, 3000));
    for (const zeros of [1, 2, 30, 1000, 3 << 20]) {
      const padded = Buffer.concat([file, Buffer.alloc(zeros)]);
      for (const [threads, most] of [[0], [2, 1_000_003], [0, 7]])
        if (most !== 7 || zeros < 2000) await isText(padded, TEXT.subarray(0, 3000), threads, most);
      const place = padded.length;
      expect(await refusal(Buffer.concat([padded, Buffer.from('x')]), 2)).toBe(
        `in.gz: other data follows the last BGZF block: text from byte ${place + 1} on`,
      );
    }
    const [cut, twice] = [file.subarray(0, -END_BLOCK.length), Buffer.concat([file, file])];
    expect(await refusal(Buffer.concat([cut, Buffer.alloc(100)]))).toMatch(/is not a BGZF block$/);
    await isText(
      Buffer.concat([twice, Buffer.alloc(9)]),
      Buffer.concat([TEXT.subarray(0, 3000), TEXT.subarray(0, 3000)]),
    );
  });

  it('names the damaged block of BGZF', async () => {
    const file = bgzf(TEXT, 1);
    const [first, later] = [file.readUInt16LE(16) + 1, Buffer.from(file)];
    later[first + 30]! ^= 0xff;
    expect(await refusal(later, 2)).toMatch(new RegExp(`^in.gz: the BGZF block at byte ${first + 1} (has|cannot)`));
  });
});

describe('gzip', () => {
  const FILES: readonly (readonly [string, Buffer, Buffer])[] = [
    ['one member', gzipSync(SOME), SOME],
    ['an empty member', gzipSync(''), Buffer.alloc(0)],
    ['several members', Buffer.concat(['a', '', 'bc'].map((text) => gzipSync(text))), Buffer.from('abc')],
    ['zeros at the end', Buffer.concat([gzipSync('a'), Buffer.alloc(1000)]), Buffer.from('a')],
    ['stored text', gzipSync(SOME, { level: 0 }), SOME],
    ['a name, a comment, an extra field and a checksum of the header', withAllFields('text'), Buffer.from('text')],
  ];

  it.each(FILES)('reads gzip with %s', async (_, file, text) => {
    await isText(file, text);
    await isText(file, text, 2, 1_000_003);
    if (file.length < 2000) await isText(file, text, 0, 1);
  });

  const two = Buffer.concat([gzipSync(TEXT.subarray(0, 500)), gzipSync(TEXT.subarray(500, 900))]);
  property(
    'reads gzip in pieces of any size',
    [fc.integer({ min: 1, max: two.length })],
    (most) => isText(two, TEXT.subarray(0, 900), 0, most),
    { runs: 200 },
  );

  it('refuses gzip wherever it is cut off', async () => {
    const [first, second] = [gzipSync(TEXT.subarray(0, 300)), gzipSync('second')];
    const file = Buffer.concat([first, second]);
    for (let to = 4; to < file.length; to++)
      if (to !== first.length) {
        const begin = to < first.length ? 1 : first.length + 1;
        expect(await refusal(file.subarray(0, to))).toBe(
          `in.gz is cut off after byte ${to}, within the gzip member that begins at byte ${begin}`,
        );
      }
  });

  const file = gzipSync('a');
  const after = (bytes: string): Buffer => Buffer.concat([file, Buffer.from(bytes, 'latin1')]);
  const place = file.length + 1;
  const FOLLOWING: readonly (readonly [string, string])[] = [
    ['x', `other data follows the last gzip member: 1 byte of text from byte ${place} on`],
    ['garbage\n', `other data follows the last gzip member: 8 bytes of text from byte ${place} on`],
    ['\0\0x\n', `other data follows the last gzip member: 2 bytes of text from byte ${place + 2} on`],
    [
      '\x1f\x8b\x09',
      `other data follows the last gzip member: 3 bytes that begin with 1f 8b 09, from byte ${place} on`,
    ],
    ['\xff', `other data follows the last gzip member: 1 byte that begins with ff, from byte ${place} on`],
    [
      '\x28\xb5\x2f\xfd',
      `other data follows the last gzip member: 4 bytes that begin like zstd, from byte ${place} on`,
    ],
    ['\x1f\x8b\x08\xe0', `the gzip member at byte ${place} is damaged: its header is invalid`],
  ];
  it.each(FOLLOWING)('says what follows gzip: %j', async (bytes, message) => {
    const input = after(bytes);
    const read = (threads: number, most?: number): Promise<Buffer> =>
      readAll(decompressing(readerOf(input, most), { label: 'in.gz', threads, bytes: input.length }));
    for (const [threads, most] of [[0], [0, 1], [3]])
      await expect(read(threads, most)).rejects.toMatchObject({ message: `in.gz: ${message}`, code: 'bad-records' });
  });

  it('shows how to sort what comes before other data', async () => {
    const hints = (label: string): Promise<string> =>
      readAll(decompressing(readerOf(after('\0x')), { label, threads: 0 })).catch(({ hint }) => hint);
    const copy = 'Copy the file again, or sort what comes before';
    expect(await hints('in.gz')).toBe(`${copy}: head -c ${place} in.gz | gpusort ...`);
    expect(await hints('-')).toBe(`${copy}: ... | head -c ${place} | gpusort ...`);
    await isText(after('\0x').subarray(0, place), Buffer.from('a'));
  });

  it('takes a part of a header after a member for a member that is cut off', async () => {
    for (const header of ['\x1f', '\x1f\x8b', '\x1f\x8b\x08'])
      expect(await refusal(after(header))).toContain(`within the gzip member that begins at byte ${place}`);
  });
});

/** Compressed files, and their texts. */
const SMALL = TEXT.subarray(0, 900);
const CHANGED: readonly (readonly [string, Buffer, Buffer])[] = [
  ['BGZF', bgzf(TEXT.subarray(0, 3000), 6, 700), TEXT.subarray(0, 3000)],
  ['gzip', Buffer.concat([gzipSync(SMALL), gzipSync('more')]), Buffer.concat([SMALL, Buffer.from('more')])],
];
for (const [name, file, text] of CHANGED) {
  property(
    `returns the text of ${name} or an error if any bytes are changed`,
    [fc.array(fc.tuple(fc.nat(file.length - 1), fc.nat(255)), { minLength: 1, maxLength: 3 })],
    async (changes) => {
      const copy = Buffer.from(file);
      for (const [at, byte] of changes) copy[at] = byte;
      const read = await textOf(copy).catch((error: unknown) => {
        if (!(error instanceof GpusortError)) throw error;
        return null;
      });
      // A first byte that is not of gzip makes it plain.
      if (read !== null && copy.readUIntBE(0, 3) === 0x1f8b08) expect(read.equals(text)).toBe(true);
    },
    { runs: 1200 },
  );

  it(`refuses most changes of one byte of ${name}`, async () => {
    const below = randomBelow(11);
    let refused = 0;
    for (let round = 0; round < 100; round++) {
      const copy = Buffer.from(file);
      copy[below(copy.length)] ^= 1 + below(255);
      refused += await textOf(copy).then(
        () => 0,
        () => 1,
      );
    }
    expect(refused).toBeGreaterThan(50);
  });
}

/** A member whose header has every field. */
function withAllFields(text: string): Buffer {
  const plain = gzipSync(text);
  const header = Buffer.concat([
    Buffer.from([0x1f, 0x8b, 8, 4 + 8 + 16 + 2, 0, 0, 0, 0, 0, 3]),
    Buffer.from([6, 0, 0x58, 0x58, 2, 0, 1, 2]),
    Buffer.from('name\0comment\0'),
    Buffer.from([0, 0]),
  ]);
  return Buffer.concat([header, plain.subarray(10)]);
}

describe('other compression', () => {
  it('refuses CRAM and shows the pipeline to use', async () => {
    await expect(textOf(Buffer.from('4352414d0300', 'hex'))).rejects.toMatchObject({
      message: 'in.gz: gpusort does not read CRAM',
      hint: 'Convert it: samtools view -h in.gz | gpusort --format sam',
    });
  });

  it.runIf(zstd() !== null)('reads zstd if Node has it', async () => {
    const codec = zstd()!;
    const frames = [TEXT.subarray(0, 500_000), Buffer.alloc(0), TEXT].map((text) => codec.compress(text, 1));
    const text = Buffer.concat([TEXT.subarray(0, 500_000), TEXT]);
    const skippable = Buffer.from('502a4d1803000000aabbcc', 'hex');
    await isText(Buffer.concat([skippable, ...frames, skippable]), text);
    const small = Buffer.concat([
      codec.compress(Buffer.from('ab'), 1),
      skippable,
      codec.compress(Buffer.from('cd'), 1),
    ]);
    for (let most = 1; most < small.length; most++) await isText(small, Buffer.from('abcd'), 0, most);
    const first = codec.compress(Buffer.from('ab'), 1).length;
    for (let to = 4; to < small.length; to++)
      if (to !== first && to !== first + skippable.length) await refusal(small.subarray(0, to));
    const damaged = Buffer.from(frames[0]!);
    damaged[1000]! ^= 0xff;
    await refusal(damaged);
  });
});

/** Frames of stored blocks, which need no compressor. */
const frame = (text: string): Buffer =>
  Buffer.concat([
    Buffer.from('28b52ffd20', 'hex'),
    Buffer.from([text.length, 1 + 8 * text.length, 0, 0]),
    Buffer.from(text),
  ]);

describe('frames of zstd that a program reads', () => {
  const skippable = Buffer.from('502a4d1803000000aabbcc', 'hex');
  const frames = Buffer.concat([frame('ab'), skippable, frame('cd')]);
  const read = (bytes: Buffer, most: number): Promise<Buffer> =>
    readAll(checkedFrames(readerOf(bytes, most), { label: 'in.zst', bytes: bytes.length }));

  it('pass, in pieces of any size, and so does damage within a frame', async () => {
    const damaged = Buffer.concat([frames, Buffer.from('28b52ffd2001', 'hex'), Buffer.from([7, 0, 0])]);
    for (const bytes of [frames, frames.subarray(0, -1), damaged])
      for (let most = 1; most <= bytes.length; most++) expect((await read(bytes, most)).equals(bytes)).toBe(true);
  });

  it.each([
    ['text', `: other data follows the last zstd frame: 4 bytes of text from byte ${frames.length + 1} on`],
    ['ab', `: other data follows the last zstd frame: 2 bytes of text from byte ${frames.length + 1} on`],
    [
      '\0\0\0\0',
      `: other data follows the last zstd frame: 4 bytes that begin with 00 00 00 00, from byte ${frames.length + 1} on`,
    ],
    [
      '\x28\xb5',
      ` is cut off after byte ${frames.length + 2}, within the zstd frame that begins at byte ${frames.length + 1}`,
    ],
  ])('are followed by nothing else: %j', async (other, message) => {
    const bytes = Buffer.concat([frames, Buffer.from(other, 'latin1')]);
    for (const most of [1, 3, bytes.length])
      await expect(read(bytes, most)).rejects.toMatchObject({ message: `in.zst${message}` });
    const codec = zstd();
    if (codec !== null)
      expect(await refusal(bytes)).toBe(
        `in.gz${message}`.replace(/: \d bytes of text/, ': text').replace(/: \d bytes/, ': bytes'),
      );
  });
});
