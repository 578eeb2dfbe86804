/** The JSON of --stats and --explain has the fields that docs/json.md lists, and no others. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { explainCluster } from '../../src/cluster/explain.js';
import { listAdapters } from '../../src/engines/gpu/device/adapters.js';
import { explanation } from '../../src/plan/explain.js';
import type { GpuPlan } from '../../src/plan/plan.js';
import { statsJson } from '../../src/report/print-stats.js';
import { createRecorder } from '../../src/report/recorder.js';
import { SCHEMA_VERSION } from '../../src/report/statistics.js';
import { describeGpu } from '../setup/gpu.js';
import { job as sortJob } from '../support/jobs.js';

const PAGE = readFileSync(new URL('../../docs/json.md', import.meta.url), 'utf8');

/** The fields in the table of a section, with their types. */
function documented(section: string): Map<string, string> {
  const text = PAGE.split(/^## /m).find((part) => part.startsWith(`${section}\n`))!;
  return new Map([...text.matchAll(/^\| `([^`]+)` \| ([^|]+) \|/gm)].map(([, field, type]) => [field!, type!]));
}

/** The paths of all fields of `value`, with what docs/json.md calls their types. */
function fields(value: object, prefix = ''): [string, unknown][] {
  return Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
    const path = prefix + name;
    const below =
      Array.isArray(inner) && typeof inner[0] === 'object' && !Array.isArray(inner[0])
        ? fields(inner[0] as object, `${path}[].`)
        : typeof inner === 'object' && inner !== null && !Array.isArray(inner)
          ? fields(inner as object, `${path}.`)
          : [];
    return [[path, inner], ...below];
  });
}

function isOf(type: string, value: unknown): boolean {
  return type.split(' or ').some((one) => {
    switch (one) {
      case 'integer':
        return Number.isInteger(value);
      case 'null':
        return value === null;
      case 'array':
        return Array.isArray(value);
      case 'array of integers':
        return Array.isArray(value) && value.every(Number.isInteger);
      case 'array of strings':
        return Array.isArray(value) && value.every((item) => typeof item === 'string');
      case 'object':
        return typeof value === 'object' && value !== null && !Array.isArray(value);
      default:
        return one === typeof value;
    }
  });
}

function expectDocumented(json: string, section: string): void {
  const table = documented(section);
  const found = fields(JSON.parse(json) as object);
  expect(found.map(([path]) => path).sort()).toEqual([...table.keys()].sort());
  for (const [path, value] of found) expect([path, isOf(table.get(path)!, value)]).toEqual([path, true]);
}

it('documents the version', () => {
  expect(PAGE).toContain(`It is ${SCHEMA_VERSION}.\n`);
  expect(Number.isInteger(SCHEMA_VERSION)).toBe(true);
});

it('documents all fields of the statistics', () => {
  const recorder = createRecorder(() => {}, { keepsSpans: true });
  recorder.span('read', 1, 10, 3);
  recorder.note('a note');
  recorder.traffic({ sentBytes: 1, readBackBytes: 2 });
  recorder.kernels(['keys/merge-path/merge']);
  recorder.ties({
    records: 2,
    keyBytes: 8,
    tied: 0,
    rounds: 1,
    blockReads: null,
    mergeReads: [1],
    runs: [2],
    longestRun: 1,
    sharedBytes: [1],
  });
  recorder.merges({ tiles: 2, levels: [{ merged: 1, inPlace: 0 }], copied: 1 });
  const digest = { records: 2, bytes: 4, hash: 7n };
  const stages = [{ stage: 'sort', recordsIn: 2, recordsOut: 2 }];
  recorder.verified({ input: digest, output: digest, same: true, stages });
  expectDocumented(
    statsJson(recorder, { version: '1.2.3', wall: 10.5, peakMemoryBytes: 7, exitCode: 0 }),
    'Statistics',
  );
});

const PLAN: GpuPlan = {
  engine: 'gpu',
  algorithm: 'string-merge',
  tunings: ['prefix-4'],
  estimates: [{ algorithm: 'string-merge', milliseconds: 1.23456 }],
  limit: { count: 5, end: 'first' },
  chunkBytes: 1,
  pieceBytes: 2,
  mergeBytes: 3,
  rangeBytes: 4,
  mostRecords: null,
  inflates: null,
  deflateLevel: null,
  bam: null,
  deviceKeys: true,
  workers: 1,
  residentBytes: null,
  windows: { bytes: 5, least: 6 },
  smallHeap: false,
  hostBytes: 7,
  reasons: ['a reason'],
};

describeGpu('--adapters=json', () => {
  it('has the fields that are documented', async () => {
    const { adapters } = await listAdapters();
    for (const adapter of adapters) expectDocumented(JSON.stringify(adapter), 'Adapters');
    expect(adapters.length).toBeGreaterThan(0);
  });
});

it('documents all fields of a plan', async () => {
  const job = sortJob();
  const directory = mkdtempSync(join(tmpdir(), 'gpusort-json-'));
  const input = join(directory, 'in');
  writeFileSync(input, 'b\na\n');
  const cluster = {
    scheduler: { kind: 'local', processes: 2 },
    tasks: 2,
    workDirectory: null,
    parts: false,
    detach: false,
    nodeTemporary: false,
  } as const;
  const distributed = sortJob({ inputs: [Buffer.from(input)], output: Buffer.from(join(directory, 'out')), cluster });
  const { json } = await explainCluster(distributed);
  rmSync(directory, { recursive: true });
  const both = { ...explanation(job, PLAN).json, cluster: (json as { cluster: unknown }).cluster };
  expectDocumented(JSON.stringify(both), 'Plans');
});

it('has a version, a mode and reasons if there is no plan', () => {
  const job = sortJob({ mode: 'check' });
  const { json } = explanation(job, null);
  expect(json).toEqual({ schemaVersion: SCHEMA_VERSION, mode: 'check', reasons: [expect.stringMatching(/^check: /)] });
});
