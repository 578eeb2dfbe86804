/**
 * The tables of techniques in docs/papers.md: their files exist, their options are valid and load the kernels beside
 * them, and no kernel of the papers' sorts is missing. The tables of experiments: what is called measured is.
 */
import { existsSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as exportsOfKernels from '../../src/browser/index.js';
import { parseArguments } from '../../src/cli/request.js';
import { composeKernel, type KernelConstants } from '../../src/engines/gpu/device/compose.js';
import type { Gpu } from '../../src/engines/gpu/device/device.js';
import { type DeviceAlgorithm, sortStage } from '../../src/engines/gpu/engine/sorts.js';
import { splitParameters } from '../../src/engines/gpu/engine/tunings.js';
import { loadPackedPrefixes } from '../../src/engines/gpu/hybrid/packed-prefixes.js';
import { SPLIT_TUNING } from '../../src/engines/gpu/strings/msd-radix/entries.js';
import { algorithmsOn, HYBRID_ALGORITHM } from '../../src/job/algorithm-table.js';
import type { SortJob } from '../../src/job/job.js';
import { requestedEngine } from '../../src/plan/engine.js';
import { SURROUNDINGS } from '../cli/arguments.js';
import { ROOT, read } from './documents.js';

const HEAD = '| section | in the paper | technique | kernels | reached by | here |';
const EXPERIMENTS_HEAD = '| section | in the paper | experiment or claim | here |';
const KERNELS = (readdirSync(`${ROOT}kernels/wgsl`, { recursive: true }) as string[])
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => name.endsWith('.wgsl'));
/** The folders in which every kernel belongs to a technique of a paper. */
const FOLDERS = [
  'keys/merge-path/',
  'keys/merge-sort/',
  'keys/quicksort/',
  'keys/segmented-sort/',
  'strings/msd-radix/',
  'strings/string-merge/',
];

interface Technique {
  readonly name: string;
  /** Kernels, with `*` replaced by all names that fit, and other files. */
  readonly files: readonly string[];
  readonly reached: readonly string[];
  readonly here: string;
}

const spansIn = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, span]) => span);

