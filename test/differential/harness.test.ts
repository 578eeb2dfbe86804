/**
 * Tests the differential test itself. GNU sort must agree with itself; a planted difference must be found, and its case
 * shrunk. Generated cases must vary, and must be the same in each run.
 */
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { type Case, commands, wordsOf } from './case.js';
import { difference } from './compare.js';
import { caseOf } from './generate.js';
import { LETTERS } from './options.js';
import { gnu, processes, type Runner, withFiles } from './programs.js';
import { shrink } from './shrink.js';

const SEED = 1;
const cases = (count: number): Case[] => Array.from({ length: count }, (_, number) => caseOf(SEED, number));
const letterOptions = (of: Case): string => of.options.flatMap(({ words }) => words).join(' ');

/** For each case, whether GNU sort and `other` differ. */
function differences(list: readonly Case[], other: Runner): Promise<boolean[]> {
  return withFiles(list, async (directories) => {
    const [wanted, got] = [await gnu(list, directories), await other(list, directories)];
    return wanted.map((outcome, i) => difference(outcome, got[i]) !== null);
  });
}

describe('generated cases', () => {
  it('depend only on the seed and the number', () => {
    expect(caseOf(SEED, 7)).toEqual(caseOf(SEED, 7));
    expect(new Set([caseOf(SEED, 7), caseOf(SEED, 8), caseOf(SEED + 1, 7)].map((of) => JSON.stringify(of))).size).toBe(
      3,
    );
  });

  it('contain every ordering option, alone and in keys', () => {
    const lines = cases(1000).map(letterOptions);
    const seen = (pattern: RegExp): number => lines.filter((line) => pattern.test(line)).length;
    for (const letter of LETTERS) {
      expect(seen(new RegExp(`(^| )-[a-zA-Z]*${letter}`)), `-${letter}`).toBeGreaterThan(5);
      expect(seen(new RegExp(`(-k|--key[= ])[0-9.a-zA-Z,]*${letter}`)), `-k1${letter}`).toBeGreaterThan(5);
    }
    for (const pattern of [
      /--sort[= ]/,
      /(^| )\+[0-9]/,
      /(^| )-[0-9]/,
      /-u|--unique/,
      /-s|--stable/,
      /-z|--zero/,
      /-m|--merge/,
      /-c|--check/,
      /-C|quiet|silent/,
      /-t|--field/,
      /\\0/,
      /-o/,
      /--debug/,
    ]) {
      expect(seen(pattern), String(pattern)).toBeGreaterThan(5);
    }
  });

  it('are mostly accepted by GNU sort, and mostly change the order of bytes and of the input', async () => {
    const list = cases(200);
    const { accepted, rejected, disordered, unsorted } = await withFiles(list, async (directories) => {
      const outcomes = await gnu(list, directories);
      const plain = await processes(['sort'], 'sort', (of) => of.files.map((_, i) => String.fromCharCode(97 + i)))(
        list,
        directories,
      );
      const whole = outcomes.map((outcome, i) => ({
        ...outcome,
        plain: plain[i].output,
        input: Buffer.from(list[i].files.join(''), 'latin1'),
      }));
      return {
        accepted: whole.filter(({ status }) => status === 0).length,
        rejected: whole.filter(({ status }) => status === 2).length,
        disordered: whole.filter(({ status }) => status === 1).length,
        unsorted: whole.filter(
          ({ output, plain: bytes, input }) => output.length > 0 && !output.equals(bytes) && !output.equals(input),
        ).length,
      };
    });
    expect(accepted).toBeGreaterThan(140);
    expect(rejected).toBeGreaterThan(10);
    expect(disordered).toBeGreaterThan(3);
    expect(unsorted).toBeGreaterThan(100);
  });

  it('are printed as shell commands with the same outcome', async () => {
    const list = cases(25);
    await withFiles(list, async (directories) => {
      const outcomes = await gnu(list, directories);
      list.forEach((of, i) => {
        const { status, stdout, stderr } = spawnSync(
          'bash',
          ['-c', `rm -f *; { ${commands(of, 'sort').join('; ')}; }`],
          { cwd: directories[i], encoding: 'latin1', input: '' },
        );
        // With -o the output is in a file instead.
        if (!letterOptions(of).includes('-o'))
          expect({ status, stdout, stderr: stderr.replace('bash: line 1: ', '') }).toMatchObject({
            status: outcomes[i].status,
            stdout: outcomes[i].output.toString('latin1'),
          });
      });
    });
  });
});

describe('the comparison', () => {
  it('finds no difference between GNU sort and itself', async () => {
    expect((await differences(cases(100), gnu)).filter(Boolean)).toEqual([]);
  });

  /** The change to GNU sort's arguments, and the maximum size of the shrunk case: options and bytes of input. */
  const PLANTED: readonly (readonly [string, (word: string) => string[], number, number])[] = [
    ['an ignored -s', (word) => (/^(-s|--stable)$/.test(word) ? [] : [word]), 3, 12],
    ['an ignored POS2', (word) => [word.replace(/^(-k[0-9.]+),.*/, '$1')], 2, 12],
  ];
  it.each(PLANTED)('finds %s, and shrinks the case', async (_, change, mostOptions, mostBytes) => {
    const planted = processes(['sort'], 'sort', (of) => wordsOf(of).flatMap(change));
    const list = cases(300);
    let found: Case | undefined;
    for (let at = 0; at < list.length && found === undefined; at += 30) {
      const some = list.slice(at, at + 30);
      found = some[(await differences(some, planted)).indexOf(true)];
    }
    expect(found).toBeDefined();
    const small = await shrink(found!, async (of) => (await differences([of], planted))[0]);
    expect(small.options.length).toBeLessThanOrEqual(mostOptions);
    expect(small.files.join('').length).toBeLessThanOrEqual(mostBytes);
    expect(await differences([small], planted)).toEqual([true]);
  });
});
