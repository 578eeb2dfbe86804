/** --by template-coordinate against a model, and against samtools where 1.16 has the rule of 1.23. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { sortOn } from '../battery/here.js';
import { expectSameBytes, freshDirectory } from '../battery/runner.js';
import { encodeBam, unBgzf } from '../support/genomics-bam.js';
import { longAlignment } from '../support/genomics-data.js';
import { ordered } from '../support/genomics-models.js';
import { TEMPLATE_HEADER, templateCoordinateOrder, templates } from '../support/genomics-templates.js';
import { randomBelow } from '../support/random.js';
import { itWith, oracle } from './oracles.js';

const sort = sortOn('cpu');
const text = (header: string, lines: readonly string[]): string => header + lines.map((line) => `${line}\n`).join('');
const SORTED_HEADER = TEMPLATE_HEADER.replace('SO:unsorted', 'SO:unsorted\tGO:query\tSS:unsorted:template-coordinate');
let cwd = '';
beforeEach(() => {
  cwd = freshDirectory('templates');
});

async function sorted(input: string | Buffer, ...args: readonly string[]): Promise<Buffer> {
  writeFileSync(join(cwd, 'in'), input, 'latin1');
  const { status, stdout, stderr } = await sort([...args, '--by', 'template-coordinate', 'in'], { cwd });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout;
}

describe.each([
  ['one chunk', []],
  ['chunks and spilled runs', ['-S', '64K', '--chunk-size', '16K']],
])('%s', (_, options) => {
  const lines = templates(5, 700);
  const expected = text(SORTED_HEADER, ordered(lines, templateCoordinateOrder));

  it('sorts SAM by template-coordinate like the model', async () => {
    expectSameBytes(await sorted(text(TEMPLATE_HEADER, lines), '--format', 'sam', ...options), Buffer.from(expected));
  });

  it('sorts BAM by template-coordinate like the model', async () => {
    const bam = encodeBam(text(TEMPLATE_HEADER, lines));
    expectSameBytes(unBgzf(await sorted(bam, '--format', 'bam', ...options)), encodeBam(expected));
  });
});

itWith('samtools')('sorts by template-coordinate like samtools', async () => {
  const input = text(TEMPLATE_HEADER, templates(6, 1500, true));
  const theirs = oracle('samtools sort --template-coordinate --no-PG -O sam in', { in: input });
  const records = (sam: string): string => sam.replace(/^@.*\n/gm, '');
  const ours = (await sorted(input, '--format', 'sam')).toString('latin1');
  expectSameBytes(Buffer.from(records(ours)), Buffer.from(records(theirs)));
});

it('finds the place of a BAM record whose CIGAR is in the tag CG', async () => {
  const lines = [longAlignment(66_000), 'near\t0\tchr1\t60\t60\t4M\t*\t0\t0\t*\t*'];
  const output = await sorted(encodeBam(text(TEMPLATE_HEADER, lines)), '--format', 'bam');
  expectSameBytes(unBgzf(output), encodeBam(text(SORTED_HEADER, lines.toReversed())));
});

it('refuses a tag MI that is not text, unless the order does not look at it', async () => {
  const input = text(TEMPLATE_HEADER, ['r1\t4\t*\t0\t0\t*\t*\t0\t0\t*\t*\tMI:i:5']);
  for (const [format, bytes] of [
    ['sam', input],
    ['bam', encodeBam(input)],
  ] as const) {
    writeFileSync(join(cwd, 'in'), bytes);
    const args = ['--format', format, 'in', '--by'];
    expect(await sort([...args, 'minimiser'], { cwd })).toMatchObject({ status: 0, stderr: '' });
    const { status, stderr } = await sort([...args, 'template-coordinate'], { cwd });
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringMatching(/malformed optional field/) });
  }
});

it('sorts or refuses damaged BAM records, whatever their bytes', async () => {
  const below = randomBelow(11);
  const whole = encodeBam(text(TEMPLATE_HEADER, templates(7, 30)));
  const records = encodeBam(TEMPLATE_HEADER).length;
  for (let round = 0; round < 60; round++) {
    const damaged = Buffer.from(whole);
    for (let i = 0; i < 3; i++) damaged[records + below(damaged.length - records)] = below(256);
    writeFileSync(join(cwd, 'in'), damaged);
    const by = round % 2 === 0 ? 'template-coordinate' : 'minimiser';
    const { status, stderr } = await sort(['--format', 'bam', '--by', by, 'in'], { cwd });
    if (status !== 0)
      expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringMatching(/^gpusort: in: /) });
  }
});

it('refuses a pair without the tag MC, and names the tool that adds it', async () => {
  const line = 'r1\t65\tchr1\t5\t60\t4M\t=\t9\t0\t*\t*';
  for (const [format, bytes] of [
    ['sam', text(TEMPLATE_HEADER, [line])],
    ['bam', encodeBam(text(TEMPLATE_HEADER, [line]))],
  ] as const) {
    writeFileSync(join(cwd, 'in'), bytes);
    const { status, stderr } = await sort(['--format', format, '--by', 'template-coordinate', 'in'], { cwd });
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringMatching(/^gpusort: in\b.*no tag MC.*\n.*samtools fixmate/),
    });
  }
});
