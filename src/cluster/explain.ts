/**
 * --explain of a distributed sort: shares and ranges, what both phases read and write, disk, time, the job directory,
 * and the plan of a share task. Writes nothing, starts nothing, and reads only as much as cutting the inputs needs.
 */

import { type InputFile, knownBytes } from '../input/files.js';
import { headersOf, openInputs } from '../input/inputs.js';
import { NO_OPTION_FILES } from '../input/option-files.js';
import { shareInputs } from '../input/shares.js';
import type { ClusterRequest, Resources, SortJob } from '../job/job.js';
import { isKeyed } from '../keys/keyed.js';
import { exists } from '../output/target.js';
import { type Explanation, explanation } from '../plan/explain.js';
import { type MachineFacts, machineFacts } from '../plan/facts.js';
import { plannedMemory } from '../plan/memory.js';
import type { Plan } from '../plan/plan.js';
import { displayName } from '../report/names.js';
import { formatBytes, formatTime } from '../report/units.js';
import { explainJob, planOf } from '../run/decide.js';
import { directoryOf } from '../system/links.js';
import { rangeCount } from './finish.js';
import { type ClusterJob, hasAll, isInOrder, type Joining, joiningOf, mergesInputs } from './job-file.js';
import { locate, notRegular } from './locate.js';
import { cutJob, earlierJob, withWorkings } from './prepare.js';
import { readSplitters } from './range-task.js';
import { restoredInput } from './share-task.js';
import {
  aloneSeconds,
  bytesOfRange,
  chooseTasks,
  distributedSeconds,
  FILES_OF_TASKS,
  indexBytes,
  isTooSmall,
  LEAST_BYTES,
  mergingSeconds,
  tasksOwn,
  WAITS,
  type Worker,
} from './sizes.js';

/** Runs with keys have up to half more bytes than their records. */
const MOST_KEYED = 1.5;
/** The number of files that belong to no task: job.json, client.json, splitters.json; the output or the manifest. */
const FILES_OF_JOB = 4;
/** Numbers of tasks at a time whose times are shown, besides all at once. */
const AT_ONCE = [4, 10, 100];
/** A time is shown if it is shorter than the one before by at least this factor. */
const SHORTER = 0.95;

const NAMES = { slurm: 'Slurm', local: 'processes of this host', prepare: 'another program' } as const;

const JOINING: Readonly<Record<Joining, string>> = {
  'in place': 'ranges are written at their places in one file',
  parts: 'each range is a file of the output directory',
  copied: 'each range is written to the job directory, and copied to its place once all sizes are known',
};

/** The facts about a distributed sort before any task has run. */
type InputsInRanges = Pick<ClusterJob, 'job' | 'shares'> & {
  readonly inputs: readonly InputFile[];
  readonly ranges: number;
};

export async function explainCluster(requested: SortJob): Promise<Explanation> {
  const request = requested.cluster!;
  const inputs = (await openInputs(requested)).files;
  const bytes = inputs.reduce((sum, { extent }) => sum + (extent === null ? 0 : extent.end - extent.begin), 0);
  const located = await locate(requested);
  if (located?.target?.kind === 'file') await located.target.close();
  // A sort that was begun is resumed.
  if (isTooSmall(request, bytes) && !(located !== null && exists(located.directory.job())))
    return explainHere(requested, bytes);
  if (located === null) throw notRegular(requested);
  const { place: output, directory } = located;
  directory.refuseForeign();
  const existing = earlierJob(located, requested, inputs);
  const cut: InputsInRanges =
    existing === null
      ? await cutJob(requested, inputs, chooseTasks(request, bytes))
      : {
          ...withWorkings(existing, requested),
          inputs: existing.inputs.map((input) => restoredInput(input, existing.job)),
        };
  const sizes = sizesOf(cut);
  const machine = machineFacts();
  const plan = await planOfShare(cut, machine);
  const times = timesOf(cut, sizes, machine, plan?.engine ?? 'cpu');
  const done =
    existing === null
      ? null
      : {
          shares: directory.numbers('shares').size,
          ranges: directory.numbers('ranges').size,
          rangesInAll: readSplitters(directory) === null ? cut.ranges : rangeCount(directory, existing),
        };
  const ofShare = plan === null ? { lines: [], json: { mode: 'sort' } } : explanation(cut.job, plan);
  const reasons = [
    ...sizeLines(request, cut, sizes),
    `disk ${formatBytes(sizes.jobDirectory)} in ${directory.label} and ${formatBytes(sizes.output)} in ` +
      `${displayName(directoryOf(output))}, besides the input`,
    ...timeLines(times, machine),
    done === null
      ? `job directory ${directory.label}: it does not exist yet`
      : `job directory ${directory.label}: it holds an unfinished sort, which is resumed; ` +
        `${done.shares} of ${cut.shares.length} shares and ${done.ranges} of ${done.rangesInAll} ranges are done`,
    ...ofShare.lines.map((line) => `share task: ${line}`),
  ];
  const cluster = {
    distributed: true,
    scheduler: request.scheduler.kind,
    shares: cut.shares.length,
    ranges: sizes.ranges,
    inputBytes: sizes.input,
    phases: sizes.phases.map(({ kind, read, written }) => ({ tasks: kind, readBytes: read, writtenBytes: written })),
    files: sizes.files,
    jobDirectoryBytes: sizes.jobDirectory,
    outputBytes: sizes.output,
    joining: sizes.joining,
    estimates: times.distributed.map(({ atOnce, seconds }) => ({ tasksAtOnce: atOnce, milliseconds: ms(seconds) })),
    aloneMilliseconds: ms(times.alone),
    jobDirectory: directory.label,
    sharesDone: done?.shares ?? 0,
    rangesDone: done?.ranges ?? 0,
  };
  return { lines: reasons, json: { ...ofShare.json, cluster, reasons } };
}

