/**
 * The inputs of a job, examined before anything is read, and their headers. Some may be open already.
 */
import { setImmediate } from 'node:timers/promises';
import type { FileName, Resources, SortJob } from '../job/job.js';
import { mayKeepPipes } from '../plan/bam.js';
import { mayInflatePipes } from '../plan/device-codec.js';
import { machineFacts, whyNoGpu } from '../plan/facts.js';
import { mostCodecThreads } from '../plan/memory.js';
import { type Shuffle, shuffleBy } from '../records/shuffled.js';
import type { ByteSource } from '../system/byte-source.js';
import { mostWorkers } from '../system/limits.js';
import type { Completion } from './complete.js';
import { FastaSections } from './fasta-section.js';
import { type InputFile, type InputForm, isEmptyFile, statInput } from './files.js';
import { openText, withReplay } from './framed.js';
import { Headers } from './header.js';
import { NO_OPTION_FILES, type OptionFiles } from './option-files.js';
import { recognizedFile, recognizedPipe, requirePrograms } from './recognize.js';
import { closeReplays } from './replay.js';

/** The inputs that are open before the job begins. */
export interface OpenSources {
  /** The open inputs, by the names that they have in the job. */
  readonly sources: ReadonlyMap<FileName, ByteSource>;
  /** Ends reads of inputs when it is aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Called if programs may decompress inputs, although the job did not say so. */
  readonly expectPrograms?: () => void;
}

export interface Inputs extends Completion {
  readonly files: readonly InputFile[];
}

interface OpenInputs {
  readonly named?: OptionFiles;
  readonly open?: OpenSources;
  readonly taker?: InputForm['taker'];
}

/** After this many inputs, signals are let through. */
const INPUTS_PER_STEP = 1000;

/**
 * Examines all inputs, in order. Standard input is read once, however often it is named. `named`: see Completion.
 * `taker` receives the bytes read. Throws `cannot-read`.
 */
export async function openInputs(
  job: SortJob,
  { named = NO_OPTION_FILES, open = { sources: new Map() }, taker }: OpenInputs = {},
): Promise<Inputs> {
  const { input, mode } = job;
  const { sources, signal, expectPrograms } = open;
  const form: InputForm = {
    ...{ ...input, format: input.genomics?.format ?? null, threads: codecThreads(job), taker, signal },
    shuffle: shuffleOf(job, named),
  };
  const stat = (name: FileName, mates: readonly InputFile[] = []): InputFile =>
    statInput(name, mode, sources.size === 0 ? form : { ...form, source: sources.get(name) }, mates, opened.length + 1);
  const first = input.files.indexOf(null);
  const opened: InputFile[] = [];
  const threads = (): number => mostThreads(job.resources);
  for (const [i, name] of input.files.entries()) {
    if (name === null && i !== first) continue;
    const mates = input.mates.map((mate) => stat(mate));
    const file = stat(name, mates);
    opened.push(input.recognizes ? recognizedFile(file, job, threads) : file);
    if (opened.length % INPUTS_PER_STEP === 0) await setImmediate();
  }
  if (opened.some(({ compressed, mates }) => compressed || mates.some((mate) => mate.compressed))) {
    requirePrograms(opened);
    expectPrograms?.();
  }
  const keeps = opened.some(isPipe) && keepsPipes(job, taker);
  const files = keeps ? opened.map((file) => (isPipe(file) ? withReplay(file) : file)) : opened;
  const headers = headersOf(job);
  if (headers !== null)
    headers.sections = new FastaSections(files, mode === 'check' ? null : job.resources.temporaryDirectories);
  return { files, headers, named };
}

/**
 * The inputs, with what the first bytes of standard input show if it is a pipe and the job recognizes inputs. Waits for
 * these bytes, so the output is opened before. Throws `bad-records` for a form that cannot be sorted.
 */
