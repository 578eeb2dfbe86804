/** Array jobs: which tasks they hold, and the script that becomes a task. */
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { arrayRanges, arraysOf, batchScript, jobName, taskAt, taskOf } from '../../src/cluster/slurm-array.js';
import { random } from '../support/random.js';

it('parts tasks into arrays of a thousand, from which their names can be read again', () => {
  const next = random(18);
  const tasks = new Set(
    Array.from({ length: 500 }, () => {
      const phase = ['share', 'range', 'place'][Math.floor(next() * 3)];
      return `${phase}-${String(Math.floor(next() ** 3 * 12_000)).padStart(4, '0')}`;
    }),
  );
  const read = arraysOf([...tasks]).flatMap((array) => {
    const indices = arrayRanges(array.indices)
      .split(',')
      .flatMap((range) => {
        const [first, last = first] = range.split('-').map(Number);
        return Array.from({ length: last - first + 1 }, (_, i) => first + i);
      });
    expect(Math.max(...indices)).toBeLessThan(1000);
    for (const index of indices)
      expect(taskOf(array, index)).toBe(taskAt('a1b2c3d4', jobName('a1b2c3d4', array), `${index}`));
    return indices.map((index) => taskOf(array, index));
  });
  expect(read.sort()).toEqual([...tasks].sort());
});

it('writes neighbouring indices as ranges', () => {
  expect(arrayRanges([0, 1, 2, 5, 7, 8, 999])).toBe('0-2,5,7-8,999');
  expect(arrayRanges([4])).toBe('4');
});

it('knows its own jobs', () => {
  expect(taskAt('a1b2c3d4', 'gpusort-a1b2c3d4-share-12', '7')).toBe('share-12007');
  expect(taskAt('a1b2c3d4', 'gpusort-a1b2c3d4-share-0', '7')).toBe('share-0007');
  for (const [job, index] of [
    ['gpusort-a1b2c3d5-share-0', '7'],
    ['gpusort-a1b2c3d4-share-0', 'N/A'],
    ['gpusort-a1b2c3d4-share-0-x', '7'],
    ['gpusort-a1b2c3d4', '7'],
    ['xgpusort-a1b2c3d4-share-0', '7'],
    ['', ''],
  ]) {
    expect(taskAt('a1b2c3d4', job, index)).toBeNull();
  }
});

it('becomes the task, whatever bytes its words hold', () => {
  const directory = Buffer.concat([Buffer.from('/a \'b\' "c" $HOME `d` \\ *\n'), Buffer.from([0xff, 0x80])]);
  const words = ["it's", '$(false)', '', '-n', 'two\nlines', '\\'];
  const options = { directory, id: 'a1b2c3d4', command: ['printf', '%s\\0'], taskOptions: words };
  const printed = (array: { phase: string; block: number }, index: string): string[] =>
    execFileSync('/bin/sh', ['-s'], {
      input: batchScript(options, { ...array, indices: [] }),
      env: { ...process.env, SLURM_ARRAY_TASK_ID: index },
      encoding: 'latin1',
    }).split('\0');
  const path = directory.toString('latin1');
  expect(printed({ phase: 'share', block: 0 }, '8')).toEqual(['--cluster-task', `${path}/share-0008`, ...words, '']);
  expect(printed({ phase: 'range', block: 12 }, '999')).toEqual([
    '--cluster-task',
    `${path}/range-12999`,
    ...words,
    '',
  ]);
});
