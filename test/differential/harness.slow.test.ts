/**
 * Tests the differential test itself: cases vary, GNU sort agrees with itself, and a planted difference is found,
 * shrunk and shown as shell commands.
 */
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { expectAgreement } from './agreement.js';
import { type Case, commands, wordsOf } from './case.js';
import { cases } from './cases.js';
import { LETTERS } from './options.js';
import { endShell, gnu, separate, withFiles } from './programs.js';

afterAll(endShell);

const some = (count: number): Case[] => fc.sample(cases, { seed: 1, numRuns: count });
const optionsOf = (of: Case): string => of.options.flatMap(({ words }) => words).join(' ');

describe('cases', () => {
  it('contain every ordering option, alone and in keys', () => {
    const lines = some(700).map(optionsOf);
    const patterns = [
      ...[...LETTERS].flatMap((letter) => [`(^| )-[a-zA-Z]*${letter}`, `(-k|--key[= ])[0-9.a-zA-Z,]*${letter}`]),
      ...['--sort[= ]', '(^| )\\+[0-9]', '(^| )-[0-9]', '-u|--unique', '-s|--stable', '-z|--zero', '-m|--merge'],
      ...['-c|--check', '-C|quiet|silent', '-t|--field', '\\\\0', '-o', '--debug'],
    ];
    for (const pattern of patterns)
      expect(lines.filter((line) => new RegExp(pattern).test(line)).length, pattern).toBeGreaterThan(4);
  });

  it('are mostly accepted by GNU sort, and mostly change the order of bytes and of the input', async () => {
    const plain = separate(['sort'], 'sort', (of) => of.files.map((_, i) => String.fromCharCode(97 + i)));
    const count = { accepted: 0, disordered: 0, refused: 0, unsorted: 0 };
    for (const of of some(100))
      await withFiles(of, async (directory) => {
        const { status, output } = await gnu(of, directory);
        const input = Buffer.from(of.files.join(''), 'latin1');
        const bytes = await plain(of, directory);
        count[(['accepted', 'disordered', 'refused'] as const)[status]]++;
        if (output.length > 0 && !output.equals(bytes.output) && !output.equals(input)) count.unsorted++;
      });
    expect(count.accepted).toBeGreaterThan(70);
    expect(count.refused).toBeGreaterThan(5);
    expect(count.disordered).toBeGreaterThan(1);
    expect(count.unsorted).toBeGreaterThan(50);
  });

  it('are printed as shell commands with the same outcome', async () => {
    // With -o the output is in a file instead.
    for (const of of some(15).filter((of) => !optionsOf(of).includes('-o')))
      await withFiles(of, async (directory) => {
        const { status, output } = await gnu(of, directory);
        const script = `rm -f *; { ${commands(of, 'sort').join('; ')}; }`;
        const shown = spawnSync('bash', ['-c', script], { cwd: directory, encoding: 'latin1', input: '' });
        expect(shown).toMatchObject({ status, stdout: output.toString('latin1') });
      });
  });
});

describe('the comparison', () => {
  it('finds no difference between GNU sort and itself', async () => {
    for (const of of some(50)) await expectAgreement(of, gnu, 'sort');
  });

  it.each([
    { what: 'an ignored -s', change: (word: string) => (/^(-s|--stable)$/.test(word) ? [] : [word]), mostOptions: 3 },
    {
      what: 'an ignored POS2',
      change: (word: string) => [word.replace(/^(-k[0-9.]+),.*/, '$1')],
      mostOptions: 2,
    },
  ])('finds $what, and shrinks the case', async ({ change, mostOptions }) => {
    const planted = separate(['sort'], 'sort', (of) => wordsOf(of).flatMap(change));
    const { counterexample, errorInstance } = await fc.check(
      fc.asyncProperty(cases, (of) => expectAgreement(of, planted, 'gpusort')),
      { numRuns: 300, seed: 1 },
    );
    const [small] = counterexample!;
    expect((errorInstance as Error).message).toMatch(/the output differs:\n +printf '.*' > a\n/);
    expect(small.options.length).toBeLessThanOrEqual(mostOptions);
    // fast-check's local minimum: a few short lines.
    expect(small.files.join('').length).toBeLessThanOrEqual(20);
  });
});
