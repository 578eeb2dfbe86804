/** Chooses the engine: the one asked for, or a GPU if there is one and the input is large enough. Pure. */
import { keysOnDevice } from '../engines/gpu/records/keyed-lines/key-support.js';
import { type KeyPart, PART_ORDERS, type SortJob, type SortKey } from '../job/job.js';
import { isCollated } from '../keys/collation/collation.js';
import { formatBytes } from '../report/units.js';
import { GpusortError } from '../system/errors.js';
import { MiB } from './amount.js';
import { collatingReason } from './collated.js';
import type { AdapterAnswer, InputFacts } from './facts.js';
import { BINDING_PAD, recordBytes } from './records.js';
import { remedyOnCpu, requestedEngine } from './requested-engine.js';

/**
 * Input sizes from which a GPU pays. Starting it takes 0.3 s on an H200, which then sorts 100 MB in 0.64 s and 300 MB
 * in 0.75 s; 16 processors take 0.46 and 0.95 s. If processors make the keys (GPU and CPU engine): -V 200 MB 1.22 and
 * 0.93 s, 1.2 GB 3.5 and 4.0 s; -g 200 MB 1.25 and 1.07 s, 500 MB 1.8 and 2.1 s. If they also look for quotes: 500 MB
 * 2.4 and 1.4 s, 2.4 GB 7.5 and 6.8 s. Keys of genomics are made faster than they are sent: SAM by coordinate as Picard
 * 2 GB 2.8 and 1.8 s, with 4 processors 3.9 and 3.2 s; by coordinate, when processors made those keys, 8 GB 10.2 and
 * 6.1 s.
 */
const GPU_BYTES = { own: 160 * MiB, hostKeys: 512 * MiB, quoted: 3072 * MiB, genomics: Infinity } as const;

/** Whether the choice of engine depends on the adapter. */
export function adapterMatters(job: SortJob, input: InputFacts): boolean {
  if (job.mode !== 'sort' || requestedEngine(job) === 'cpu') return false;
  return requestedEngine(job) === 'gpu' || worthwhile(job, input);
}

export function chooseEngine(
  job: SortJob,
  input: InputFacts,
  adapter: AdapterAnswer,
  reasons: string[],
): 'gpu' | 'cpu' {
  const requested = requestedEngine(job);
  if (requested === 'cpu') {
    reasons.push(
      isCollated(job.ordering)
        ? `engine cpu: ${collatingReason(job.ordering)}`
        : job.engine === 'cpu'
          ? 'engine cpu: as requested'
          : `engine cpu: --algorithm ${job.algorithm} runs there`,
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
    const why = job.engine === 'gpu' ? 'as requested' : `--algorithm ${job.algorithm} runs there`;
    reasons.push(`engine gpu: ${why}, on ${adapter.name}`);
    return 'gpu';
  }
  if (!worthwhile(job, input)) {
    const bytes = input.bytes === null ? 'a stream' : formatBytes(input.bytes);
    reasons.push(
      input.bytes !== null && input.bytes < GPU_BYTES.own
        ? `engine cpu: sorting ${bytes} takes less time than starting a GPU`
        : `engine cpu: the CPU makes the keys, and sorts ${bytes} as fast as a GPU would`,
    );
    return 'cpu';
  }
  if (adapter === null || !adapter.found) {
    reasons.push(`engine cpu: ${adapter?.reason ?? 'no GPU was looked for'}`);
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

/** Whether a GPU sorts the input faster than 16 processors. A stream that goes on is taken for that large. */
export function worthwhile({ ordering }: SortJob, { bytes }: InputFacts): boolean {
  return (bytes ?? GPU_BYTES.hostKeys) >= gpuBytes(ordering.key);
}

export function gpuBytes(key: SortKey): number {
  if (key.kind !== 'normalised' || keysOnDevice(key)) return GPU_BYTES.own;
  if (key.parts.some(isOfGenomics)) return GPU_BYTES.genomics;
  return key.parts.some(({ span }) => span.quoted) ? GPU_BYTES.quoted : GPU_BYTES.hostKeys;
}

/** Whether a part has an order of genomics, or is a field of BAM. */
function isOfGenomics({ order, bam }: KeyPart): boolean {
  return bam !== undefined || PART_ORDERS.indexOf(order) >= PART_ORDERS.indexOf('natural');
}
