/** Chooses the engine: the requested one, or a GPU if there is one and the input is large enough. Pure. */
import { keysOnDevice } from '../engines/gpu/records/keyed-lines/key-support.js';
import {
  type AlgorithmRequest,
  algorithmRow,
  algorithmsOn,
  INPUT_KINDS,
  type InputKind,
  requestText,
  tuningRow,
} from '../job/algorithm-table.js';
import type { PlannedJob, SortJob } from '../job/job.js';
import { type KeyPart, type Ordering, PART_ORDERS, type SortKey } from '../job/ordering.js';
import { isCollated } from '../keys/collation/collation.js';
import { formatBytes, MiB } from '../report/units.js';
import { GpusortError } from '../system/errors.js';
import { collatingReason } from './collated.js';
import type { AdapterAnswer, InputFacts } from './facts.js';
import { BINDING_PAD, recordBytes } from './memory.js';

/**
 * Input sizes from which a GPU is faster. An H200 takes 0.3 s to start, and sorts 100 MB in 0.64 s and 300 MB in 0.75
 * s; 16 processors take 0.46 and 0.95 s. If processors make the keys (GPU and CPU engine): -V 200 MB 1.22 and 0.93 s,
 * 1.2 GB 3.5 and 4.0 s; -g 200 MB 1.25 and 1.07 s, 500 MB 1.8 and 2.1 s. If they also look for quotes: 500 MB 2.4 and
 * 1.4 s, 2.4 GB 7.5 and 6.8 s. Keys of genomics data are made faster than they are sent to the GPU: SAM by coordinate
 * as in Picard, 2 GB 2.8 and 1.8 s, with 4 processors 3.9 and 3.2 s; by coordinate, when processors still made these
 * keys, 8 GB 10.2 and 6.1 s.
 */
const GPU_BYTES = { own: 160 * MiB, hostKeys: 512 * MiB, quoted: 3072 * MiB, genomics: Infinity } as const;

/** Whether the choice of engine depends on the adapter. */
export function adapterMatters(job: PlannedJob, input: InputFacts): boolean {
  if (job.mode !== 'sort' || requestedEngine(job) === 'cpu') return false;
  return requestedEngine(job) === 'gpu' || worthwhile(job, input);
}

/** Whether a GPU may be found that the plan would depend on. `gpu`: there may be a GPU. */
export function mayUseGpu(job: PlannedJob, input: InputFacts, gpu: boolean): boolean {
  return adapterMatters(job, input) && (requestedEngine(job) === 'gpu' || gpu);
}

export function chooseEngine(
  job: PlannedJob,
  input: InputFacts,
  adapter: AdapterAnswer,
  reasons: string[],
): 'gpu' | 'cpu' {
  const requested = requestedEngine(job);
  if (requested === 'cpu') {
    reasons.push(
      isCollated(job.ordering)
        ? `engine cpu: ${collatingReason(job.ordering)}`
        : job.resources.engine === 'cpu'
          ? 'engine cpu: as requested'
          : `engine cpu: --algorithm ${requestText(job.resources)} runs there`,
    );
    return 'cpu';
  }
  if (requested === 'gpu') {
    if (adapter === null || !adapter.found)
      throw new GpusortError('no-adapter', adapter?.reason ?? 'no GPU was looked for');
    if (adapter.maxBindingBytes - BINDING_PAD < recordBytes(job)) {
      throw new GpusortError('usage', `${adapter.name} cannot hold a record of ${formatBytes(recordBytes(job))}`, {
        hint: remedyOnCpu('Use --engine cpu.', job),
      });
    }
    const why =
      job.resources.engine === 'gpu' ? 'as requested' : `--algorithm ${requestText(job.resources)} runs there`;
    reasons.push(`engine gpu: ${why}, on ${adapter.name}`);
    return 'gpu';
  }
  if (!worthwhile(job, input)) {
    const bytes = input.bytes === null ? 'input of unknown size' : formatBytes(input.bytes);
    reasons.push(
      input.bytes !== null && input.bytes < GPU_BYTES.own
        ? `engine cpu: sorting ${bytes} takes less time than starting a GPU`
        : `engine cpu: the CPU makes the keys, and sorts ${bytes} as fast as a GPU would`,
    );
    return 'cpu';
  }
  if (adapter === null || !adapter.found) {
    const why = input.repeats == null ? 'no GPU was looked for' : 'counting equal records needs no GPU';
    reasons.push(`engine cpu: ${adapter?.reason ?? why}`);
    return 'cpu';
  }
  if (adapter.software) {
    reasons.push(`engine cpu: ${adapter.name} is a software GPU`);
    return 'cpu';
  }
  if (adapter.maxBindingBytes - BINDING_PAD < recordBytes(job)) {
    reasons.push(`engine cpu: ${adapter.name} cannot hold a record of ${formatBytes(recordBytes(job))}`);
    return 'cpu';
  }
  const why = input.bytes === null ? 'the input is longer than what was read ahead' : formatBytes(input.bytes);
  reasons.push(`engine gpu: ${why}, on ${adapter.name}`);
  return 'gpu';
}

