/** Damage of stored runs that neither the order nor the hash of the output shows: checksums must. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freshDirectory } from '../battery/runner.js';
import { parsed, runHere } from '../support/in-process.js';
import { finishTasks, prepareTasks, runTasks } from './in-process.js';

const TASKS = { shares: 2, ranges: 1 } as const;

/** Ends a sort whose first run is changed by `damage` after the shares. */
async function endOf(words: readonly string[], content: string, damage: (run: Buffer) => void): Promise<string> {
  const cwd = freshDirectory('cluster');
  writeFileSync(join(cwd, 'in'), content);
  const home = process.cwd();
  process.chdir(cwd);
  try {
    const { messages } = await runHere(
      () => parsed(['--engine', 'cpu', '--chunk-size', '1M', ...words, 'in'], 'gpusort'),
      'gpusort',
      (job) => ({ ...job, output: Buffer.from('out') }),
      async (job) => {
        const prepared = await prepareTasks(job, TASKS);
        await runTasks(prepared, 'share', TASKS.shares, TASKS);
        const name = prepared.directory.run(0);
        const run = readFileSync(name);
        damage(run);
        writeFileSync(name, run);
        await finishTasks(prepared, TASKS);
        return 0;
      },
    );
    expect(readdirSync(cwd)).not.toContain('out');
    return messages;
  } finally {
    process.chdir(home);
  }
}

/** 400 lines; their numbers end in 0, so that a larger last digit changes no order. */
const TENS = Array.from({ length: 400 }, (_, i) => `${1000 + ((i * 37) % 400)}0\n`).join('');
const raiseDigit = (run: Buffer): void => {
  run[run.indexOf('\n', run.length / 2) - 1]++;
};

describe('a damaged run is found', () => {
  it.each([[['-u']], [['--top', '300']], [['--bottom', '300']], [['--count']]])('under %s', async (words) => {
    expect(await endOf(words, TENS, raiseDigit)).toContain('0000.run is damaged');
  });

  it('if a key is damaged and records with equal keys keep their order', async () => {
    const content = ['2000 a', '1000 b', '2000 c', '3000 d', '2000 e', '2000 f'].join('\n');
    const message = await endOf(['-s', '-k1,1n'], content, (run) => {
      // The last byte of a key, before the line: the key becomes larger than those of equal numbers.
      run[run.indexOf('2000 a') - 1]++;
    });
    expect(message).toContain('0000.run is damaged');
  });
});
