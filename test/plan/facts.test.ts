/**
 * The machine's numbers: memory without -S is half of what the system reports as available, within the limits of the
 * container and of a Slurm job; processors and GPUs are those of the job.
 */
import * as os from 'node:os';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { machineFacts, whyNoGpu } from '../../src/plan/facts.js';
import { makePlan } from '../../src/plan/make-plan.js';
import { fileSystem } from '../../src/system/file-system.js';
import { job } from '../support/jobs.js';

const MiB = 2 ** 20;

const { readFileSync } = fileSystem;
/** Files that tests replace by these texts; null: it cannot be read. */
const files = new Map<string, string | null>();

/** Simulates a system with this much memory available, and a container limit (0: none), in bytes. */
function withMemory(available: number, limit: number): void {
  files.set(
    '/proc/meminfo',
    `MemTotal:       99999999 kB\nMemFree:            1000 kB\nMemAvailable:   ${available / 1024} kB\n`,
  );
  vi.spyOn(process, 'constrainedMemory').mockReturnValue(limit);
}

/** Simulates a Slurm job with these variables, and a slurm.conf (null: it cannot be read). */
function inJob(environment: Readonly<Record<string, string>>, configuration: string | null = null): void {
  for (const [name, value] of Object.entries({ SLURM_JOB_ID: '7', SLURM_CONF: '/slurm.conf', ...environment }))
    vi.stubEnv(name, value);
  files.set('/slurm.conf', configuration);
}

beforeEach(() => {
  files.clear();
  vi.spyOn(fileSystem, 'readFileSync').mockImplementation((name) => {
    const text = files.get(String(name));
    if (text === null) throw new Error('not readable');
    return text === undefined ? readFileSync(name) : Buffer.from(text);
  });
  for (const name of Object.keys(process.env)) if (/^SLURM_|_VISIBLE_DEVICES$/.test(name)) vi.stubEnv(name, undefined);
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

it('available memory is what the kernel reports', () => {
  withMemory(1000 * MiB, 0);
  expect(machineFacts().availableBytes).toBe(1000 * MiB);
});

it('available memory is what a container leaves, if that is less', () => {
  const taken = process.memoryUsage.rss();
  vi.spyOn(process.memoryUsage, 'rss').mockReturnValue(taken);
  const limit = Math.min(taken + 300 * MiB, os.totalmem() - 1);
  withMemory(1000 * MiB, limit);
  expect(machineFacts().availableBytes).toBe(limit - taken);
  withMemory(100 * MiB, limit);
  expect(machineFacts().availableBytes).toBe(100 * MiB);
  // The value the system reports when there is no limit.
  withMemory(1000 * MiB, 2 ** 63);
  expect(machineFacts().availableBytes).toBe(1000 * MiB);
});

it('the plan uses half of the available memory', () => {
  withMemory(1000 * MiB, 0);
  const { reasons, residentBytes } = makePlan(job({ engine: 'cpu' }), machineFacts(), { bytes: 4e9 }, null);
  expect(reasons).toContain('memory 500 MiB: half of what is available');
  expect(residentBytes).toBeLessThan(500 * MiB);
});

it('available memory is at most that of the Slurm job, less what the process uses', () => {
  const taken = process.memoryUsage.rss();
  vi.spyOn(process.memoryUsage, 'rss').mockReturnValue(taken);
  const given = Math.ceil(taken / MiB) + 200;
  withMemory(1000 * MiB, 0);
  inJob({ SLURM_MEM_PER_NODE: String(given) });
  expect(machineFacts()).toMatchObject({
    availableBytes: given * MiB - taken,
    allocated: { memoryBytes: given * MiB },
  });
  const plan = makePlan(job({ engine: 'cpu' }), machineFacts(), { bytes: 4e9 }, null);
  expect(plan.reasons).toContainEqual(
    expect.stringMatching(new RegExp(`^memory \\d+ MiB: half of what is left of the Slurm job's ${given} MiB$`)),
  );
  // The machine has less.
  inJob({ SLURM_MEM_PER_NODE: '100000' });
  expect(machineFacts()).toMatchObject({ availableBytes: 1000 * MiB, allocated: { memoryBytes: null } });
});

it('uses the CPUs of a Slurm job, at most those of the machine', () => {
  expect(machineFacts().allocated).toBeUndefined();
  inJob({ SLURM_CPUS_PER_TASK: '1' });
  expect(machineFacts()).toMatchObject({ processors: 1, allocated: { processors: 1 } });
  inJob({ SLURM_CPUS_PER_TASK: '100000' });
  expect(machineFacts()).toMatchObject({ processors: os.availableParallelism(), allocated: { processors: null } });
});

it('gives the reason for the number of threads', () => {
  const machine = { ...machineFacts(), processors: 8, allocated: { processors: 8, memoryBytes: null } };
  const reasons = (changes: Parameters<typeof job>[0], bytes: number): readonly string[] =>
    makePlan(job({ engine: 'cpu', memoryBytes: 2 ** 30, ...changes }), machine, { bytes }, null).reasons;
  expect(reasons({}, 4e9)).toContain('8 threads: the Slurm job has 8 CPUs');
  expect(reasons({ parallel: 8 }, 4e9)).toContain('8 threads, as requested');
  expect(reasons({}, 50e6)).toContain('3 threads');
});

it('looks for no GPU in a Slurm job without one, if Slurm manages them', () => {
  const devices = vi.spyOn(fileSystem, 'readdirSync');
  devices.mockReturnValue(['null', 'nvidia0'].map((name) => Buffer.from(name)));
  expect(whyNoGpu()).toBeNull();
  inJob({}, 'GresTypes=gpu\n');
  expect(whyNoGpu()).toBe('the Slurm job has no GPU');
  inJob({ SLURM_JOB_GPUS: '1' }, 'GresTypes=gpu\n');
  expect(whyNoGpu()).toBeNull();
  devices.mockReturnValue([Buffer.from('null')]);
  expect(whyNoGpu()).toBe('there is no GPU device in /dev');
});

it('uses a GPU that Slurm does not manage', () => {
  vi.spyOn(fileSystem, 'readdirSync').mockReturnValue([Buffer.from('nvidia0')]);
  inJob({}, 'ClusterName=c\n');
  expect(whyNoGpu()).toBeNull();
  inJob({}, null);
  expect(whyNoGpu()).toBeNull();
  inJob({ CUDA_VISIBLE_DEVICES: '' }, null);
  expect(whyNoGpu()).toBe('the Slurm job has no GPU');
});