const ms = (seconds: number): number => Math.round(seconds * 1000);

/** The input is so small that this process would sort it. */
async function explainHere(job: SortJob, bytes: number): Promise<Explanation> {
  const here = await explainJob({ ...job, cluster: null });
  const reason =
    `not distributed: ${formatBytes(bytes)} are less than ${formatBytes(LEAST_BYTES[job.cluster!.scheduler.kind])}, ` +
    'below which one machine is faster; --tasks N distributes it';
  const reasons = [reason, ...here.lines];
  return { lines: reasons, json: { ...here.json, cluster: { distributed: false }, reasons } };
}

async function planOfShare(
  { job, shares, ranges, inputs }: InputsInRanges,
  machine: MachineFacts,
): Promise<Plan | null> {
  if (shares.length === 0) return null;
  const parts = shareInputs(inputs, shares[0]);
  const own = tasksOwn(job, machine, Math.max(shares.length, ranges));
  // The client gives each task its part of the memory with -S; the user did not set it.
  const part: MachineFacts = { ...machine, isShared: own.memoryBytes !== undefined };
  const task = withOwn(job, own);
  const read = { files: parts, headers: headersOf(task), named: NO_OPTION_FILES };
  return planOf(task, read, { machine: part, isWhole: false });
}

const withOwn = (job: SortJob, own: Partial<Resources>): SortJob => ({
  ...job,
  resources: { ...job.resources, ...own },
});

const bytesOf = (parts: ClusterJob['shares'][number]): number =>
  parts.reduce((sum, { begin, end }) => sum + end - begin, 0);

/** Bytes and files. These are upper bounds if they depend on the ordering or the records. */
interface SortSizes {
  readonly input: number;
  readonly output: number;
  readonly ranges: number;
  readonly jobDirectory: number;
  readonly files: number;
  readonly joining: Joining;
  readonly phases: readonly {
    readonly kind: 'share' | 'range' | 'place';
    readonly read: number;
    readonly written: number;
  }[];
}

function sizesOf(cut: InputsInRanges): SortSizes {
  const { job, shares, ranges: wanted, inputs } = cut;
  const isMerged = mergesInputs(cut);
  const input = isMerged ? (knownBytes(inputs) ?? 0) : shares.reduce((sum, parts) => sum + bytesOf(parts), 0);
  const isWhole = isInOrder(job.ordering);
  const ranges = isWhole ? Math.max(1, shares.length) : job.output.limit === null && input > 0 ? wanted : 1;
  const run = (input / Math.max(1, shares.length)) * (isKeyed(job.ordering) && !isWhole ? MOST_KEYED : 1);
  const runs = shares.length * (run + indexBytes(run));
  const joining = joiningOf(job);
  const readOfRun = isWhole ? run : ranges * bytesOfRange(run, ranges);
  const isCopied = joining === 'copied';
  return {
    input,
    output: input,
    ranges,
    jobDirectory: Math.round(runs + (isCopied ? input : 0)),
    files:
      FILES_OF_JOB +
      shares.length * FILES_OF_TASKS.share +
      ranges * FILES_OF_TASKS.range +
      // places.json
      (isCopied ? 1 + ranges * FILES_OF_TASKS.place : 0),
    joining,
    phases: [
      ...(isMerged ? [] : [{ kind: 'share' as const, read: input, written: Math.round(runs) }]),
      { kind: 'range', read: isMerged ? input : Math.round(shares.length * readOfRun), written: input },
      ...(isCopied ? [{ kind: 'place' as const, read: input, written: input }] : []),
    ],
  };
}