/** Whether a GPU sorts the input faster than 16 processors. An input of unknown size counts as large enough. */
export function worthwhile({ ordering }: PlannedJob, { bytes }: InputFacts): boolean {
  return (bytes ?? GPU_BYTES.hostKeys) >= gpuBytes(ordering.key);
}

export function gpuBytes(key: SortKey): number {
  if (key.kind !== 'normalized' || keysOnDevice(key)) return GPU_BYTES.own;
  if (key.parts.some(isOfGenomics)) return GPU_BYTES.genomics;
  return key.parts.some(({ span }) => span.quoted) ? GPU_BYTES.quoted : GPU_BYTES.hostKeys;
}

/** Whether a part has an order of genomics, or is a field of BAM. */
function isOfGenomics({ order, bam }: KeyPart): boolean {
  return bam !== undefined || (order !== 'empty' && PART_ORDERS.indexOf(order) >= PART_ORDERS.indexOf('natural'));
}

const ENGINES = ['gpu', 'cpu'] as const;
/** The longest keys that sorts of numbers take. */
const SHORT_KEY_BYTES = 16;

/**
 * Throws `usage` if the engine does not have the algorithm with its tunings, if the algorithm does not sort such input,
 * or if a tuning would have no effect.
 */
export function requestedEngine({
  ordering,
  resources: { engine, algorithm, tunings },
}: Pick<SortJob, 'ordering' | 'resources'>): 'auto' | 'gpu' | 'cpu' {
  if (isCollated(ordering)) {
    if (engine !== 'gpu') return 'cpu';
    throw new GpusortError(
      'usage',
      '--locale runs on --engine cpu only: ICU compares strings, and makes no keys that a GPU could sort by',
    );
  }
  if (algorithm === 'auto') return engine;
  const request: Requested = { algorithm, tunings };
  const kind = inputKind(ordering);
  const engines = enginesOf(request).filter((one) => algorithmRow(algorithm)[one].includes(kind));
  if (engines.length === 0) throw doesNotSort(request, kind, engine);
  if (engine !== 'auto' && !engines.includes(engine)) throw notOn(request, kind, engines[0]);
  refuseIdleTunings(request, kind);
  return engines.length > 1 ? engine : engines[0];
}

/**
 * A remedy for this job that names --engine cpu. If the job requests an algorithm that only GPUs have, the remedy drops
 * it.
 */
export function remedyOnCpu(
  remedy: string,
  { ordering, resources: { algorithm, tunings } }: Pick<SortJob, 'ordering' | 'resources'>,
): string {
  const runs =
    algorithm === 'auto' || (tunings.length === 0 && algorithmRow(algorithm).cpu.includes(inputKind(ordering)));
  return runs ? remedy : remedy.replace('--engine cpu', '--engine cpu without --algorithm');
}

/** The kind of input by which algorithms are accepted. */
function inputKind({ format, key, segments }: Ordering): InputKind {
  if (segments !== undefined) return 'segments';
  if (format.kind === 'lines') return 'lines';
  return (key.kind === 'bytes' ? key.length : format.size) > SHORT_KEY_BYTES ? 'longKeys' : 'shortKeys';
}

/** A request that names an algorithm. */
type Requested = AlgorithmRequest & { readonly algorithm: Exclude<AlgorithmRequest['algorithm'], 'auto'> };

/** The engines that have the algorithm. Its tunings are those of a GPU. */
function enginesOf({ algorithm, tunings }: Requested): readonly ('gpu' | 'cpu')[] {
  return ENGINES.filter((one) => algorithmRow(algorithm)[one].length > 0 && (one === 'gpu' || tunings.length === 0));
}

/** Throws `usage` if a tuning changes nothing for such input. */
function refuseIdleTunings({ algorithm, tunings }: Requested, kind: InputKind): void {
  for (const tuning of tunings) {
    const { kinds } = tuningRow(algorithm, tuning);
    if (kinds === undefined || kinds.includes(kind)) continue;
    const others = kinds.map((one) => INPUT_KINDS[one]).join(', or ');
    throw new GpusortError(
      'usage',
      `--algorithm ${requestText({ algorithm, tunings: [tuning] })} has no effect on ${INPUT_KINDS[kind]}: ` +
        `the tuning is for ${others}`,
    );
  }
}

function doesNotSort(request: Requested, kind: InputKind, engine: 'auto' | 'gpu' | 'cpu'): GpusortError {
  const others = [...new Set((engine === 'auto' ? ENGINES : [engine]).flatMap((one) => algorithmsOn(one, kind)))];
  return new GpusortError(
    'usage',
    `--algorithm ${requestText(request)} does not sort ${INPUT_KINDS[kind]}: use ${['auto', ...others].join(', ')}`,
  );
}

function notOn(request: Requested, kind: InputKind, only: 'gpu' | 'cpu'): GpusortError {
  const isAlways = enginesOf(request).every((one) => one === only);
  return new GpusortError(
    'usage',
    `--algorithm ${requestText(request)} ${isAlways ? 'runs' : `sorts ${INPUT_KINDS[kind]}`} on --engine ${only} only`,
  );
}
