/** Clients in processes of their own that are interrupted, killed or started twice. They end their tasks. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { Place } from './place.js';

/** Job files are written, too. */
const SLOW_WRITES = fileURLToPath(new URL('../support/slow-writes.cjs', import.meta.url));

const pidsOf = (faults: readonly string[]): number[] => faults.map((line) => Number.parseInt(line, 10));

/** Whether a process has ended, even if it is a zombie. */
function hasEnded(pid: number): boolean {
  try {
    return /^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'latin1'));
  } catch {
    return true;
  }
}

async function allEnded(pids: readonly number[]): Promise<void> {
  await expect.poll(() => pids.every(hasEnded), { interval: 50 }).toBe(true);
}

it.each([
  { signal: 'SIGINT', task: 'share-0002', done: [0, 1], message: /^gpusort: interrupted: 2 of 3 shares are done\n/ },
  { signal: 'SIGTERM', task: 'range-', done: [0], message: /^gpusort: interrupted: 3 of 3 shares are done\n/ },
  { signal: 'SIGHUP', task: 'share-0001', done: [0], message: /^gpusort: interrupted: [12] of 3 shares are done\n/ },
] as const)(
  'ends the tasks on $signal, reports the finished tasks, and resumes later',
  async ({ signal, task, done, message }) => {
    const place = new Place();
    const client = place.start([task, 'wait']);
    const [pid] = pidsOf(await place.happened(1));
    for (const share of done) await place.isSorted(share);
    // A terminal signals the whole group.
    process.kill(-client.child.pid!, signal);
    const { signal: by, stderr, stdout } = await client.ended;
    expect({ by, stdout }).toEqual({ by: signal, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr.split('\n')).toEqual([
      expect.anything(),
      expect.stringMatching(
        /^Run the same command again to resume; to give up: rm -r .*\.job .*\/\.gpusort-.*\.sorted$/,
      ),
      '',
    ]);
    expect([hasEnded(pid), place.temporary()]).toEqual([true, []]);
    const before = place.times();
    const faults = (await place.happened(1)).length;
    const again = place.start(['range-', 'wait']);
    await place.happened(faults + 1);
    expect(place.times()).toMatchObject(before);
    again.child.kill('SIGINT');
    await again.ended;
    expect(place.run()).toMatchObject({ status: 0, stderr: '', stdout: '' });
    place.expectSorted();
  },
);

it('leaves nothing if it has not made the job directory yet', async () => {
  const place = new Place();
  const client = place.start(null, [], { NODE_OPTIONS: `--require=${SLOW_WRITES}` });
  await expect.poll(() => existsSync(join(place.job, 'client.json')), { interval: 5 }).toBe(true);
  client.child.kill('SIGTERM');
  expect(await client.ended).toMatchObject({ signal: 'SIGTERM', stdout: '', stderr: '' });
  expect(place.names()).toEqual(['in']);
});

it('ends at once at a second signal', async () => {
  const place = new Place();
  const client = place.start(['share-', 'wait']);
  const pids = pidsOf(await place.happened(2));
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  client.child.kill('SIGINT');
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(client.child.signalCode).toBeNull();
  const begin = performance.now();
  client.child.kill('SIGINT');
  expect((await client.ended).signal).toBe('SIGINT');
  expect(performance.now() - begin).toBeLessThan(5000);
  await allEnded(pids);
  expect(existsSync(join(place.job, 'client.json'))).toBe(false);
  expect(place.run()).toMatchObject({ status: 0, stderr: '' });
  place.expectSorted();
});

it('takes its tasks with it when it is killed, and the same command resumes', async () => {
  const place = new Place();
  const client = place.start(['share-0001', 'wait']);
  const pids = pidsOf(await place.happened(1));
  await expect.poll(() => Object.keys(place.times()).length, { interval: 20 }).toBeGreaterThanOrEqual(2);
  client.child.kill('SIGKILL');
  await client.ended;
  const before = place.times();
  await allEnded(pids);
  expect(place.temporary()).toEqual([]);
  expect(existsSync(join(place.job, 'client.json'))).toBe(true);
  const again = place.start(['range-0000', 'wait']);
  await place.happened(2);
  expect(place.times()).toMatchObject(before);
  again.child.kill('SIGKILL');
  await again.ended;
  expect(place.run()).toMatchObject({ status: 0, stderr: '' });
  place.expectSorted();
});

it('does not treat a broken pipe to a scheduler as an interruption', async () => {
  const place = new Place(100_000);
  const client = place.start(null);
  await expect.poll(() => existsSync(place.job), { interval: 5 }).toBe(true);
  client.child.kill('SIGPIPE');
  expect(await client.ended).toMatchObject({ status: 0, stderr: '' });
  place.expectSorted();
});
