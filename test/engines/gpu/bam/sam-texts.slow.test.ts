/** Records of BAM that the device makes of lines of SAM, against the converter of the host. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Declined } from '../../../../src/contract/engine.js';
import { loadSamTexts, SamTexts } from '../../../../src/engines/gpu/bam/sam-texts.js';
import { FramedTexts } from '../../../../src/engines/gpu/bam/texts.js';
import { readBack, send } from '../../../../src/engines/gpu/device/dispatch.js';
import { DevicePool, Scratch } from '../../../../src/engines/gpu/device/pool.js';
import { textBufferBytes } from '../../../../src/engines/gpu/records/records.js';
import { AlignmentConverter, mostConverted } from '../../../../src/records/convert.js';
import { finish } from '../../../../src/system/resumable.js';
import { describeGpu } from '../../../setup/gpu.js';
import { longAlignment } from '../../../support/genomics-data.js';
import { CONVERT_CONTIGS, convertibleLines } from '../../../support/genomics-tags.js';
import { property } from '../../../support/property.js';
import { useGpu } from '../helpers.js';

const gpu = useGpu();
const contigs = Buffer.from(CONVERT_CONTIGS.map(([name]) => `${name}\n`).join(''));
const MOST_LINE = 1 << 20;
const SIZES = { text: 1e9, binding: 1e9, recordWords: [] };

interface MadeText {
  readonly text: Buffer;
  readonly starts: readonly number[];
  readonly sizes: readonly number[];
}

/** The texts that files become, in stretches of `stretch` bytes. */
async function textsOf(files: readonly Buffer[], stretch = 1 << 20, line = MOST_LINE): Promise<MadeText[]> {
  const pool = new DevicePool(gpu());
  const scratch = new Scratch(pool);
  try {
    await loadSamTexts(gpu());
    const input = { contigs, bytes: null, rows: null, references: CONVERT_CONTIGS.length, level: 1, leastRate: 0 };
    const kept = { keptBytes: () => 0 };
    const texts = new FramedTexts(pool, scratch, { ...input, ...kept }, { ...SIZES, stretch, line });
    const maker = new SamTexts(scratch, contigs, line, texts);
    for (const file of files) {
      maker.beginFile();
      for (let at = 0; at < file.length; at += stretch) {
        const part = file.subarray(at, at + stretch);
        const buffer = await scratch.take(textBufferBytes(line + part.length), 'stretch');
        // What an earlier use has left there.
        send(gpu(), buffer, 0, Buffer.alloc(textBufferBytes(line + part.length), '\n'));
        send(gpu(), buffer, line, Buffer.concat([part, Buffer.alloc(-part.length & 3, '\n')]));
        await maker.add(buffer, part.length);
        scratch.drop(buffer);
      }
      await maker.endFile();
    }
    const words = async (buffer: GPUBuffer, count: number): Promise<number[]> => [
      ...new Uint32Array((await readBack(gpu(), buffer, 0, 4 * count)).buffer),
    ];
    const made: MadeText[] = [];
    for (const { text, textBytes, starts, sizes, count } of texts.texts)
      made.push({
        text: Buffer.from(await readBack(gpu(), text, 0, textBytes)),
        starts: await words(starts, count),
        sizes: await words(sizes, count),
      });
    return made;
  } finally {
    scratch.end();
    pool.destroyIdle();
  }
}

const lines = (all: readonly string[], end = '\n'): Buffer =>
  Buffer.from(all.map((line) => line + end).join(''), 'latin1');

const onDevice = async (file: Buffer): Promise<Buffer> =>
  Buffer.concat((await textsOf([file])).map(({ text }) => text));

/** The records of the host; null: it finds a problem. */
function onHost(file: Buffer): Buffer | null {
  const target = new Uint8Array(mostConverted(file.length));
  const { bytes, unconverted } = finish(new AlignmentConverter('bam', contigs).steps(file, target));
  return unconverted === null ? Buffer.from(target.subarray(0, bytes)) : null;
}

/** Numbers that only the host reads: exponents, letters, more than nine digits or decimals; and tags of type d. */
const isReadable = (line: string): boolean =>
  !/:d:/.test(line) &&
  [...line.matchAll(/\t..:(?:f:|B:f,)([^\t]*)/g)].every(([, numbers]) =>
    numbers.split(',').every((number) => {
      const [, whole, decimals] = /^[-+]?([0-9]*)\.?([0-9]*)$/.exec(number) ?? [];
      return whole !== undefined && decimals.length <= 9 && (whole + decimals).replace(/^0*/, '').length <= 9;
    }),
  );

