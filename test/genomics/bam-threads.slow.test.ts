/**
 * BAM that is large enough for codec threads: they frame its records as they inflate them, and the sorting threads
 * restore them. The same records compressed as gzip, and output that passes a filter, take the other ways.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { bamHeaderBytes } from '../../src/records/headers.js';
import { sortOn } from '../battery/here.js';
import { freshDirectory } from '../battery/runner.js';
import { bamRecord, drawRecord } from '../records/bam-reference.js';
import { bgzf, unBgzf } from '../support/genomics-bam.js';
import { randomBelow } from '../support/random.js';

const sort = sortOn('cpu');
const COUNT = 5000;

function bam(): Buffer {
  const below = randomBelow(77);
  const records = Array.from({ length: COUNT }, () => {
    const record = drawRecord(below, 3);
    record.writeInt32LE(below(100_000), 8);
    return record;
  });
  records.splice(500, 0, bamRecord({ reference: 2, body: Buffer.alloc(1_500_000, 'longer than a chunk\n') }));
  const text = Buffer.from('@HD\tVN:1.6\n@SQ\tSN:a\tLN:200000\n@SQ\tSN:b\tLN:200000\n@SQ\tSN:c\tLN:200000\n');
  const references = ['a', 'b', 'c'].map((name) => ({ name: Buffer.from(name), length: 200_000 }));
  return Buffer.concat([bamHeaderBytes(text, references), ...records]);
}

describe('BAM in threads', () => {
  const cwd = freshDirectory('bam-threads');
  mkdirSync(cwd, { recursive: true });
  const records = bam();
  writeFileSync(join(cwd, 'blocks.bam'), bgzf(records));
  writeFileSync(join(cwd, 'short-blocks.bam'), bgzf(records, 1, 999));
  writeFileSync(join(cwd, 'one.bam.gz'), gzipSync(records, { level: 1 }));

  it.each([
    ['by coordinate', ['--by', 'coordinate']],
    ['by name, with little memory', ['--by', 'queryname', '-S', '1M']],
    ['reversed, with more threads than processors', ['--by', 'flag:r', '--parallel', '5']],
  ])('is sorted %s as it is when one thread reads it and a filter restores it', async (_, order) => {
    const outputOf = async (...args: string[]): Promise<Buffer> => {
      const { status, stdout, stderr } = await sort(['--format', 'bam', '--level', '0', ...order, ...args], { cwd });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      return unBgzf(stdout);
    };
    const expected = await outputOf('one.bam.gz', '--top', String(COUNT + 1));
    expect(expected.length).toBeGreaterThan(2 << 20);
    for (const file of ['blocks.bam', 'short-blocks.bam', 'one.bam.gz']) {
      const same = expected.equals(await outputOf(file));
      expect({ file, same }).toEqual({ file, same: true });
    }
  });
});
