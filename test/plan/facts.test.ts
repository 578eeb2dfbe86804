/** Memory without -S: half of what the system reports as available, within the container's limit. */
import * as os from 'node:os';
import { afterEach, expect, it, vi } from 'vitest';
import { fileSystem } from '../../src/file-system.js';
import { machineFacts } from '../../src/plan/facts.js';
import { makePlan } from '../../src/plan/make-plan.js';
import { job } from '../support/jobs.js';

const MiB = 2 ** 20;

/** Simulates a system with this much memory available, and a container limit (0: none), in bytes. */
function withMemory(available: number, limit: number): void {
  const { readFileSync } = fileSystem;
  vi.spyOn(fileSystem, 'readFileSync').mockImplementation((name) =>
    name === '/proc/meminfo'
      ? Buffer.from(
          `MemTotal:       99999999 kB\nMemFree:            1000 kB\nMemAvailable:   ${available / 1024} kB\n`,
        )
      : readFileSync(name),
  );
  vi.spyOn(process, 'constrainedMemory').mockReturnValue(limit);
}

afterEach(() => {
  vi.restoreAllMocks();
});

it('is what the kernel would give', () => {
  withMemory(1000 * MiB, 0);
  expect(machineFacts().availableBytes).toBe(1000 * MiB);
});

it('is what a container leaves, if that is less', () => {
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

it('bounds the plan', () => {
  withMemory(1000 * MiB, 0);
  const { reasons, residentBytes } = makePlan(job({ engine: 'cpu' }), machineFacts(), { bytes: 4e9 }, null);
  expect(reasons).toContain('memory 500 MiB: half of what is available');
  expect(residentBytes).toBeLessThan(500 * MiB);
});
