/** The papers' experiments on the device, from end to end with tiny inputs. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeGpu } from '../setup/gpu.js';
import { NIGHTLY } from '../support/tier.js';
// @ts-expect-error: plain JavaScript, because the benchmarks run without a build of their own
import { EXPERIMENTS } from './papers/documents.mjs';

/** All experiments take a minute on a software GPU: by day only these are repeated. */
const BY_DAY = ['1-tiles', '4-searches'];

describeGpu('on the device', () => {
  it('repeats experiments', { timeout: 400_000 }, () => {
    const folder = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? '/tmp', 'papers-'));
    const base = join(folder, 'papers');
    writeFileSync(`${base}.md`, readFileSync(join(import.meta.dirname, '../../docs/papers.md')));
    const script = join(import.meta.dirname, 'papers.mjs');
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [script, '--quick', '--dir', folder, '--docs', base, ...(NIGHTLY ? [] : ['--only', BY_DAY.join(',')])],
      { encoding: 'utf8', timeout: 390_000 },
    );
    const { rows } = JSON.parse(readFileSync(`${base}.json`, 'utf8'));
    const document = readFileSync(`${base}.md`, 'utf8');
    rmSync(folder, { recursive: true });
    expect([status, stdout.includes('failed')], stderr).toEqual([0, false]);
    const keys = NIGHTLY ? EXPERIMENTS.map(({ key }: { key: string }) => key) : BY_DAY;
    for (const key of keys)
      expect(
        rows.some((row: { experiment: string }) => row.experiment === key),
        key,
      ).toBe(true);
    expect(document).not.toMatch(NIGHTLY ? /Not measured yet|failed/ : /failed/);
  });
});
