/**
 * Framing on the device against plain models: texts cut after their last whole record, reads whose last newline becomes
 * NUL, sequences, and what is malformed, which is declined. Compiles none of the kernels that inflate.
 */
import { beforeAll, expect, it } from 'vitest';
import { Declined } from '../../../../src/contract/engine.js';
import type { Gpu } from '../../../../src/engines/gpu/device/device.js';
import { readBack } from '../../../../src/engines/gpu/device/dispatch.js';
import { DevicePool, Scratch } from '../../../../src/engines/gpu/device/pool.js';
import { type DeviceFraming, endOfRecord, frameText, loadFraming } from '../../../../src/engines/gpu/records/frame.js';
import { describeGpu } from '../../../setup/gpu.js';
import { randomBelow } from '../../../support/random.js';
import { uploadText, useGpu } from '../helpers.js';

const LINES: DeviceFraming = { format: { kind: 'lines', delimiter: 10 }, source: null };
const NULS: DeviceFraming = { format: { kind: 'lines', delimiter: 0 }, source: null };
const FIXED: DeviceFraming = { format: { kind: 'fixed', size: 7 }, source: null };
const SEQUENCES: DeviceFraming = { format: { kind: 'lines', delimiter: 0 }, source: 'fasta' };
const GENES: DeviceFraming = { format: { kind: 'lines', delimiter: 10 }, source: 'gff' };
const READS: DeviceFraming = { format: { kind: 'lines', delimiter: 0 }, source: 'fastq' };
/** Bytes of a tile of the tokenizer. */
const TILE = 16384;

const useTestGpu = useGpu();

