/** --locale on the command line: the resulting ordering, the options it combines with, and those it refuses. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { KeyPart } from '../../../src/job/ordering.js';
import { explanation } from '../../../src/plan/explain.js';
import { makePlan } from '../../../src/plan/make-plan.js';
import { jobOf, ourVerdict } from '../../cli/arguments.js';
import { gpusortHere } from '../../cli/here.js';
import { gpusort, withDirectory } from '../../cli/run.js';
import { orderingOf } from './support.js';

const MACHINE = { processors: 4, mostWorkers: Infinity, availableBytes: 2 ** 33, allowedBytes: Infinity };
const WHOLE: KeyPart = {
  span: { begin: { field: 0, byte: 0, skipBlanks: false }, end: null, separator: null },
  order: 'bytes',
  dictionary: false,
  printing: false,
  fold: false,
  reverse: false,
};

it('compares lines, or keys and then lines', () => {
  expect(orderingOf('--locale=de').key).toEqual({ kind: 'collated', locale: 'de', parts: [WHOLE], seed: null });
  expect(orderingOf('--locale=de', '-r')).toMatchObject({
    key: { parts: [{ ...WHOLE, reverse: true }] },
    reverse: true,
    lastResort: true,
  });
  expect(orderingOf('--locale=de', '-f').key).toMatchObject({ parts: [{ ...WHOLE, fold: true }, WHOLE] });
  expect(orderingOf('--locale=de', '-f', '-s').key).toMatchObject({ parts: [{ ...WHOLE, fold: true }] });
  expect(orderingOf('--locale=de', '-k2n', '-k1,1', '-ru').key).toMatchObject({
    parts: [
      { order: 'numeric', reverse: false },
      { order: 'bytes', reverse: true },
    ],
  });
  expect(orderingOf('-f').key.kind).toBe('normalized');
});

it('reports the sorting rules under --debug', () => {
  expect(ourVerdict(['--locale=sv', '--debug'])).toEqual({
    stderr: "sort: text ordering performed using 'sv' sorting rules\n",
    status: 0,
  });
});

it.each([
  [[], 'b>x\n___\n'],
  [['-s'], 'b>x\n___\n'],
  [['-k2b'], 'b>x\n  _\n___\n'],
  [['-k2b', '-u'], 'b>x\n  _\n'],
])('underlines the compared text under --debug with %j', (args, shown) =>
  withDirectory(async (cwd) => {
    writeFileSync(join(cwd, 'in'), 'b\tx\n');
    expect((await gpusortHere(['--locale=de', '--debug', ...args, 'in'], { cwd })).stdout).toBe(shown);
  }),
);

it('keeps equal keys together under -R, in an order that depends on --random-source', () =>
  withDirectory(async (cwd) => {
    writeFileSync(join(cwd, 'in'), 'b 1\na 2\nb 3\nc 4\na 5\nb 6\n');
    const args = ['--locale=de', '-s', '-k1,1R', '--random-source', fileURLToPath(import.meta.url), 'in'];
    const { stdout } = await gpusortHere(args, { cwd });
    expect(stdout).toBe((await gpusortHere(args, { cwd })).stdout);
    const keys = stdout.replace(/ .\n/g, '');
    expect([...keys.replace(/(.)\1*/g, '$1')].sort().join('')).toBe('abc');
    expect(stdout).toContain('b 1\nb 3\nb 6\n');
  }));

it('is planned for the CPU at every size, with the reason', () => {
  for (const bytes of [1000, 2 ** 32, null]) {
    const plan = makePlan(
      jobOf('--locale=sv'),
      MACHINE,
      { bytes },
      { found: true, name: 'a GPU', software: false, maxBindingBytes: 2 ** 31 },
    );
    expect(plan).toMatchObject({
      engine: 'cpu',
      algorithm: 'collate',
      workers: bytes === 1000 ? 0 : 4,
      helps: bytes === 1000,
    });
    expect(plan.chunkBytes).toBeLessThanOrEqual(16 << 20);
    expect(plan.reasons[0]).toMatch(
      /^engine cpu: --locale sv: records are compared by the collation of ICU [0-9.]+ on the CPU, because it makes no keys/,
    );
  }
  expect(makePlan(jobOf('--locale=sv --chunk-size=1G'), MACHINE, { bytes: 2 ** 34 }, null).chunkBytes).toBe(16 << 20);
  expect(explanation(jobOf('-m --locale=sv'), null).lines.join()).toMatch(
    /record by record,--locale sv: records are compared by the collation/,
  );
  expect(() => makePlan(jobOf('--locale=sv --engine=gpu'), MACHINE, { bytes: 1000 }, null)).toThrow(
    '--locale runs on --engine cpu only',
  );
});

it('sorts and checks as a program', () => {
  const input = Buffer.from('å\nz\nä\na\n').toString('latin1');
  const output = Buffer.from('a\nz\nå\nä\n').toString('latin1');
  expect(gpusort(['--locale=sv'], { input })).toEqual({ status: 0, signal: null, stdout: output, stderr: '' });
  expect(gpusort(['--locale=sv', '-c'], { input: output }).status).toBe(0);
  expect(gpusort(['--locale=sv', '--engine=gpu'], { input })).toMatchObject({
    status: 2,
    stdout: '',
    stderr: expect.stringMatching(/^gpusort: --locale runs on --engine cpu only/),
  });
});