const aligned = (tags: string): string => `r\t0\tchr1\t5\t9\t2M\t=\t7\t0\tAC\tII\t${tags}`;
const columns = (...changes: readonly (readonly [number, string])[]): string => {
  const all = aligned('').split('\t').slice(0, -1);
  for (const [column, text] of changes) all[column - 1] = text;
  return all.join('\t');
};

/** Lines that both convert. */
const CONVERTED: readonly (readonly [string, readonly string[]])[] = [
  ['flags', ['0', '-0', '+010', '65535', '4'].map((flag) => columns([2, flag]))],
  ['contigs', CONVERT_CONTIGS.flatMap(([name]) => [columns([3, name]), columns([7, name])])],
  ['no contigs', [columns([3, '*']), columns([3, '*'], [4, '0']), columns([7, '*']), columns([8, '0'])]],
  ['positions', ['1', '0000000000000000000016384', '536870912', '2147483647'].map((at) => columns([4, at], [8, at]))],
  ['a mate beyond keys', [columns([8, '2147483647'])]],
  ['qualities of mapping', ['0', '255', '+7'].map((quality) => columns([5, quality]))],
  ['all operations', [columns([6, '1M2D3N4H5P1=6B']), columns([6, '1I1S0X']), columns([6, '+2M']), columns([6, '*'])]],
  [
    'long operations',
    ['2M', '2I'].map((bases) => columns([6, `${bases}268435455N`.repeat(1) + '268435455D'.repeat(30)])),
  ],
  [
    'bins of all levels',
    Array.from({ length: 30 }, (_, i) =>
      [1, 2].map((at) => columns([4, String(2 ** i - at + 1)], [6, `1M${2 ** (i >> 1)}N1M`])),
    )
      .flat()
      .filter((line) => !line.includes('\t0\t9')),
  ],
  ['template lengths', ['0', '-2147483648', '2147483647', '-1', '+5'].map((length) => columns([9, length]))],
  [
    'all bytes as bases',
    [
      columns(
        [6, '*'],
        [10, String.fromCharCode(...Array.from({ length: 246 }, (_, i) => i + 10).filter((i) => i !== 10 && i !== 9))],
        [11, '*'],
      ),
    ],
  ],
  ['no bases', [columns([6, '*'], [10, '*'], [11, '*']), columns([10, ''], [11, '*']), columns([10, '*'], [11, '*'])]],
  ['one base', [columns([6, '1M'], [10, 'A'], [11, '*']), columns([6, '1M'], [10, 'A'], [11, '+'])]],
  [
    'all qualities',
    [
      columns(
        [6, '*'],
        [10, 'A'.repeat(128)],
        [11, String.fromCharCode(...Array.from({ length: 128 }, (_, i) => 33 + i))],
      ),
    ],
  ],
  ['names', [columns([1, 'n'.repeat(254)]), columns([1, '']), columns([1, '\xff\x01 x'])]],
  ['letters', ['XA:A:x', 'XA:a:x', 'XA:c:-', 'XA:C:\xff'].map(aligned)],
  ['texts', ['XA:Z:', 'XA:Z:a b', 'XA:H:', 'XA:H:12', 'XA:Z:x\t', `XA:Z:${'long '.repeat(500)}`].map(aligned)],
  [
    'integers',
    [0, 127, 128, 255, 256, 32767, 32768, 65535, 65536, 2147483647, 2147483648, 4294967295]
      .flatMap((size) => [`${size}`, `-${size}`, `+${size}`, `000000000000000000000${size}`])
      .filter((text) => Number(text) >= -2147483648)
      .flatMap((text) => [aligned(`XA:i:${text}`), aligned(`XA:I:${text}\tXB:Z:x`)]),
  ],
  ['integers one below', ['-129', '-32769', '-2147483648'].map((value) => aligned(`XA:i:${value}`))],
  [
    'arrays',
    [...'cCsSiI'].flatMap((type) =>
      [
        '',
        ',0',
        ',-1',
        ',127,-128',
        ',128',
        ',254',
        ',255',
        ',256',
        ',-129',
        ',32767,-32768',
        ',32768',
        ',65535',
        ',65536',
      ]
        .concat([',-32769', ',2147483647', ',4294967295,0', ',-2147483648,2147483647', ',+5,-0'])
        .map((values) => aligned(`XA:B:${type}${values}\tXB:A:x`)),
    ),
  ],
  [
    'real numbers',
    [
      '0',
      '-0',
      '0.0',
      '-.0',
      '1',
      '5.',
      '.5',
      '+3',
      '0.0012',
      '16777217',
      '33554435',
      '999999999',
      '0.999999999',
      '123456.789',
    ]
      .concat(['0.000000001', '1.5', '-1.5', '0.1', '0.3', '67108866', '67108870', '0.333333333', '000000000012.5'])
      .map((number) => aligned(`de:f:${number}`)),
  ],
  [
    'arrays of real numbers',
    ['', ',1', ',0.1,-0.25,3', `${',0.125'.repeat(99)}`].map((list) => aligned(`XA:B:f${list}`)),
  ],
  ['tags CG that hold no CIGAR', [aligned('CG:Z:x'), aligned('CG:i:1')]],
];

