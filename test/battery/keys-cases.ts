/** Keys on an engine, compared with GNU sort: whole, in chunks, with spilled runs, from files and pipes. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { withDirectory } from '../cli/run.js';
import { randomBelow } from '../support/random.js';
import { NIGHTLY } from '../support/tier.js';
import { sortOn } from './here.js';
import { run, sameAsGnu } from './runner.js';

const below = randomBelow(16);
const word = (most: number): string => Array.from({ length: below(most) }, () => 'abcAB -.1'[below(9)]).join('');
const number = (): string =>
  ['', '-'][below(2)] +
  [String(below(40)), String(below(1e9)), `${below(9)}.${below(1000)}`, `.${below(99)}`, ''][below(5)];
/** Words and numbers separated by tabs. Words may contain blanks. One line in 500 has a field longer than 7 kB. */
const table = Array.from({ length: 4000 }, (_, i) =>
  [word(6), number(), i % 500 === 0 ? 'long '.repeat(1500) : word(9), number()].join('\t'),
);

/** Ways and orders take turns, so that each way meets several orders. */
const WAYS = [[], ['--chunk-size', '8K'], ['--chunk-size', '16K', '-S', '64K']] as const;
const TAB = '-t\t';
const ORDERS = [
  [TAB, '-k2,2n'],
  ['-n'],
  [TAB, '-k2,2nr', '-k1,1'],
  ['-k2,2n', '-s'],
  [TAB, '-k4,4n', '-u'],
  [TAB, '-k1,1f', '-k3.2,3.5', '-r'],
  ['-n', '-r', '-u'],
  [TAB, '-k3b,3', '-k4nr'],
  ['-d', '-f'],
  ['-z', TAB, '-k2n,2'],
  ['-k2i', '-r', '-s'],
] as const;

/** By day, a software GPU runs one order in four, each in a different way: it takes seconds to start. */
const today = (engine: string, i: number): boolean => engine === 'cpu' || NIGHTLY || i % 4 === 0;

/** Registers the tests of an engine. */
export function keys(engine: 'cpu' | 'gpu'): void {
  const sort = sortOn(engine);
  const runs = ORDERS.map((options, i) => [options.join(' '), options, WAYS[i % WAYS.length], i] as const).filter(
    ([, , , i]) => today(engine, i),
  );
  it.each(runs)('sorts like GNU sort: %s', (_, options, way, i) =>
    withDirectory(async (cwd) => {
      const text = Buffer.from(
        `${table.join((options as readonly string[]).includes('-z') ? '\0' : '\n')}${i % 2 === 0 ? '' : '\n'}`,
      );
      writeFileSync(join(cwd, 'table'), text);
      const piped = i % 3 === 1;
      const from = piped ? { cwd, stdin: text } : { cwd };
      const input = piped ? [] : ['table'];
      const ours = await sort([...way, '-T', cwd, ...options, ...input], from);
      sameAsGnu(ours, await run('sort', [...options, ...input], from));
      expect(ours.status).toBe(0);
    }),
  );
}
