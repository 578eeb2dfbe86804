/**
 * Turns arguments into a request: a frozen SortJob, or one that sorts nothing. Reads no file and makes no system call:
 * the caller passes the facts it needs.
 */
import type { FileName, FormatName, ProgramRun, ReportRequest, SortJob, TaskOverrides } from '../job/job.js';
import { requestedEngine } from '../plan/engine.js';
import { quoteName } from '../report/names.js';
import { GpusortError } from '../system/errors.js';
import { globalLetters } from './options/ordering-rows.js';
import { OPTION_NAMES, readValues, refuseGnuConflicts, refuseOwnConflicts } from './options/table.js';
import { toInput, toName } from './parse/argv.js';
import { overridesOf, refuseClusterOnWindows, refuseInputsOfCluster } from './parse/cluster.js';
import type { Surroundings } from './parse/environment.js';
import { mustGuess, refuseInputsOfMates, withStandardOutput } from './parse/genomics.js';
import { splitArguments } from './parse/getopt.js';
import { lineOrdering, makeJob } from './parse/make-job.js';
import type { Form, HelpTopic, Shell, Values } from './parse/option-values.js';
import { usageError } from './parse/usage.js';
import { warningsOf, warningsOfShort } from './parse/warnings.js';
import { type Presets, readPresets } from './presets.js';

export type Request =
  | { readonly action: 'help'; readonly topic: HelpTopic }
  | { readonly action: 'version' }
  | AdaptersRequest
  | { readonly action: 'completions'; readonly shell: Shell }
  | TaskRequest
  | JobRequest;

interface AdaptersRequest {
  readonly action: 'adapters';
  readonly form: Form;
  /** Whether it is a failure that no GPU can be used. */
  readonly needsGpu: boolean;
}

/** A task of a distributed sort, to be run in this process. */
export interface TaskRequest extends Pick<ReportRequest, 'stats' | 'progress' | 'color'> {
  readonly action: 'cluster-task';
  /** The job directory and the name of the task: `DIR/share-0007`. */
  readonly task: Buffer;
  readonly overrides: TaskOverrides;
  /** The directory for temporary files unless -T was given: TMPDIR, otherwise the system's. */
  readonly temporaryDirectory: Buffer;
}

export interface JobRequest {
  readonly action: 'sort';
  /** The job; it has no inputs if `namesFrom` is given. */
  readonly job: SortJob;
  /** The file with the names of the inputs. */
  readonly namesFrom?: FileName;
  /** Whether the format of the first input must be guessed. */
  readonly guesses: boolean;
  /**
   * Returns the job with the inputs that `namesFrom` names, and the guessed format. Throws `usage` if -c has several
   * inputs or an output, and if the options do not fit the format.
   */
  readonly completed: (inputs: readonly FileName[], guessed: FormatName | null) => SortJob;
  /** Warnings about the command line. */
  readonly warnings: readonly string[];
}

/**
 * `argv` holds the arguments after the program's name, one character per byte. Throws a GpusortError with GNU's
 * sentence.
 */
export function parseArguments(argv: readonly string[], surroundings: Surroundings): Request {
  const { options, operands, problem } = splitArguments(argv, OPTION_NAMES, surroundings);
  const values = readValues(options, surroundings);
  if (problem !== null) throw problem;
  if (values.help !== undefined) return { action: 'help', topic: values.help };
  if (values.version) return { action: 'version' };
  if (values.adapters !== undefined)
    return { action: 'adapters', form: values.adapters, needsGpu: values.engine === 'gpu' };
  if (values.completions !== undefined) return { action: 'completions', shell: values.completions };
  if (values.clusterTask !== undefined) return taskRequest(values, values.clusterTask, operands, surroundings);
  const { programName, version } = surroundings;
  const run = (): ProgramRun => ({ version: version(), command: [programName, ...argv].join(' ') });
  return jobRequest(values, operands, { ...surroundings, run, argv });
}

/**
 * Throws `usage` if an option of `argv` has a value that it does not take. Options that belong together may be missing.
 */
