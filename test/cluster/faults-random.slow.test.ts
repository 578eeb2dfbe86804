/** Clients and tasks killed at random moments: the same command, run again and again, ends with the right bytes. */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { gpusort } from '../cli/run.js';
import { type RandomBelow, randomBelow } from '../support/random.js';
import { sampled } from '../support/tier.js';
import { Place } from './place.js';

const ROUNDS = 150;
const LINES = 40_000;
/** The command is run often enough that it must succeed. */
const KILLS = 6;
const OPTIONS = [
  [],
  ['-u'],
  ['--count', '-k1.3,1.4'],
  ['-r', '-k1.4,1.6n'],
  ['--output-parts'],
  ['--top=500', '-s', '-k1.5'],
];

/** Processes whose command names the job directory. */
function tasksOf(place: Place): number[] {
  return readdirSync('/proc').flatMap((name) => {
    try {
      const isTask = readFileSync(`/proc/${name}/cmdline`, 'latin1').includes(`\0${place.job}/`);
      return /^\d+$/.test(name) && isTask ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

function killOne(place: Place, client: number, below: RandomBelow): string {
  const tasks = tasksOf(place);
  const [who, signal] = (
    [
      [client, 'SIGKILL'],
      [client, 'SIGINT'],
      [tasks[below(Math.max(1, tasks.length))] ?? client, 'SIGKILL'],
    ] as const
  )[below(3)]!;
  try {
    process.kill(who, signal);
  } catch {
    return 'nobody';
  }
  return `${who === client ? 'client' : 'task'} ${signal}`;
}

const seeds = sampled([...Array(ROUNDS).keys()], { count: 4, seed: 1 });
it.each(seeds)('survives random kills, seed %i', async (seed) => {
  const below = randomBelow(seed);
  const options = OPTIONS[seed % OPTIONS.length]!;
  const place = new Place(LINES);
  const isParts = options.includes('--output-parts');
  const plain = isParts ? [] : options;
  const wanted = gpusort(['--engine', 'cpu', ...plain, '-o', `${place.output}.wanted`, place.input]);
  expect(wanted.status).toBe(0);
  const log: string[] = [];
  for (let kills = 0; ; kills++) {
    const running = place.start(null, options);
    if (kills < KILLS) {
      await new Promise((resolve) => setTimeout(resolve, 150 + below(700)));
      log.push(killOne(place, running.child.pid!, below));
    }
    const { status, signal, stderr } = await running.ended;
    log.push(`${status ?? signal} ${stderr}`);
    // Killed after it had finished: parts that are there are not replaced.
    if (
      status === 0 ||
      (isParts &&
        stderr.endsWith(
          ' is not empty\nWith --output-parts, -o names a directory that does not exist yet, or an empty one.\n',
        ))
    )
      break;
    expect(kills < KILLS, log.join('\n')).toBe(true);
    expect(stderr, log.join('\n')).not.toMatch(/internal|would be wrong|undefined/);
  }
  const read = (): string =>
    isParts
      ? readdirSync(place.output)
          .filter((name) => name.startsWith('part-'))
          .sort()
          .map((name) => readFileSync(join(place.output, name), 'latin1'))
          .join('')
      : readFileSync(place.output, 'latin1');
  expect(read() === readFileSync(`${place.output}.wanted`, 'latin1'), log.join('\n')).toBe(true);
  // The remains of a partly removed job directory are not a job.
  const names = place.names().filter((name) => name !== 'gpusort-out.job' || existsSync(join(place.job, 'job.json')));
  expect(names, log.join('\n')).toEqual(['in', 'out', 'out.wanted']);
  rmSync(place.directory, { recursive: true });
});
