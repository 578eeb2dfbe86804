/**
 * The genomics files of fixtures/ are what fixtures/README.md says: BAM and SAM have the same records, reads are pairs.
 */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { encodeBam, unBgzf } from '../support/genomics-bam.js';
import { itWith, oracle } from './oracles.js';

const fixture = (name: string): Buffer => readFileSync(new URL(`../../fixtures/${name}`, import.meta.url));
const names = (name: string): string[] =>
  fixture(name)
    .toString('latin1')
    .split('\n')
    .filter((_, i) => i % 4 === 0)
    .map((line) => line.split(' ')[0]);

it('alignments.bam has the records of alignments.sam', () => {
  expect(unBgzf(fixture('alignments.bam')).equals(encodeBam(fixture('alignments.sam').toString('latin1')))).toBe(true);
});

it('reads.fastq and reads_R2.fastq have the same names', () => {
  expect(names('reads_R2.fastq')).toEqual(names('reads.fastq'));
});

itWith(
  'samtools',
  'bcftools',
  'sort-bed',
)('the tools of each format accept them', () => {
  const files = ['alignments.bam', 'alignments.sam', 'variants.vcf', 'regions.bed'];
  oracle(
    'samtools quickcheck alignments.bam && samtools view -h --no-PG alignments.bam | cmp - alignments.sam && ' +
      'bcftools view variants.vcf && tail -n +2 regions.bed | sort-bed -',
    Object.fromEntries(files.map((name) => [name, fixture(name)])),
  );
});