const MALFORMED = 'a line is malformed';

describeGpu('SAM on the device', () => {
  it.each(CONVERTED)('converts %s', async (_, all) => {
    const file = lines(all);
    const expected = onHost(file);
    expect(expected).not.toBe(null);
    expect((await onDevice(file)).equals(expected!)).toBe(true);
  });

  it.each([1, 2, 3])('converts random lines, seed %i', async (seed) => {
    const file = lines(
      convertibleLines(seed, 1200).filter(
        (line) => isReadable(line) && !/^[^\t]*\t\d+\t[^*\t]+\t(0|2147483648)\t/.test(line),
      ),
    );
    expect((await onDevice(file)).equals(onHost(file)!)).toBe(true);
  });

  property(
    'rounds as the host does',
    [fc.array(fc.tuple(fc.integer({ min: 0, max: 999_999_999 }), fc.integer({ min: 0, max: 9 })), { minLength: 200 })],
    async (numbers) => {
      const file = lines(
        numbers.map(([size, decimals]) => {
          const digits = String(size).padStart(decimals + 1, '0');
          const at = digits.length - decimals;
          return aligned(`XA:f:${digits.slice(0, at)}.${digits.slice(at)}`);
        }),
      );
      expect((await onDevice(file)).equals(onHost(file)!)).toBe(true);
    },
    { runs: 10, seed: 3 },
  );

  it('rounds numbers midway between two to even', async () => {
    const file = lines(
      Array.from({ length: 300 }, (_, i) =>
        aligned(`XA:f:${16777216 + i}\tXB:f:${(8388608 + i) / 2}\tXC:f:${2 ** 29 + 32 * i}`),
      ),
    );
    expect((await onDevice(file)).equals(onHost(file)!)).toBe(true);
  });

  const LINE = aligned('NM:i:0');

  it.each([
    ['an empty line', ''],
    ['one field', 'r'],
    ...Array.from({ length: 10 }, (_, i) => [
      `${i + 1} columns`,
      LINE.split('\t')
        .slice(0, i + 1)
        .join('\t'),
    ]),
    ['a tab after the tenth column', `${LINE.split('\t').slice(0, 10).join('\t')}\t`],
    ['a long name', columns([1, 'n'.repeat(255)])],
    ...['', 'x', '-1', '65536', '010', '0x10', '4 ', '99999999999'].map((flag) => [
      `the flag ${flag}`,
      columns([2, flag]),
    ]),
    ...['', 'other', '=', 'chr', 'chr11'].map((name) => [`the contig ${name}`, columns([3, name])]),
    ...['', '-1', '2147483649', '4294967297', '1x'].map((at) => [`the position ${at}`, columns([4, at])]),
    ...['256', '-1', ''].map((quality) => [`the quality ${quality}`, columns([5, quality])]),
    ...['', '2', 'M', '2Q', '-2M', '3M', '1M', '268435456N2M', '2M*', '4294967298M', '2m'].map((cigar) => [
      `the CIGAR ${cigar}`,
      columns([6, cigar]),
    ]),
    ...['', 'other'].map((name) => [`the mate's contig ${name}`, columns([7, name])]),
    ...['-1', '2147483649', 'x'].map((at) => [`the mate's position ${at}`, columns([8, at])]),
    ...['2147483648', '-2147483649', '-'].map((length) => [`the length ${length}`, columns([9, length])]),
    ...['', 'I', 'III', 'I ', 'I\x7f\xff'].map((qualities) => [`the qualities ${qualities}`, columns([11, qualities])]),
    ['a quality of 128', columns([11, 'I\xa1'])],
    ['qualities without bases', columns([6, '*'], [10, '*'], [11, 'I'])],
    ...['XA', 'XA:', 'XA:i', 'XA:i:', 'XA:i:x', 'XA:i:1x', 'XA:i:4294967296', 'XA:i:-2147483649', 'XA:Q:1', 'X:i:1']
      .concat([
        'XA;i:1',
        'XA:i;1',
        ' A:i:1',
        'X :i:1',
        'XA:A:',
        'XA:A:xy',
        'XA:H:1',
        'XA:B:',
        'XA:B:x,1',
        'XA:B:c1',
        'XA:B:c,',
      ])
      .concat([
        'XA:B:c,x',
        'XA:B:c,1,',
        'XA:B:c,4294967296',
        'XA:B:I,-2147483649',
        'XA:B:i,-1,2147483648',
        'XA:B:c,1;2',
      ])
      .map((tag) => [`the tag ${tag}`, aligned(`NM:i:0\t${tag}`)]),
  ])('declines %s as malformed, as the host does', async (_, line) => {
    expect(onHost(lines([line]))).toBe(null);
    const refusal = onDevice(lines([LINE, line, LINE]));
    await expect(refusal).rejects.toThrow(Declined);
    await expect(refusal).rejects.toThrow(MALFORMED);
  });

  it.each([
    ['a contig without a position', columns([4, '0']), 'a record has a reference, but no position'],
    ['a position beyond keys', columns([4, '2147483648']), MALFORMED],
    ['a mate beyond 2^31', columns([8, '2147483648']), MALFORMED],
    ...['1e5', 'inf', 'nan', '1.0000000001', '1234567890', '0.1234567891'].map((number) => [
      `the number ${number}`,
      aligned(`XA:f:${number}`),
      'the GPU cannot read a number of a tag',
    ]),
    ['an exponent in an array', aligned('XA:B:f,1,1e5'), 'the GPU cannot read a number of a tag'],
    ['a tag of type d', aligned('XA:d:1'), 'the GPU cannot read a number of a tag'],
    ['a CIGAR in the tag CG', `r\t0\tchr1\t5\t9\t2S4N\t=\t7\t0\tAC\tII\tCG:B:I,16,18,16`, 'a CIGAR is too long'],
    ['65,536 operations', longAlignment(65536), 'a CIGAR is too long for its field'],
    ['NUL in a text', aligned('XA:Z:a\0b'), 'the text of a tag contains NUL'],
  ])('declines %s, which the host converts', async (_, line, why) => {
    expect(onHost(lines([line]))).not.toBe(null);
    await expect(onDevice(lines([LINE, line]))).rejects.toThrow(why);
  });

  it('converts 65,535 operations', async () => {
    const file = lines([LINE, longAlignment(65535), LINE]);
    expect((await onDevice(file)).equals(onHost(file)!)).toBe(true);
  });

  describe('in stretches', () => {
    const some = convertibleLines(7, 400).filter(
      (line) => isReadable(line) && line.length < 900 && !/^[^\t]*\t\d+\t[^*\t]+\t(0|2147483648)\t/.test(line),
    );

    it.each([20, 124, 500, 4096, 20_000])('of %i bytes', async (stretch) => {
      const file = lines(stretch === 20 ? some.slice(0, 12) : some);
      const made = await textsOf([file], stretch, 1000);
      expect(Buffer.concat(made.map(({ text }) => text)).equals(onHost(file)!)).toBe(true);
      for (const { text, starts, sizes } of made) {
        const ends = [...starts.slice(1), text.length];
        expect(sizes).toEqual(starts.map((start, i) => ends[i] - start));
      }
    });

    it('of several files, some empty or without a last newline', async () => {
      const parts = [some.slice(0, 100), [], some.slice(100, 101), some.slice(101)].map((part) => lines(part));
      const files = parts.map((part, i) => (i === 1 ? part : part.subarray(0, -1)));
      const made = await textsOf(files, 1024, 1000);
      expect(Buffer.concat(made.map(({ text }) => text)).equals(onHost(lines(some))!)).toBe(true);
    });

    it('whose newlines follow carriage returns', async () => {
      const file = lines(some, '\r\n');
      const made = await textsOf([file.subarray(0, -1)], 512, 1000);
      expect(Buffer.concat(made.map(({ text }) => text)).equals(onHost(file)!)).toBe(true);
    });

    it('declines a line longer than a thread should convert', async () => {
      const long = (bytes: number): Buffer =>
        lines([LINE, aligned(`XA:Z:${'x'.repeat(bytes - aligned('XA:Z:').length)}`)]);
      expect(await textsOf([long(1000)], 100, 1000)).toHaveLength(2);
      await expect(textsOf([long(1104)], 100, 1000)).rejects.toThrow('a line is too long');
    });
  });
});