function sizeLines(request: ClusterRequest, cut: InputsInRanges, sizes: SortSizes): string[] {
  const { job, shares, inputs } = cut;
  const each = (count: number): string => formatBytes(Math.round(sizes.input / Math.max(1, count)));
  const why =
    job.cluster!.tasks === null
      ? request.scheduler.kind === 'local'
        ? 'one for each process'
        : 'by the size of the input'
      : 'as requested with --tasks';
  const phase = (wanted: SortSizes['phases'][number]['kind']): string => {
    const { read, written } = sizes.phases.find(({ kind }) => kind === wanted)!;
    return `reads ${formatBytes(read)}, writes ${formatBytes(written)}`;
  };
  return [
    `tasks are started by ${NAMES[request.scheduler.kind]}`,
    ...(mergesInputs(cut)
      ? [`no shares: the inputs are sorted, and each range merges its part of ${inputs.length} of them`]
      : [
          `shares ${shares.length} of about ${each(shares.length)}: ${why}; ` +
            `cut between ${isInOrder(job.ordering) ? 'segments' : 'records'}`,
          `first phase, a task for each share: ${phase('share')}`,
        ]),
    `ranges ${sizes.ranges} of about ${each(sizes.ranges)}: ${whyRanges(job, why)}`,
    `${mergesInputs(cut) ? 'only' : 'second'} phase, a task for each range: ${phase('range')}`,
    `output: ${JOINING[sizes.joining]}${sizes.joining === 'copied' ? `, which ${phase('place')}` : ''}`,
    ...(isKeyed(job.ordering) && !mergesInputs(cut)
      ? ['stored runs hold a key with each record: their sizes are upper bounds']
      : []),
    ...(hasAll(job) ? [] : ['records are dropped: later sizes are upper bounds']),
    ...(inputs.some(({ compressed }) => compressed)
      ? ['inputs are compressed: their text, the stored runs and the output are larger than shown']
      : []),
    `files ${sizes.files}: a few for each task`,
  ];
}

function whyRanges({ ordering, output: { limit } }: SortJob, why: string): string {
  if (isInOrder(ordering)) return 'segments stay in the order of the input, so each range is a share';
  return limit === null ? why : 'one task writes the few requested records';
}

interface EstimatedTimes {
  readonly distributed: readonly { readonly atOnce: number; readonly seconds: number }[];
  readonly alone: number;
  readonly engine: Worker['engine'];
}

function timesOf(
  cut: InputsInRanges,
  { input, ranges }: SortSizes,
  machine: MachineFacts,
  engine: Worker['engine'],
): EstimatedTimes {
  const { job, shares, inputs } = cut;
  const { scheduler } = job.cluster!;
  const workerOf = (asked: SortJob): Worker => ({
    engine,
    processors: asked.resources.parallel ?? machine.processors,
    memoryBytes: plannedMemory(asked, machine),
  });
  const most = Math.max(shares.length, ranges, 1);
  const task = workerOf(withOwn(job, tasksOwn(job, machine, most)));
  const counts =
    scheduler.kind === 'local'
      ? [Math.min(scheduler.processes, most)]
      : [...new Set([...AT_ONCE.filter((count) => count < most), most])];
  const wait = scheduler.kind === 'slurm' ? WAITS.phaseWait : 0;
  const seconds = mergesInputs(cut) ? mergingSeconds : distributedSeconds;
  const work = { bytes: input, shares: Math.max(1, (mergesInputs(cut) ? inputs : shares).length), ranges, wait };
  const all = counts.map((atOnce) => ({ atOnce, seconds: seconds(work, task, atOnce) }));
  return {
    distributed: all.filter(({ seconds }, i) => i === 0 || seconds < SHORTER * all[i - 1].seconds),
    alone: mergesInputs(cut)
      ? mergingSeconds({ ...work, ranges: 1, wait: 0 }, workerOf(job), 1)
      : aloneSeconds(input, workerOf(job)),
    engine,
  };
}

function timeLines({ distributed, alone, engine }: EstimatedTimes, { processors }: MachineFacts): string[] {
  const best = Math.min(...distributed.map(({ seconds }) => seconds));
  const shown = distributed.map(({ atOnce, seconds }) => `${formatTime(ms(seconds))} with ${atOnce} tasks at a time`);
  return [
    `time about ${shown.join(', ')}: measured rates of the ${engine === 'gpu' ? 'GPU' : 'CPU'} engine, for machines ` +
      `with ${processors} processors like this one, and a file system that keeps up`,
    `one machine takes about ${formatTime(ms(alone))}${alone <= best ? ': it is faster' : ''}`,
  ];
}
