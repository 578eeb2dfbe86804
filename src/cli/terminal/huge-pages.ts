/**
 * Whether this sort should start itself again with memory in pages of 2 MiB. The system gives a program memory in pages
 * of 4 KiB, each when it is first touched. That takes 0.2 us on many machines, and 13 us or more on some virtual ones,
 * where it is most of the time of a large sort. glibc asks for larger pages if a variable says so at its start.
 */
import { availableParallelism } from 'node:os';
import type { SortJob } from '../../job/job.js';
import type { Recorder } from '../../report/recorder.js';
import { MiB } from '../../report/units.js';
import { fileSystem } from '../../system/file-system.js';
import { isLinux } from '../../system/platform.js';

/** The variable of the user: `auto`, `always` or `never`. */
const SETTING = 'GPUSORT_HUGE_PAGES';
/** In a process that was started again: the price of a page, a space, and the user's settings of glibc. */
const STARTED_FOR = 'GPUSORT_STARTED_FOR_PAGES';
/** The settings of glibc, and the one that makes malloc ask for huge pages. glibc knows it from 2.35 on. */
const TUNABLES = 'GLIBC_TUNABLES';
const TUNABLE = 'glibc.malloc.hugetlb';
const LEAST_GLIBC = 35;

const PAGE_BYTES = 4096;
/** Fewer bytes of input are sorted before a new process has started. */
const LEAST_BYTES = 64 * MiB;
/** The sizes of more files are not examined. */
const MOST_FILES = 1000;
/** ns. If pages cost less, larger ones have saved nothing, and once they took more time. */
const LEAST_PRICE = 1000;
/**
 * New pages for each page of input that larger ones replace: sorts take 310,000 pages a GB, and 117,000 with larger
 * ones, merges 83,000 and 43,000. -c takes few.
 */
const REPLACED = { sort: 0.75, merge: 0.15, check: 0 } as const;
/** The share of their price that is saved: a large page must be zeroed, too. */
const SAVED = 0.5;
/** The time that is saved must be at least this many times that of a start. */
const LEAST_GAIN = 2;
/** The price of a page is known after this many bytes, or ns. */
const PROBED_BYTES = 512 * 1024;
const PROBED_NS = 1_000_000n;

/** What is known of the pages of this process. */
let known: { readonly price: number; readonly areHuge: boolean } | null = null;

/** What the decision depends on. */
export interface PageFacts {
  readonly mode: SortJob['mode'];
  /** Bytes of the input, at most those that are in memory at once. */
  readonly bytes: number;
  readonly threads: number;
  /** The price of a page in ns. */
  readonly price: number;
  /** ms that a start takes. */
  readonly startMs: number;
}

/** Whether huge pages are expected to save more time than a start takes. Pure. */
export function hugePagesPay({ mode, bytes, threads, price, startMs }: PageFacts): boolean {
  if (bytes < LEAST_BYTES || price < LEAST_PRICE) return false;
  const savedMs = ((bytes / PAGE_BYTES) * REPLACED[mode] * SAVED * price) / 1e6 / threads;
  return savedMs >= LEAST_GAIN * startMs;
}

/**
 * The price of a page in ns if the process should start again with huge pages; null: it should not. Takes a
 * millisecond, and 10 more if the answer is a price. A GPU copies text into memory of its own, so nothing is done if
 * one may be used.
 */
export async function priceOfPages(job: SortJob): Promise<number | null> {
  const setting = process.env[SETTING];
  if (!isLinux() || job.report.explain !== 'no' || job.cluster !== null) return null;
  if (setting === 'never') return null;
  const bytes = setting === 'always' ? Infinity : bytesOfFiles(job);
  if (bytes < LEAST_BYTES || !mustAsk()) return null;
  if (setting !== 'always' && (await gpuMayBeUsed(job, bytes))) return null;
  const price = pagePrice();
  known = { price, areHuge: false };
  const { memoryBytes, parallel } = job.resources;
  const facts = {
    mode: job.mode,
    bytes: Math.min(bytes, memoryBytes ?? Infinity),
    threads: parallel ?? availableParallelism(),
    price,
    startMs: performance.now(),
  };
  return (setting === 'always' || hugePagesPay(facts)) && knowsTunable() ? price : null;
}

async function gpuMayBeUsed(job: SortJob, bytes: number): Promise<boolean> {
  const [{ mayUseGpu }, { whyNoGpu }] = await Promise.all([
    import('../../plan/engine.js'),
    import('../../plan/facts.js'),
  ]);
  return mayUseGpu(job, { bytes }, whyNoGpu() === null);
}

/** Whether a program gets huge pages only if it asks for them, and the user has not decided that. */
function mustAsk(): boolean {
  return (
    textOf('/sys/kernel/mm/transparent_hugepage/enabled').includes('[madvise]') &&
    !/^THP_enabled:\s*0/m.test(textOf('/proc/self/status')) &&
    process.env[TUNABLES]?.includes(TUNABLE) !== true
  );
}

function textOf(path: string): string {
  try {
    return fileSystem.readFileSync(path).toString('latin1');
  } catch {
    return '';
  }
}

function knowsTunable(): boolean {
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  return Number(/^2\.([0-9]+)/.exec(header.glibcVersionRuntime ?? '')?.[1] ?? 0) >= LEAST_GLIBC;
}

function pagePrice(): number {
  const memory = new Uint8Array(PROBED_BYTES);
  const start = process.hrtime.bigint();
  let pages = 0;
  let passed = 0n;
  while (pages * PAGE_BYTES < PROBED_BYTES && passed < PROBED_NS) {
    memory[pages++ * PAGE_BYTES] = 1;
    if (pages % 8 === 0) passed = process.hrtime.bigint() - start;
  }
  return Number(passed) / pages;
}

/** The bytes of inputs that are regular files; 0 if there are others, or too many. */
function bytesOfFiles({ input: { files, mates } }: Pick<SortJob, 'input'>): number {
  if (files.length + mates.length > MOST_FILES) return 0;
  let bytes = 0;
  try {
    for (const name of [...files, ...mates]) {
      const stat = name === null ? fileSystem.fstatSync(0) : fileSystem.statSync(name);
      if (!stat.isFile()) return 0;
      bytes += Number(stat.size);
    }
  } catch {
    return 0; // the sort says why
  }
  return bytes;
}

/** Environment variables for a process that gets huge pages. */
export function withHugePages(ns: number): Readonly<Record<string, string>> {
  const users = process.env[TUNABLES] ?? '';
  return {
    [TUNABLES]: [users, `${TUNABLE}=1`].filter(Boolean).join(':'),
    [STARTED_FOR]: `${Math.round(ns)} ${users}`,
  };
}

/** Whether this process was started again. Programs that it starts get the user's settings of glibc. */
export function wasStartedForPages(): boolean {
  const value = process.env[STARTED_FOR];
  if (value === undefined) return false;
  delete process.env[STARTED_FOR];
  const users = value.slice(value.indexOf(' ') + 1);
  if (users === '') delete process.env[TUNABLES];
  else process.env[TUNABLES] = users;
  known = { price: Number.parseInt(value, 10), areHuge: true };
  return true;
}

/** Notes what a page costs, if that is known. */
export function notePages({ note }: Pick<Recorder, 'note'>): void {
  if (known === null) return;
  const price = `a new page of memory takes ${(known.price / 1000).toFixed(1)} us`;
  note(known.areHuge ? `${price}: gpusort has started itself again, with pages of 2 MiB` : price);
}