describeGpu('framing on the device', () => {
  let gpu: Gpu;
  let pool: DevicePool;
  const below = randomBelow(7);
  beforeAll(async () => {
    gpu = useTestGpu();
    pool = new DevicePool(gpu);
    await Promise.all([LINES, NULS, FIXED, READS, SEQUENCES, GENES].map((framing) => loadFraming(gpu, framing)));
  });

  /** The framed records. The bytes beyond the text must neither count nor change. */
  async function framed(text: Uint8Array, framing: DeviceFraming, isLast = false): Promise<Buffer> {
    const scratch = new Scratch(pool);
    const padding = Buffer.alloc(16, 10);
    const buffer = uploadText(gpu, Buffer.concat([text, padding]));
    try {
      const bytes = await frameText(scratch, { text: buffer, bytes: text.length, isLast }, framing);
      const after = Buffer.from(await readBack(gpu, buffer, 0, Math.ceil((text.length + 16) / 4) * 4));
      expect(after.subarray(bytes, text.length).equals(text.subarray(bytes))).toBe(true);
      expect(after.subarray(text.length, text.length + 16).equals(padding)).toBe(true);
      return after.subarray(0, bytes);
    } finally {
      buffer.destroy();
      scratch.end();
    }
  }

  /** The whole reads of a text, as lines that end in NUL; null: one is malformed. */
  function readsOf(text: Buffer): Buffer | null {
    if (text.includes(0)) return null;
    const lines = text.toString('latin1').split('\n').slice(0, -1);
    const records: string[] = [];
    for (let at = 0; at + 4 <= lines.length; at += 4) {
      const [name, bases, plus, qualities] = lines.slice(at, at + 4);
      const length = (line: string): number => line.length - Number(line.endsWith('\r'));
      if (!name.startsWith('@') || !plus.startsWith('+') || length(bases) !== length(qualities)) return null;
      records.push(`${[name, bases, plus, qualities].join('\n')}\0`);
    }
    return Buffer.from(records.join(''), 'latin1');
  }

  async function checkReads(text: Buffer): Promise<void> {
    const expected = readsOf(text);
    if (expected === null) await expect(framed(text, READS)).rejects.toThrow(Declined);
    else expect((await framed(text, READS)).toString('latin1')).toBe(expected.toString('latin1'));
  }

  /** The whole sequences of a text, as lines that end in NUL; null: the host has to deal with it. */
  function sequencesOf(text: string, isLast: boolean): string | null {
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    if (whole === '') return text.includes('\0') ? null : '';
    if (!whole.startsWith('>') || text.includes('\0') || /^;/m.test(whole)) return null;
    const end = isLast ? whole.length : text.lastIndexOf('\n>') + 1;
    return whole.slice(0, end).replace(/\n(?=>|$)/g, '\0');
  }

  async function checkSequences(text: string, isLast: boolean): Promise<void> {
    const expected = sequencesOf(text, isLast);
    const given = framed(Buffer.from(text, 'latin1'), SEQUENCES, isLast);
    if (expected === null) await expect(given).rejects.toThrow(Declined);
    else expect((await given).toString('latin1')).toBe(expected);
  }

  it.each([
    ['one sequence', '>a\nAC\n'],
    ['a name alone', '>a\n'],
    ['names alone', '>a\n>b\n>\n>\n'],
    ['wrapped sequences', '>a b\nACGT\nAC\n>c\nA\nC\nG\n>d\n'],
    ['empty lines', '>a\n\n\nAC\n\n>b\n\n\n'],
    ['carriage returns', '>a\r\nAC\r\n>b\r\n\r\nC\r\n'],
    ['a mark within a line', '>a>b\nA>C\n>c\n'],
    ['a semicolon within a line', '>a;b\nA;\n>;c\nC\n'],
    ['a comment', '>a\nAC\n;b\n>c\nC\n'],
    ['a comment at the top', ';b\n>c\nC\n'],
    ['no mark at the top', 'AC\n>c\nC\n'],
    ['an empty line at the top', '\n>c\nC\n'],
    ['NUL', '>a\nAC\n>c\nC\0\n'],
    ['bytes above 127', '>\xbe\n\xbb\xff\n>\x80\n\xbe\n'],
  ])('takes or declines sequences with %s', async (_, text) => {
    const many = '>s\nACGT\nAC\n'.repeat(90);
    for (const all of [text, many + text + many]) {
      await checkSequences(all, true);
      for (const rest of ['', 'A', '>', ';']) await checkSequences(all + rest, false);
    }
  });

  it('frames sequences wherever in a word they end, and any number of lines', async () => {
    for (let shift = 0; shift < 4; shift++)
      await checkSequences(`>${'a'.repeat(shift)}\n${'>\n>\nA\n>\nAC\n>\nACG\n'.repeat(30)}>`, false);
    for (const count of [1, 255, 256, 257, 513]) {
      await checkSequences('>\n'.repeat(count), true);
      await checkSequences(`>\n${'A\n'.repeat(count)}>`, false);
    }
  });

  it.each([
    ['lines', 'a\nb\n', true],
    ['comments', '#a\n# #\n#\nb\n', true],
    ['a mark', '>a\nb\n', true],
    ['NUL', '\0a\nb\0\n', true],
    ['empty lines', '\n\n#\n\n', true],
    ['a directive', 'a\n##b\n', false],
    ['a resolving directive', '###\na\n', false],
    ['a directive alone in its line', 'a\n##\n', false],
    ['a directive that is incomplete', 'a\n##', true],
  ])('takes or declines genes with %s', async (_, text, isTaken) => {
    for (const all of [text, 'gene\n'.repeat(300) + text]) {
      const given = framed(Buffer.from(all), GENES);
      if (isTaken) expect((await given).toString()).toBe(all.slice(0, all.lastIndexOf('\n') + 1));
      else await expect(given).rejects.toThrow(Declined);
    }
  });

  it.each([
    ['newlines', LINES, 10],
    ['NULs', NULS, 0],
  ])('cuts lines that end in %s after the last one', async (_, framing, delimiter) => {
    expect(endOfRecord(framing)).toBe(delimiter);
    for (const size of [1, 2, 3, 4, 5, 63, 64, 65, TILE - 1, TILE, TILE + 1]) {
      const text = Buffer.from(Array.from({ length: size }, () => 97 + below(26)));
      // No record ends in it.
      expect((await framed(text, framing)).length).toBe(0);
      for (const at of [0, size >> 1, size - 1]) {
        text[at] = delimiter;
        const bytes = text.lastIndexOf(delimiter) + 1;
        expect((await framed(text, framing)).equals(text.subarray(0, bytes))).toBe(true);
      }
    }
  });

  it('cuts fixed records at a multiple of their size', async () => {
    expect(endOfRecord(FIXED)).toBe(null);
    for (const size of [1, 6, 7, 8, 13, 14, 15, 700])
      expect((await framed(Buffer.alloc(size, 10), FIXED)).length).toBe(size - (size % 7));
  });

  it('turns the last newline of each read into NUL', async () => {
    for (const framing of [READS, SEQUENCES, GENES]) expect(endOfRecord(framing)).toBe(10);
    const read = (bases: number, end: string): string =>
      [`@r${below(1000)} x`, 'A'.repeat(bases), '+', '@'.repeat(bases), ''].join(end);
    for (const count of [1, 2, 255, 256, 257, 600]) {
      const reads = Array.from({ length: count }, () => read(below(60), '\n')).join('');
      for (const rest of ['', '@', '@a\n', '@a\nAC\n+\n', '@a\nAC\n+\nI']) await checkReads(Buffer.from(reads + rest));
    }
    await checkReads(Buffer.from(Array.from({ length: 99 }, () => read(below(9), '\r\n')).join('')));
  });

  it('frames the shortest reads, wherever in a word they end', async () => {
    await checkReads(Buffer.from('@\n\n+\n\n'.repeat(1000)));
    for (let shift = 0; shift < 4; shift++)
      await checkReads(Buffer.from(`@${'a'.repeat(shift)}\n\n+\n\n${'@\n\n+\n\n@\nA\n+\nI\n'.repeat(20)}`));
  });

  it.each([
    ['less than a read', '@a\nA\n+\n'],
    ['carriage returns in both', '@a\r\nAC\r\n+\r\nII\r\n'],
    ['a carriage return after the sequence alone', '@a\nAC\r\n+\nII\n'],
    ['a carriage return after the qualities alone', '@a\nAC\n+\nII\r\n'],
    ['carriage returns within lines', '@a\rb\nA\rC\n+\rb\nI\rI\n'],
    ['two carriage returns at the end of a line', '@a\nAC\r\r\n+\nIII\n'],
    ['lines of a carriage return alone', '@a\r\n\r\n+\r\n\r\n'],
    ['an empty sequence, and qualities of a carriage return', '@a\n\n+\n\r\n'],
    ['no base, and a quality', '@a\n\n+\nI\n'],
    ['a carriage return that is no quality', '@a\nA\n+\n\r\n'],
    ['one quality too many', '@a\nAC\n+\nIII\n'],
    ['one quality too few', '@a\nAC\n+\nI\n'],
    ['no @', 'a\nAC\n+\nII\n'],
    ['no @ in the second', '@a\nAC\n+\nII\n>a\nAC\n+\nII\n'],
    ['no +', '@a\nAC\nII\n@a\nAC\n+\nII\n'],
    ['an empty first line', '\n@a\nAC\n+\nII\n'],
    ['an empty line for +', '@a\nAC\n\nII\n'],
    ['NUL in a name', '@a\0\nAC\n+\nII\n'],
    ['NUL in the qualities', '@a\nAC\n+\nI\0\n'],
    ['NUL after the last read', '@a\nAC\n+\nII\n\0'],
    ['bytes above 127', '@\xfe\nA\xff\n+\n\x80I\n'],
    ['@ and + at the beginnings of other lines', '@a\n+C\n+@\n@I\n@+\n@@\n+\n++\n'],
  ])('takes or declines reads with %s', async (_, text) => {
    await checkReads(Buffer.from(text, 'latin1'));
    // Also far from the beginning, and before other reads.
    const read = '@r 1\nACGT\n+\nIIII\n';
    await checkReads(Buffer.from(read.repeat(300) + text + read, 'latin1'));
  });

  it('takes or declines drawn texts', async () => {
    const parts = ['@', '+', '\n', '\n', 'A', '\r\n', '@\nA\n+\nI\n', '@\n\n+\n\n', '@b\nAC\n+\nII\r\n', '\0'];
    let accepted = 0;
    for (let draw = 0; draw < 40; draw++) {
      const kinds = draw % 3 === 0 ? parts.length : 0;
      let text = '';
      for (let left = 1 + below(12); left > 0; left--)
        text += parts[below(6) === 0 && kinds > 0 ? below(kinds) : 6 + below(3)];
      text += parts[below(9)];
      accepted += Number(readsOf(Buffer.from(text)) !== null);
      await checkReads(Buffer.from(text));
    }
    expect(accepted).toBeGreaterThan(8);
    expect(accepted).toBeLessThan(38);
  });
});
