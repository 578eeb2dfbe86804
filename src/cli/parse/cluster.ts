/** Turns the options for clusters into settings of a job or a task. Refuses incompatible ones. */
import type { ClusterRequest, FileName, SchedulerRequest, TaskOverrides } from '../../job/job.js';
import { GpusortError } from '../../system/errors.js';
import { isWindows } from '../../system/platform.js';
import { toName } from './argv.js';
import { optionValue, type Values } from './option-values.js';
import { parseChoice, quoteLikeC } from './values.js';

const SCHEDULERS = { choices: [['slurm'], ['local:N'], ['prepare']] };
/** Options that need --cluster, and those that only Slurm uses. */
const OF_CLUSTER = ['tasks', 'work-dir', 'slurm-options', 'output-parts', 'detach'];
const OF_SLURM = ['slurm-options', 'detach'];

/** The argument of --cluster: `slurm`, `local:N` or `prepare`. */
export function parseScheduler(text: string, spelling: string, programName: string): SchedulerRequest {
  const processes = /^local:(.*)$/s.exec(text)?.[1];
  const kind = processes === undefined ? parseChoice(text, spelling, SCHEDULERS, programName) : 'local:N';
  if (kind === 'slurm') return { kind, options: [] };
  if (kind === 'prepare') return { kind };
  if (!/^0*[1-9][0-9]{0,2}$/.test(processes ?? ''))
    throw usage(
      `invalid number of processes in ${spelling} argument ${quoteLikeC(text)}`,
      'Write a number from 1 to 999 after local:, for example local:4.',
    );
  return { kind: 'local', processes: Number(processes) };
}

/** Throws on Windows, where Slurm does not run: tasks are named by POSIX paths. */
export function refuseClusterOnWindows(spelling: string): void {
  if (isWindows()) throw usage(`${spelling} cannot be used on Windows`, 'Sort in one process, or use Linux or macOS.');
}

/** How the sort is distributed; null: it is not distributed. */
export function clusterOf(values: Values): ClusterRequest | null {
  const { cluster, tasks, workDir, slurmOptions, outputParts, detach, output, temporaryDirectory } = values;
  const given = (names: readonly string[]): string | undefined =>
    names.find((long) => optionValue(values, long) !== undefined);
  if (cluster === undefined) {
    const needy = given(OF_CLUSTER);
    if (needy === undefined) return null;
    throw usage(`--${needy} needs --cluster`, 'Add --cluster slurm, --cluster local:N or --cluster prepare.');
  }
  refuseClusterOnWindows('--cluster');
  const needy = cluster.kind === 'slurm' ? undefined : given(OF_SLURM);
  if (needy !== undefined) throw usage(`--${needy} needs --cluster slurm`, `Leave out --${needy}.`);
  if (output === undefined)
    throw usage('--cluster needs -o FILE', 'Add -o FILE: several tasks cannot write to standard output.');
  return {
    scheduler: cluster.kind === 'slurm' ? { ...cluster, options: slurmOptions ?? [] } : cluster,
    tasks: tasks ?? null,
    workDirectory: workDir === undefined ? null : toName(workDir),
    parts: outputParts ?? false,
    detach: detach ?? false,
    nodeTemporary: temporaryDirectory === undefined,
  };
}

/** Throws if standard input is among the inputs. */
export function refuseInputsOfCluster(inputs: readonly FileName[]): void {
  if (inputs.includes(null))
    throw usage(
      '--cluster cannot read standard input',
      'Name the input files; all nodes of the cluster must be able to read them.',
    );
}

/** The settings in a task's command that concern its own work; all other settings are those of the job. */
export function overridesOf(values: Values): TaskOverrides {
  const { engine, algorithm, bufferSize, gpuMemory, chunkSize, parallel, temporaryDirectory } = values;
  return {
    ...(engine !== undefined && { engine }),
    ...algorithm,
    ...(bufferSize !== undefined && { memoryBytes: bufferSize }),
    ...(gpuMemory !== undefined && { gpuMemoryBytes: gpuMemory }),
    ...(chunkSize !== undefined && { chunkBytes: chunkSize }),
    ...(parallel !== undefined && { parallel }),
    ...(temporaryDirectory !== undefined && { temporaryDirectories: temporaryDirectory.map(toName) }),
  };
}

function usage(message: string, hint: string): GpusortError {
  return new GpusortError('usage', message, { hint });
}
