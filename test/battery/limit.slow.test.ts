/** --bottom holds back more than it keeps in memory. */
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freshDirectory, PROGRAM, script } from './runner.js';

it('spills records that --bottom holds back, and removes the files', async () => {
  // 80 MB of input. --bottom holds back 70 MB, more than the 64 MiB that it keeps in memory.
  const [cwd, temporary] = [freshDirectory('limit'), freshDirectory('held')];
  const args = ['--engine', 'cpu', '--bottom', '70000', '-T', temporary, '-o', join(cwd, 'tail')];
  const child = spawn(PROGRAM[0], [...PROGRAM.slice(1), ...args], { stdio: ['pipe', 'inherit', 'inherit'], cwd });
  const ended = new Promise((resolve) => {
    child.on('close', resolve);
  });
  const line = (i: number): string => `${String((i * 7919) % 80_000).padStart(9, '0')}${'.'.repeat(990)}\n`;
  for (let i = 0; i < 80_000; i += 100) {
    const more = child.stdin.write(Array.from({ length: 100 }, (_, j) => line(i + j)).join(''));
    if (!more)
      await new Promise((resolve) => {
        child.stdin.once('drain', resolve);
      });
  }
  child.stdin.end();
  expect(await ended).toBe(0);
  expect(readdirSync(temporary)).toEqual([]);
  const check = 'wc -l < tail; head -c 9 tail; echo; LC_ALL=C sort -c tail && tail -n 1 tail | head -c 9';
  expect((await script(check, { cwd })).stdout.toString()).toBe('70000\n000010000\n000079999');
});
