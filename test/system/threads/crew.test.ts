/** Threads that execute tasks: the choice of a thread, tasks of a worker that fails, and idle workers. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type CodecOutcome, type CodecTask, codecSteps } from '../../../src/codecs/tasks.js';
import { GpusortError } from '../../../src/system/errors.js';
import { type Crew, createCrew, startAhead } from '../../../src/system/threads/crew.js';
import { postedError, receivedError } from '../../../src/system/threads/posted-error.js';

const ROLE = { name: 'codec', data: null };
/** A task of codec threads: counts the newlines of `text`. */
function counting(text: string): CodecTask {
  const from = new SharedArrayBuffer(text.length);
  new Uint8Array(from).set(Buffer.from(text));
  return { kind: 'count', from, bytes: text.length };
}
const TASKS = Array.from({ length: 9 }, (_, i) => counting('\n'.repeat(i)));
const COUNTS = TASKS.map((_, newlines) => ({ newlines }));

const crews: Crew<CodecTask, CodecOutcome>[] = [];
afterEach(async () => {
  for (const crew of crews.splice(0)) await crew.close();
});

/** A crew of codec threads. `own`: the tasks that the calling thread executes. */
function crewOf(workers: number, own: CodecTask[] = [], helps = false): Crew<CodecTask, CodecOutcome> {
  const crew = createCrew<CodecTask, CodecOutcome>({
    workers,
    role: ROLE,
    helps,
    perform: (task) => {
      own.push(task);
      return codecSteps(task);
    },
    explain: (error) => new Error(`explained: ${(error as Error).message}`),
  });
  crews.push(crew);
  return crew;
}
const allOf = (crew: Crew<CodecTask, CodecOutcome>): Promise<CodecOutcome[]> =>
  Promise.all(TASKS.map((task) => crew.perform(task)));

/** Calls `change` with the next worker that starts, before it can take a task. */
const onWorker = (change: (worker: Worker) => void): unknown => process.once('worker', change);

it.each([
  [0, false, 9],
  [2, false, 0],
  [1, true, 7],
])('shares tasks among %i workers and, if it helps, the calling thread (helps: %s)', async (workers, helps, most) => {
  const own: CodecTask[] = [];
  expect(await allOf(crewOf(workers, own, helps))).toEqual(COUNTS);
  if (helps) expect(own.length).toBeGreaterThan(0);
  expect(own.length).toBeLessThanOrEqual(most);
});

it('rejects pending and later tasks if a worker ends', async () => {
  // It is told to end before it has a task, and this thread hears of its end only after all tasks are given.
  const ending = new Promise<void>((resolve) => {
    onWorker((worker) => {
      void worker.terminate();
      resolve();
    });
  });
  const crew = crewOf(1);
  await ending;
  const settled = await Promise.allSettled(TASKS.map((task) => crew.perform(task)));
  const reason = new Error('explained: a worker thread ended');
  expect(settled).toEqual(TASKS.map(() => ({ status: 'rejected', reason })));
  await expect(crew.perform(TASKS[0])).rejects.toEqual(reason);
});

it.each([{ code: 'ERR_WORKER_INIT_FAILED' }, { code: 'ENOENT', syscall: 'uv_cwd' }])(
  'executes the tasks of a worker that cannot be started: %j',
  async (what) => {
    const error = Object.assign(new Error('no thread'), what);
    let dropped: Worker | undefined;
    onWorker((worker) => {
      dropped = worker;
      worker.removeAllListeners('message');
      worker.emit('error', error);
    });
    const own: CodecTask[] = [];
    const crew = crewOf(1, own);
    expect(await allOf(crew)).toEqual(COUNTS);
    expect(own).toHaveLength(TASKS.length);
    await dropped!.terminate();
  },
);

describe('threads that were started ahead', () => {
  it('are taken by the next crew, which starts only those that are missing', async () => {
    const started: Worker[] = [];
    const note = (worker: Worker): unknown => started.push(worker);
    process.on('worker', note);
    try {
      startAhead(2);
      startAhead(2);
      await vi.waitFor(() => expect(started).toHaveLength(2));
      expect(await allOf(crewOf(3))).toEqual(COUNTS);
      expect(started).toHaveLength(3);
    } finally {
      process.off('worker', note);
    }
  });
  it.each(['error', 'exit'])('are not taken after their %s', async (event) => {
    let lost: Worker | undefined;
    onWorker((worker) => {
      lost = worker;
      worker.emit(event, new Error('no thread'));
    });
    startAhead(1);
    await vi.waitFor(() => expect(lost).toBeDefined());
    let another: Worker | undefined;
    onWorker((worker) => {
      another = worker;
    });
    expect(await allOf(crewOf(1))).toEqual(COUNTS);
    expect(another).toBeDefined();
    await lost!.terminate();
  });
});

it('rejects unfinished and later tasks when the crew closes', async () => {
  const crew = crewOf(1);
  const pending = crew.perform(TASKS[1]);
  pending.catch(() => {
    /* checked below */
  });
  await crew.close();
  await expect(pending).rejects.toThrow('explained: the threads are closed');
  await expect(crew.perform(TASKS[1])).rejects.toThrow('explained: the threads are closed');
});

it('posts errors between threads with their code, status and remedy', () => {
  const error = new GpusortError('disorder', 'a sentence', { exitCode: 1, hint: 'a remedy', end: '!' });
  const received = receivedError(structuredClone(postedError(error)));
  expect(received).toBeInstanceOf(GpusortError);
  expect(received).toMatchObject({ code: 'disorder', message: 'a sentence', exitCode: 1, hint: 'a remedy', end: '!' });
  const plain = structuredClone(postedError(new RangeError('plain')));
  expect(receivedError(plain)).toBeInstanceOf(RangeError);
});

/** Runs a program that has a crew of two workers and a task. */
function run(program: string): { status: number | null; stdout: string } {
  const module = (name: string): string =>
    JSON.stringify(fileURLToPath(new URL(`../../../dist/${name}`, import.meta.url)));
  const code = `import { createCrew, startAhead } from ${module('system/threads/crew.js')};
    const crew = createCrew({ workers: 2, role: ${JSON.stringify(ROLE)}, helps: false, perform: null, explain: (e) => e });
    const task = { kind: 'count', from: new SharedArrayBuffer(3), bytes: 3 };
    ${program}`;
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  return { status, stdout };
}

it('lets a process with idle workers end', () => {
  expect(run("startAhead(2); console.log('started');")).toEqual({ status: 0, stdout: 'started\n' });
  const program = `const counts = await Promise.all([1, 2, 3].map(() => crew.perform(task)));
    console.log(counts.length);`;
  expect(run(program)).toEqual({ status: 0, stdout: '3\n' });
});

it('keeps the process alive until a crew is closed, although a worker still answers', () => {
  const program = `process.once('worker', (worker) => setImmediate(async () => {
      const closed = crew.close();
      worker.emit('message', { outcome: null });
      await closed;
      console.log('closed');
    }));
    await crew.perform(task).catch((error) => console.log(error.message));`;
  expect(run(program)).toEqual({ status: 0, stdout: 'the threads are closed\nclosed\n' });
});
