/** --locale on the command line: the resulting ordering, the options it combines with, and those it refuses. */
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { KeyPart } from '../../src/job.js';
import { explanation } from '../../src/plan/explain.js';
import { makePlan } from '../../src/plan/make-plan.js';
import { ourVerdict } from '../cli/arguments.js';
import { gpusort } from '../cli/run.js';
import { jobOf, orderingOf } from './support.js';

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
  expect(orderingOf('-f').key.kind).toBe('normalised');
});

it.each([
  [['--locale=xx'], /^sort: invalid --locale argument 'xx': this runtime has no collation for its language\n/],
  [
    ['--locale', 'de_DE'],
    /^sort: invalid --locale argument 'de_DE': it is not a language tag\nGive a tag, for example de, sv, en-US/,
  ],
  [['--locale='], /^sort: invalid --locale argument '': it is not a language tag\n/],
  [['--locale=C'], /^sort: invalid --locale argument 'C': it is not a language tag\n/],
  [
    ['--locale=de-u-co-foo'],
    /^sort: invalid --locale argument 'de-u-co-foo': there is no collation foo\nGive one of these: .*phonebk/,
  ],
  [['--locale=de', '--locale=sv'], /^sort: multiple locales specified\n$/],
  [['--locale=de', '--record-size=4'], /^sort: options '--record-size' and '--locale' are incompatible\n$/],
  [['--locale=de', '--algorithm=radix'], /^sort: options '--algorithm radix' and '--locale' are incompatible\n$/],
])('rejects %j', (args, message) => {
  expect(ourVerdict(args)).toEqual({ stderr: expect.stringMatching(message), status: 2 });
});

it('reports the sorting rules under --debug', () => {
  expect(ourVerdict(['--locale=sv', '--debug'])).toEqual({
    stderr: "sort: text ordering performed using 'sv' sorting rules\n",
    status: 0,
  });
});

it('underlines the compared text under --debug', () => {
  const shown = (args: string[]): string => gpusort(['--locale=de', '--debug', ...args], { input: 'b\tx\n' }).stdout;
  expect(shown([])).toBe('b>x\n___\n');
  expect(shown(['-s'])).toBe('b>x\n___\n');
  expect(shown(['-k2b'])).toBe('b>x\n  _\n___\n');
  expect(shown(['-k2b', '-u'])).toBe('b>x\n  _\n');
});

it('keeps equal keys together under -R, in an order that depends on --random-source', () => {
  const input = 'b 1\na 2\nb 3\nc 4\na 5\nb 6\n';
  const source = fileURLToPath(import.meta.url);
  const [once, again] = [1, 2].map(
    () => gpusort(['--locale=de', '-s', '-k1,1R', '--random-source', source], { input }).stdout,
  );
  expect(once).toBe(again);
  expect(
    once!
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line[0])
      .join('')
      .replace(/(.)\1*/g, '$1'),
  ).toMatch(/^[abc]{3}$/);
  expect(once).toMatch(/b 1\nb 3\nb 6\n/);
});

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
  expect(makePlan(jobOf('--locale=sv', '--chunk-size=1G'), MACHINE, { bytes: 2 ** 34 }, null).chunkBytes).toBe(
    16 << 20,
  );
  expect(explanation(jobOf('-m', '--locale=sv'), null).lines.join()).toMatch(
    /record by record,--locale sv: records are compared by the collation/,
  );
  expect(() => makePlan(jobOf('--locale=sv', '--engine=gpu'), MACHINE, { bytes: 1000 }, null)).toThrow(
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
