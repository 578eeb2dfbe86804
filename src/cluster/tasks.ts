/** Runs the task that the command names. A task is a pure function of the files in the job directory. */
import { hostname } from 'node:os';
import type { SortJob, TaskOverrides } from '../job/job.js';
import { watchParts } from '../keys/presence.js';
import { type FileTarget, type NewTarget, openTarget } from '../output/target.js';
import type { Recorder } from '../report/recorder.js';
import type { Splitter } from '../runs/splitters.js';
import { GpusortError, systemText } from '../system/errors.js';
import { fileSystem } from '../system/file-system.js';
import { directoryOf } from '../system/links.js';
import { quiet } from '../system/promises.js';
import { absolute, JobDirectory, type TaskKind } from './directory.js';
import { finishOutput, rangeResults, rangesBetween, removeJob } from './finish.js';
import {
  type ClusterJob,
  checkVersion,
  DamagedFile,
  isInOrder,
  keepsKeysWhole,
  mergesInputs,
  ownVersion,
  readJob,
  writeJson,
} from './job-file.js';
import { OpenFiles } from './open-files.js';
import {
  locatedIn,
  openCuttables,
  placePart,
  readSplitters,
  runRange,
  writePlaces,
  writeSplitters,
} from './range-task.js';
import { runShare } from './share-task.js';
import { chooseSplitters } from './splitters.js';
import { DamagedShare } from './stored-share.js';

/** The error that a failed task leaves for the client. */
export interface TaskError {
  readonly code: string;
  readonly message: string;
  readonly hint: string | null;
  readonly exitCode: number;
  readonly host: string;
  /** The share whose run is damaged and must be rebuilt; null: none. */
  readonly damagedShare: number | null;
}

const TASK = /^(share|range|place)-(\d{4,9})$/;

/**
 * Runs task `DIR/share-0007`, `DIR/range-0003`, `DIR/place-0003`, `DIR/splitters` or `DIR/finish`. If it fails, it
 * leaves its error in the directory and rejects.
 */
export async function runTask(
  path: Buffer,
  overrides: TaskOverrides,
  temporaryDirectory: Buffer,
  recorder: Recorder,
): Promise<void> {
  const directory = new JobDirectory(absolute(directoryOf(path)));
  const name = path.subarray(path.lastIndexOf('/') + 1).toString('latin1');
  directory.refuseOthers();
  const cluster = readJob(directory);
  if (cluster === null)
    throw new GpusortError('usage', `${directory.label} is not a job directory`, {
      hint: 'Give the directory that gpusort --cluster made, and a task in it: DIR/share-0000.',
    });
  checkVersion(cluster, directory, ownVersion());
  const mode = mergesInputs(cluster) ? 'merge' : 'sort';
  const given = { ...cluster.job.resources, ...overrides };
  const hasOwn = given.temporaryDirectories.length > 0;
  const resources = hasOwn ? given : { ...given, temporaryDirectories: [temporaryDirectory] };
  const job: SortJob = { ...cluster.job, mode, resources };
  watchParts(job, recorder);
  try {
    await perform(name, directory, cluster, job, recorder);
  } catch (error) {
    // The error itself is reported.
    await quiet(writeJson(directory.error(name), errorOf(error)));
    throw error;
  }
}

async function perform(
  name: string,
  directory: JobDirectory,
  cluster: ClusterJob,
  job: SortJob,
  recorder: Recorder,
): Promise<void> {
  const [, kind, digits] = TASK.exec(name) ?? [];
  const number = Number(digits);
  if (kind !== undefined && directory.isDone(kind as TaskKind, number)) return;
  if (kind === 'share' && number < cluster.shares.length) return runShare(directory, cluster, job, number, recorder);
  if (kind === 'range' || kind === 'place') {
    const splitters = neededSplitters(directory, cluster);
    const ranges = rangesBetween(splitters, cluster);
    // There may be fewer ranges than requested.
    if (number >= ranges) return;
    return kind === 'range'
      ? runRange(directory, cluster, job, { number, splitters }, recorder)
      : place(directory, cluster, number, ranges, recorder);
  }
  if (name === 'splitters') return makeSplitters(directory, cluster);
  if (name === 'finish') {
    neededSplitters(directory, cluster);
    const target = job.cluster?.parts ? null : await openTarget(job.output.file!);
    await finishOutput(directory, cluster, target as FileTarget | NewTarget | null, recorder);
    await removeJob(directory);
    return;
  }
  throw new GpusortError('usage', `${directory.label} has no task ${name}`, {
    hint: `It has share-0000 and on (${cluster.shares.length}), splitters, range-0000 and on, and finish.`,
  });
}

async function place(
  directory: JobDirectory,
  cluster: ClusterJob,
  number: number,
  ranges: number,
  recorder: Recorder,
): Promise<void> {
  if (!fileSystem.existsSync(directory.places()))
    await writePlaces(directory, await rangeResults(directory, cluster, ranges));
  return placePart(directory, cluster, number, recorder);
}

/** The splitters; none between segments. Throws `usage` if they are not chosen yet. */
function neededSplitters(directory: JobDirectory, { job }: ClusterJob): readonly Splitter[] {
  const splitters = readSplitters(directory);
  if (splitters !== null) return splitters;
  if (isInOrder(job.ordering)) return [];
  throw new GpusortError('usage', `${directory.label} has no splitters yet`, {
    hint: 'Run all shares first, then DIR/splitters, then the ranges.',
  });
}

/** Chooses the splitters from the samples of all runs, unless that is done. */
export async function makeSplitters(directory: JobDirectory, cluster: ClusterJob): Promise<void> {
  const { job, ranges } = cluster;
  if (hasSplitters(directory)) return;
  const files = new OpenFiles();
  try {
    const shares = await openCuttables(directory, cluster, job, files);
    // With a limit, one range writes everything: the runs hold no more than the limit.
    const wanted = job.output.limit === null ? ranges : 1;
    const splitters = isInOrder(job.ordering)
      ? []
      : await chooseSplitters(shares, job.ordering, wanted, { whole: keepsKeysWhole(job) });
    await writeSplitters(directory, splitters);
  } catch (error) {
    throw await locatedIn(cluster, error);
  } finally {
    files.close();
  }
}

/** Damaged splitters are chosen again: they are the same. */
function hasSplitters(directory: JobDirectory): boolean {
  try {
    return readSplitters(directory) !== null;
  } catch (error) {
    if (error instanceof DamagedFile) return false;
    throw error;
  }
}

function errorOf(error: unknown): TaskError {
  const known = error instanceof GpusortError;
  return {
    code: known ? error.code : 'internal',
    message: known ? error.message : systemText(error),
    hint: known ? (error.hint ?? null) : null,
    exitCode: known ? error.exitCode : 2,
    host: hostname(),
    damagedShare: error instanceof DamagedShare ? error.share : null,
  };
}
