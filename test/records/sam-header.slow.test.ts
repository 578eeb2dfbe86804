/** SAM headers for another order, against samtools, where it is installed. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  bamHeaderBytes,
  type HeaderOrder,
  readBamHeader,
  sortedHeader,
  withReferenceLines,
} from '../../src/records/headers.js';
import { freshDirectory } from '../battery/runner.js';
import { holdsForAll } from '../support/property.js';

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
const COORDINATE: HeaderOrder = { by: 'coordinate', reverse: false, as: 'samtools' };
const sorted = (text: string, order: Partial<HeaderOrder> = {}): string =>
  sortedHeader(bytes(text), { ...COORDINATE, ...order }).toString('latin1');
const references = [...'abc'].map((name, i) => ({ name: bytes(name), length: i }));

const directory = freshDirectory('sam-header');
/** The version of samtools, as in 1.16; null: it is not installed. */
const version =
  spawnSync('samtools', ['--version'], { encoding: 'utf8' }).stdout?.match(/^samtools (\d+\.\d+)/)?.[1] ?? null;
const minor = Number(version?.split('.')[1] ?? 0);

function samtools(args: readonly string[], input: Buffer): Buffer {
  const name = join(directory, 'input');
  writeFileSync(name, input);
  const { stdout, stderr, status } = spawnSync('samtools', [...args, name], { maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(stderr.toString());
  return stdout;
}

/** A header with lines in any order and any fields of @HD. */
const HEADER = fc
  .tuple(
    fc.subarray(['@SQ\tSN:a\tLN:10', '@SQ\tLN:20\tSN:b', '@RG\tID:g', '@CO\tany\ttext']),
    fc.array(
      fc.tuple(
        fc.nat(4),
        fc.array(
          fc.constantFrom('VN:1.5', 'SO:unsorted', 'SO:coordinate', 'GO:query', 'SS:unsorted:x', 'XX:1', 'GO:none'),
          { minLength: 1, maxLength: 6, size: 'max' },
        ),
      ),
      { maxLength: 2 },
    ),
  )
  .map(([some, heads]) => {
    const lines = [...some];
    for (const [at, fields] of heads) lines.splice(at, 0, ['@HD', ...fields].join('\t'));
    return lines.map((line) => `${line}\n`).join('');
  })
  .filter((text) => text !== '');

const OLD = minor < 19 ? ', except SS, which this version does not write' : '';

it.skipIf(version === null)(
  `writes the header of samtools sort --no-PG${version === null ? ' (left out: no samtools)' : OLD}`,
  () =>
    holdsForAll(
      [HEADER],
      (text) => {
        const ofSamtools = (...args: string[]): string =>
          samtools(['sort', '--no-PG', '-O', 'sam', ...args], bytes(text)).toString('latin1');
        expect(sorted(text)).toBe(ofSamtools());
        if (OLD !== '' && text.includes('SS:')) return;
        const byName = sorted(text, { by: 'queryname' });
        expect(OLD === '' ? byName : byName.replace('\tSS:queryname:natural', '')).toBe(ofSamtools('-n'));
      },
      { numRuns: 40 },
    ),
);

it.skipIf(version === null)(
  `reads and writes the BAM headers of samtools${version === null ? ' (left out: no samtools)' : ''}`,
  async () => {
    for (const text of ['@HD\tVN:1.6\n@SQ\tSN:a\tLN:10\n@SQ\tSN:b\tLN:20\n@CO\tx\n', '@CO\tno references\n']) {
      const whole = gunzipSync(samtools(['view', '-b', '--no-PG'], bytes(text)));
      const header = await readBamHeader(async () => whole, 'x');
      expect(header).toMatchObject({ text: bytes(text), bytes: whole.length, rest: Buffer.alloc(0) });
      expect(bamHeaderBytes(header.text, header.references).equals(whole)).toBe(true);
    }
    // samtools adds the lines too, before any change of a header.
    for (const text of ['', '@CO\tx\n', '@SQ\tSN:b\tLN:1\n@CO\tx\n', '@HD\tVN:1.5\n']) {
      const bam = gzipSync(bamHeaderBytes(bytes(text), references));
      const expected = gunzipSync(samtools(['sort', '--no-PG'], bam));
      const completed = sortedHeader(withReferenceLines(bytes(text), references), COORDINATE);
      expect(bamHeaderBytes(completed, references).toString('latin1')).toBe(expected.toString('latin1'));
    }
  },
);
