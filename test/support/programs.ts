/** Stand-ins for programs on the PATH, and the processes that remain of them. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';

/** Calls `work` while sh scripts of these names are first on the PATH; null: while no program is on it. */
export async function withPrograms<T>(
  scripts: Readonly<Record<string, string>> | null,
  work: (directory: string) => Promise<T>,
): Promise<T> {
  const directory = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'programs-'));
  const { PATH: before } = process.env;
  try {
    for (const [name, script] of Object.entries(scripts ?? {})) {
      writeFileSync(join(directory, name), `#!/bin/sh\n${script}\n`);
      chmodSync(join(directory, name), 0o755);
    }
    process.env.PATH = scripts === null ? directory : `${directory}:${before}`;
    return await work(directory);
  } finally {
    process.env.PATH = before;
    rmSync(directory, { recursive: true });
  }
}

/** The processes that this one has started, zombies included. */
export function children(): string[] {
  return readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'latin1').split(' ').filter(Boolean);
}

/** Waits until only `others` are left. Killed children take a moment to disappear. */
export async function childrenGone(others: readonly string[]): Promise<void> {
  const left = (): string[] => children().filter((child) => !others.includes(child));
  for (const end = Date.now() + 10_000; left().length > 0; await sleep(10))
    expect(Date.now(), `children ${left()}`).toBeLessThan(end);
}