export async function withStandardInput(
  job: SortJob,
  inputs: Inputs,
  { expectPrograms }: OpenSources,
): Promise<Inputs> {
  const { files } = inputs;
  const at = files.findIndex(({ name, extent }) => name === null && extent === null);
  if (!job.input.recognizes || at < 0) return inputs;
  const known = await recognizedPipe(files[at], job, () => mostThreads(job.resources));
  if (known.decompress) expectPrograms?.();
  return { ...inputs, files: files.map((file, i) => (i === at ? known : file)) };
}

function shuffleOf({ input: { shuffle }, ordering: { format } }: SortJob, { seed }: OptionFiles): Shuffle | null {
  return shuffle === null || format.kind === 'fixed' ? null : shuffleBy(seed!, format.delimiter);
}

/** Whether the sort may have to start over: it leaves pipes to a road that may be impossible. */
function keepsPipes(job: SortJob, taker: InputForm['taker']): boolean {
  if (!job.input.decompress) return false;
  return mayKeepPipes(job) || (taker === undefined && mayInflatePipes(job, whyNoGpu() === null));
}

/** Whether an input can be read only once, from beginning to end. */
function isPipe(input: InputFile): boolean {
  return input.extent === null && (input.source !== undefined || !isEmptyFile(input));
}

/** Closes what is still open of inputs. */
export function closeInputs({ files, headers }: Inputs): void {
  headers?.close();
  closeReplays(files);
}

export function headersOf({
  input: { header, combined },
  ordering: { format },
}: Pick<SortJob, 'input' | 'ordering'>): Headers | null {
  return header === null ? null : new Headers(header, format, combined);
}

/** Strips the headers of regular files. If headers are united, also reads those of all other inputs. */
export async function stripHeaders(inputs: Inputs): Promise<Inputs> {
  const { files, headers } = inputs;
  if (headers === null) return inputs;
  const stripped: InputFile[] = [];
  for (const file of files) {
    const one = await headers.stripFile(file);
    if (!one.headerStripped && files.length > 1 && headers.unites) await readHeader(one, headers);
    stripped.push(one);
  }
  return { ...inputs, files: stripped };
}

/** Reads the headers that complete a job: all of them if they are united, otherwise the first one. */
export async function readHeaders({ files, headers }: Pick<Inputs, 'files' | 'headers'>): Promise<void> {
  if (headers === null) return;
  for (const file of files) if (headers.unites || headers.areInputsEmpty) await readHeader(file, headers);
}

/** Reads the header of an input. The input stays open if it is a pipe, or if no other header is read in advance. */
async function readHeader(input: InputFile, headers: Headers): Promise<void> {
  if (isEmptyFile(input)) return;
  const reader = await openText(input, headers);
  if (input.extent === null || !headers.unites) headers.hold(input, reader);
  else reader.close();
}

/** Whether an output is compressed. */
const compresses = ({ compression, duplicates }: SortJob['output']): boolean =>
  compression !== null || (duplicates !== null && duplicates.compression !== null);

/** The codec threads that a sort of `files` starts, for the plan. A pipe may turn out to be compressed. */
export function plannedCodecThreads(job: SortJob, files: readonly InputFile[]): number {
  const inflates = ({ decompress, extent, compressed, mates }: InputFile): boolean =>
    (decompress && (extent === null || compressed)) || mates.some(inflates);
  return compresses(job.output) || files.some(inflates) ? mostThreads(job.resources) : 0;
}

/** The maximum number of threads that decompress, and of those that compress; 0 if the job does neither. */
export function codecThreads({ input, output, resources }: Pick<SortJob, 'input' | 'output' | 'resources'>): number {
  // Asking the system takes too long for a small sort.
  return input.decompress || compresses(output) ? mostThreads(resources) : 0;
}

/** The maximum number of threads that decompress, or of those that compress. */
export function mostThreads(resources: Resources): number {
  return Math.min(mostWorkers(), mostCodecThreads(resources), resources.parallel ?? machineFacts().processors);
}
