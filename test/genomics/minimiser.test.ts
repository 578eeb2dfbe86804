/** --by minimiser against a model of samtools 1.23, and against samtools where 1.16 has the same rule. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { sortOn } from '../battery/here.js';
import { expectSameBytes, freshDirectory } from '../battery/runner.js';
import { encodeBam, unBgzf } from '../support/genomics-bam.js';
import { alignments, CONTIGS, SAM_HEADER, sam } from '../support/genomics-data.js';
import { alignmentOrder, type Compare, ordered } from '../support/genomics-models.js';
import { randomBelow } from '../support/random.js';
import { itWith, oracle } from './oracles.js';

const K = 20;
const MASK = (1n << 40n) - 1n;
const SALT = 0xdead7878beef7878n & MASK;
const names = CONTIGS.map(([name]) => name);
const coordinate = alignmentOrder('coordinate', names);

/** The number, place and strand by which samtools orders a read without a contig. */
function keyOf(line: string): readonly [hash: bigint, place: number, strand: number] {
  const fields = line.split('\t');
  const bases = fields[9] === '*' ? '' : fields[9];
  const code = (base: string): number => 'ACGT'.indexOf(base);
  let [hash, place, isBackward] = [-1n, 1 - K, false];
  for (let i = 0; i + K <= bases.length; i++) {
    const word = [...bases.slice(i, i + K)];
    const number = (codes: readonly number[]): bigint => codes.reduce((sum, one) => sum * 4n + BigInt(one), 0n) ^ SALT;
    const forward = number(word.map((base) => Math.max(code(base), 0)));
    // The complement of a base that is none has the code of A as well.
    const backward = number(word.map((base) => (code(base) < 0 ? 0 : 3 - code(base))).reverse());
    if (hash < 0n || (!isBackward && forward < hash) || (isBackward && forward <= hash))
      [hash, place, isBackward] = [forward, i, false];
    if (backward < hash) [hash, place, isBackward] = [backward, bases.length - K - i, true];
  }
  return [hash, place, (Number(fields[1]) & 16) ^ (isBackward ? 16 : 0)];
}

const minimiser: Compare<string> = (a, b) => {
  const isPlaced = (line: string): boolean => line.split('\t')[2] !== '*';
  if (isPlaced(a) || isPlaced(b)) return coordinate(a, b);
  const [x, y] = [keyOf(a), keyOf(b)];
  const at = x.findIndex((part, i) => part !== y[i]);
  return at < 0 ? 0 : x[at] < y[at] ? -1 : 1;
};

/** Reads of both strands of a small genome, without contigs, and some placed ones. */
function overlapping(seed: number, count: number, least: number): string[] {
  const below = randomBelow(seed);
  const genome = Array.from({ length: 300 }, () => 'ACGT'[below(4)]).join('');
  const reads = Array.from({ length: count }, (_, i) => {
    const length = least + below(40);
    const at = below(genome.length - length);
    const bases = genome.slice(at, at + length).replace(/A(?=C)/g, () => (below(40) === 0 ? 'N' : 'A'));
    const shown =
      below(2) === 0
        ? bases
        : [...bases]
            .reverse()
            .map((base) => 'TGCAN'['ACGTN'.indexOf(base)])
            .join('');
    return `q${i}\t${below(4) === 0 ? 20 : 4}\t*\t0\t0\t*\t*\t0\t0\t${shown}\t*`;
  });
  return [...reads.slice(0, count >> 1), ...alignments(seed, 60, true), ...reads.slice(count >> 1)];
}

let cwd = '';
beforeEach(() => {
  cwd = freshDirectory('minimiser');
});

async function sorted(input: string | Buffer, ...args: readonly string[]): Promise<Buffer> {
  writeFileSync(join(cwd, 'in'), input, 'latin1');
  const { status, stdout, stderr } = await sortOn('cpu')([...args, '--by', 'minimiser', 'in'], { cwd });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout;
}

describe.each([
  ['one chunk', []],
  ['chunks', ['--chunk-size', '16K']],
])('%s', (_, options) => {
  const lines = overlapping(3, 400, 12);
  const header = SAM_HEADER.replace(/SO:.*/, 'SO:coordinate\tSS:coordinate:minhash');
  const expected = sam(ordered(lines, minimiser), header);

  it('sorts SAM by minimiser like the model', async () => {
    expectSameBytes(await sorted(sam(lines), '--format', 'sam', ...options), Buffer.from(expected, 'latin1'));
  });

  it('sorts BAM by minimiser like the model', async () => {
    const output = unBgzf(await sorted(encodeBam(sam(lines)), '--format', 'bam', ...options));
    expectSameBytes(output, encodeBam(expected));
  });
});

// Of reads with the same hash, samtools 1.16 begins with those in which the word comes last.
itWith('samtools')('sorts by minimiser in the order of samtools up to the place of the word', async () => {
  const lines = overlapping(4, 1500, 20).filter((line) => line.startsWith('q'));
  const hashes = new Map(lines.map((line) => [line.split('\t', 1)[0], keyOf(line)[0]]));
  const inOrder = (text: string): string =>
    text
      .replace(/^@.*\n/gm, '')
      .split('\n')
      .map((line) => `${hashes.get(line.split('\t', 1)[0])}\n`)
      .join('');
  const theirs = oracle('samtools sort -M --no-PG -O sam in', { in: sam(lines) });
  const ours = (await sorted(sam(lines), '--format', 'sam')).toString('latin1');
  expectSameBytes(Buffer.from(inOrder(ours)), Buffer.from(inOrder(theirs)));
});
