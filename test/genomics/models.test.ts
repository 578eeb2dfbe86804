/**
 * The models of the orders (test/support/genomics-models.ts) against GNU sort and plain arithmetic. tools.slow.test.ts
 * compares them with the tools of each format. And the genomics files of fixtures/ against fixtures/README.md.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { expectSameBytes } from '../battery/runner.js';
import { encodeBam, unBgzf } from '../support/genomics-bam.js';
import { fastq, genes, reads } from '../support/genomics-data.js';
import { gffOrder, natural, ordered, READ_ORDERS } from '../support/genomics-models.js';
import { oracle } from './oracles.js';

const same = (actual: string, expected: string): void =>
  expectSameBytes(Buffer.from(actual, 'latin1'), Buffer.from(expected, 'latin1'));

describe('the models', () => {
  it('agrees with GNU sort on the model of reads by sequence', () => {
    // A blank for each tab, because a name must not end the first field.
    const decorated = reads(2, 500).map((read) => ({ ...read, header: read.header.replaceAll('\t', ' ') }));
    const sorted = oracle("paste - - - - < in | sort -t '\t' -k2,2 -s | tr '\\t' '\\n'", { in: fastq(decorated) });
    same(sorted, fastq(ordered(decorated, READ_ORDERS.seq)));
  });

  it('agrees with GNU sort on the model of reads by length', () => {
    const some = reads(3, 500);
    const sorted = oracle(
      "paste - - - - < in | awk -F '\t' '{ print length($2) \"\\t\" $0 }' | sort -k1,1n -s | cut -f 2- | tr '\\t' '\\n'",
      { in: fastq(some) },
    );
    same(sorted, fastq(ordered(some, READ_ORDERS.length)));
  });

  it('orders reads in the model by exact mean quality', () => {
    const mean = (quality: string): bigint =>
      [...quality].reduce((sum, letter) => sum + BigInt(letter.charCodeAt(0) - 33), 0n);
    const sorted = ordered(reads(4, 500), READ_ORDERS.quality).map(({ quality }) => quality);
    for (const [i, quality] of sorted.entries()) {
      if (i === 0 || sorted[i - 1] === '') continue;
      expect(mean(sorted[i - 1]) * BigInt(quality.length)).toBeLessThanOrEqual(
        mean(quality) * BigInt(sorted[i - 1].length),
      );
    }
    expect(sorted.lastIndexOf('')).toBe(sorted.filter((quality) => quality === '').length - 1);
  });

  it('ignores leading zeros when it compares natural names', () => {
    expect([
      natural('r08', 'r8'),
      natural('r008x', 'r8y') < 0,
      natural('a', 'a0') < 0,
      natural('a10', 'a9') > 0,
    ]).toEqual([0, true, true, true]);
  });

  it('agrees with GNU sort on the model of GFF by position', () => {
    const lines = genes(41, 600);
    same(
      oracle("sort -s -t '\t' -k1,1 -k4,4n in", { in: lines.join('\n') }),
      `${ordered(lines, gffOrder).join('\n')}\n`,
    );
  });
});

describe('the files of fixtures/', () => {
  const fixture = (name: string): Buffer => readFileSync(new URL(`../../fixtures/${name}`, import.meta.url));
  const names = (name: string): string[] =>
    fixture(name)
      .toString('latin1')
      .split('\n')
      .filter((_, i) => i % 4 === 0)
      .map((line) => line.split(' ')[0]);

  it('finds the same records in fixtures/alignments.bam and alignments.sam', () => {
    expectSameBytes(unBgzf(fixture('alignments.bam')), encodeBam(fixture('alignments.sam').toString('latin1')));
  });

  it('finds the same names in fixtures/reads.fastq and reads_R2.fastq', () => {
    expect(names('reads_R2.fastq')).toEqual(names('reads.fastq'));
  });
});