/** A pattern's kernels; a name without a kernel stays as it is, and is then found missing. */
function kernelsLike(pattern: string): string[] {
  const expression = new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}$`);
  const fitting = KERNELS.filter((name) => expression.test(name));
  return fitting.length === 0 ? [pattern] : fitting;
}

const PAPERS = read('docs/papers.md');
/** The rows of the tables with a head: a list for each paper. */
const tablesOf = (head: string): readonly string[][] =>
  PAPERS.split(`${head}\n`)
    .slice(1)
    .map((text) => text.split('\n').slice(1))
    .map((lines) =>
      lines.slice(
        0,
        lines.findIndex((line) => !line.startsWith('|')),
      ),
    );
const TABLES = tablesOf(HEAD);
const EXPERIMENTS = tablesOf(EXPERIMENTS_HEAD);
const TECHNIQUES: readonly Technique[] = TABLES.flat().map((line) => {
  const [, section, , technique, files, reached, here] = line.split('|').map((cell) => cell.trim());
  return {
    name: `${section}: ${technique}`,
    files: files === 'none' ? [] : spansIn(files).flatMap(kernelsLike),
    reached: reached === 'none' ? [] : spansIn(reached),
    here,
  };
});
const isKernel = (file: string): boolean => file.endsWith('.wgsl');
const optionsOf = ({ reached }: Technique): string[] => reached.filter((one) => one.startsWith('-'));

function jobOf(options: string): SortJob {
  const request = parseArguments(options.split(' '), SURROUNDINGS);
  if (request.action !== 'sort') throw new Error(`${options} asks for ${request.action}`);
  return request.job;
}

/** The files of a kernel, by its name and constants. */
const composed = new Map<string, readonly string[]>();

function filesOfKernel(name: string, constants: KernelConstants): readonly string[] {
  const id = JSON.stringify([name, constants]);
  let files = composed.get(id);
  if (files === undefined) {
    const { code, origin } = composeKernel(name, constants);
    const origins = code.split('\n').map((_, i) => origin(i + 1));
    files = [...new Set(origins.map((one) => one.replace(/^kernels\/wgsl\/|(?::\d+| \(constants\))$/g, '')))];
    composed.set(id, files);
  }
  return files;
}

/** The files of all kernels that a sort's engine loads on a device with subgroups and enough workgroup memory. */
async function filesOf({ ordering, resources: { algorithm, tunings }, report }: SortJob): Promise<Set<string>> {
  const files = new Set<string>();
  const load = async (name: string, constants: KernelConstants): Promise<void> => {
    for (const file of filesOfKernel(name, constants)) files.add(file);
  };
  const facts = { vendor: 'nvidia', software: false };
  const gpu = { facts, subgroups: { least: 32, most: 32 }, workgroupBytes: 49152, pipelines: { load } };
  const device = gpu as unknown as Gpu;
  if (algorithm === HYBRID_ALGORITHM) {
    await loadPackedPrefixes(device, { ...SPLIT_TUNING, ...splitParameters(tunings) });
    return files;
  }
  const stage = sortStage(algorithm as DeviceAlgorithm, ordering, tunings);
  await stage.load(device, ordering);
  await stage.loadMerge(device, ordering);
  if (report.stats !== 'no') await stage.loadStatistics?.(device, ordering);
  return files;
}

it.each([
  ['techniques', TABLES, 6],
  ['experiments', EXPERIMENTS, 4],
])('there is a table of %s for each paper, and no cell is empty', (_, tables, cells) => {
  expect(tables).toHaveLength(5);
  for (const line of tables.flat()) {
    expect(line.split('|'), line).toHaveLength(cells + 2);
    for (const cell of line.split('|').slice(1, -1)) expect(cell.trim(), line).not.toBe('');
  }
});

/** The parts of docs/papers.md that are rendered from figures, by the anchor of the heading above. */
const RENDERED: ReadonlyMap<string, string> = new Map(
  PAPERS.split('\n##')
    .slice(1)
    .flatMap((section): [string, string][] => {
      const part = /<!-- results \S+ -->\n([\s\S]*?)<!-- end -->/.exec(section)?.[1];
      const title = section.split('\n')[0].replace(/^#* /, '');
      return part === undefined ? [] : [[anchorOf(title), part]];
    }),
);
const KERNELS_TEXT = read('docs/kernels.md');

function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-');
}

/** Whether a link leads to figures of docs/papers.json, or to a table of docs/plots/h200-kernels.json. */
function hasFigures(link: string): boolean {
  const [file, anchor] = link.split('#');
  if (file === '') return RENDERED.get(anchor)?.includes('\nMeasured on ') === true;
  const section = KERNELS_TEXT.split('\n## ').find((one) => anchorOf(one.split('\n')[0]) === anchor);
  return file === 'kernels.md' && section?.includes('launches in passes') === true;
}

it.each(EXPERIMENTS.flat())('%s: is measured, or says why not', (line) => {
  const here = line.split('|')[4].trim();
  const [, word, rest] = /^(measured|in part|not measured)\b,?(.+)$/.exec(here) ?? ['', '', ''];
  expect(['measured', 'in part', 'not measured'], here).toContain(word);
  expect(rest.length, 'a place or a reason').toBeGreaterThan(10);
  const links = [...rest.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link);
  if (word === 'measured') expect(links.filter(hasFigures), here).not.toEqual([]);
});

describe.each(TECHNIQUES)('$name', (technique) => {
  const { files, reached, here } = technique;

  it('names files that exist, and says what differs', () => {
    expect(files.filter((file) => !existsSync(`${ROOT}${isKernel(file) ? 'kernels/wgsl/' : ''}${file}`))).toEqual([]);
    expect(files.length === 0, 'no file').toBe(here.startsWith('not implemented: '));
    expect(reached.length === 0, 'not reached').toBe(files.length === 0);
  });

  it('is reached', async () => {
    const loaded = new Set<string>();
    for (const options of optionsOf(technique)) {
      const job = jobOf(options);
      if (job.mode === 'sort' && requestedEngine(job) === 'gpu')
        for (const file of await filesOf(job)) loaded.add(file);
    }
    if (optionsOf(technique).length > 0)
      expect(files.filter((file) => isKernel(file) && !loaded.has(file))).toEqual([]);
    for (const name of reached.filter((one) => !one.startsWith('-')))
      expect(exportsOfKernels, name).toHaveProperty(name, expect.any(Function));
  });
});

it('every kernel of the sorts of the papers has a technique', () => {
  const named = new Set(TECHNIQUES.flatMap(({ files }) => files));
  const expected = KERNELS.filter((name) => FOLDERS.some((folder) => name.startsWith(folder)));
  expect(expected.length).toBeGreaterThan(40);
  expect(expected.filter((name) => !named.has(name))).toEqual([]);
});

it('every sort of the papers is reached, and every tuning that a table names exists', () => {
  const requested = new Set(TECHNIQUES.flatMap(optionsOf).map((options) => jobOf(options).resources.algorithm));
  // Radix sorts from the least significant digit are of other papers.
  const others = ['radix', 'radix-refine'];
  expect(algorithmsOn('gpu').filter((name) => !requested.has(name) && !others.includes(name))).toEqual([]);
});