export function refuseValues(argv: readonly string[], surroundings: Surroundings): void {
  readValues(splitArguments(argv, OPTION_NAMES, surroundings).options, surroundings);
}

function taskRequest(
  values: Values,
  task: string,
  operands: readonly string[],
  surroundings: Surroundings,
): TaskRequest {
  refuseClusterOnWindows('--cluster-task');
  refuseOwnConflicts(values);
  if (operands.length > 0) {
    throw new GpusortError('usage', `extra operand ${quoteName(toName(operands[0]))} not allowed with --cluster-task`, {
      hint: 'Leave it out: the job directory says which files are sorted.',
    });
  }
  const { stats = 'no', progress = 'auto', color = 'auto' } = values;
  return {
    action: 'cluster-task',
    task: toName(task),
    overrides: overridesOf(values),
    temporaryDirectory: toName(surroundings.temporaryDirectory),
    ...{ stats, progress, color },
  };
}

function jobRequest(
  values: Values,
  operands: readonly string[],
  surroundings: Surroundings & { readonly run: () => ProgramRun; readonly argv: readonly string[] },
): JobRequest {
  const { check, debug, files0From } = values;
  if (files0From !== undefined && operands.length > 0) {
    throw usageError(`extra operand ${quoteName(toName(operands[0]))}`, surroundings.programName, {
      list: 'file operands cannot be combined with --files0-from\n',
    });
  }
  refuseOwnConflicts(values);
  const letters = globalLetters(values);
  const guesses = mustGuess(values);
  const presets = readPresets(values, surroundings);
  const jobFor = (guessed: FormatName | null): SortJob =>
    makeJob(withStandardOutput({ ...presets.values, ...values }), letters, surroundings, guessed);
  // If the format has yet to be guessed, this is the job for plain lines.
  const job = jobFor(null);
  refuseGnuConflicts('debug', values);
  const { compressProgram, output, outputFormat } = values;
  const isMistaken = surroundings.recognizes && compressProgram !== undefined && outputFormat === undefined;
  const isTable = values.json || values.csv || values.tsv;
  const warnings = [
    ...(debug || (isTable && letters.has('r')) ? warningsOf(lineOrdering(values, letters)) : []),
    ...(isMistaken && job.output.compression !== null ? warningsOfShort(surroundings.argv, toName(output!)) : []),
  ];
  const completed = (inputs: readonly FileName[], guessed: FormatName | null): SortJob => {
    if (check !== undefined && inputs.length > 1) {
      const operand = quoteName(inputs[1] ?? Buffer.from('-'));
      throw new GpusortError('usage', `extra operand ${operand} not allowed with -${check.letter}`);
    }
    refuseGnuConflicts('output', values);
    refuseInputsOfMates(inputs, job.input.mates);
    if (job.cluster !== null) refuseInputsOfCluster(inputs);
    const complete = guessed === null ? job : jobFor(guessed);
    return withPresets({ ...complete, input: { ...complete.input, files: inputs } }, presets);
  };
  if (files0From !== undefined)
    return {
      action: 'sort',
      job,
      namesFrom: toInput(files0From),
      guesses,
      completed,
      warnings,
    };
  const inputs = operands.length === 0 ? [null] : operands.map(toInput);
  return { action: 'sort', job: completed(inputs, null), guesses, completed, warnings };
}

/**
 * The job with the names of the presets in effect. An engine that cannot do the command line's job is left out. Throws
 * `usage` if no engine can.
 */
function withPresets(job: SortJob, { shown }: Presets): SortJob {
  const preset = Object.freeze<SortJob>({ ...job, report: { ...job.report, presets: Object.values(shown) } });
  if (job.mode !== 'sort') return preset;
  try {
    requestedEngine(preset);
    return preset;
  } catch (error) {
    const { engine, ...others } = shown;
    if (engine === undefined) throw error;
    const free = Object.freeze<SortJob>({
      ...job,
      resources: { ...job.resources, engine: 'auto' },
      report: { ...job.report, presets: Object.values(others) },
    });
    requestedEngine(free);
    return free;
  }
}
