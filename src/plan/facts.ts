/** What the planner knows of the machine and the input. Nothing else in the planner asks the system. */
import * as os from 'node:os';
import { fileSystem } from '../system/file-system.js';
import { mostWorkers, spareMemory } from '../system/limits.js';
import { isLinux } from '../system/platform.js';
import { assumedAvailableMemory } from '../system/platform-defaults.js';
import { type Allocation, managesGpus, slurmAllocation } from './allocation.js';
import type { SampleStatistics } from './statistics.js';

export interface MachineFacts {
  /** Processors available to this process. */
  readonly processors: number;
  /** Worker threads that the process limits allow; Infinity without limits. */
  readonly mostWorkers: number;
  /** Available memory in bytes: what can be allocated without swapping, within a container's limit. */
  readonly availableBytes: number;
  /**
   * Bytes that the process limits leave after its threads, whether available or not; Infinity if there are no limits.
   */
  readonly allowedBytes: number;
  /** The numbers of a Slurm job that bound those above; null where the machine has no more. Absent: no job. */
  readonly allocated?: Pick<Allocation, 'processors' | 'memoryBytes'>;
}

/** What is known of the input before it is read. */
export interface InputFacts {
  /** The total size; null if a stream did not end within what was read ahead. */
  readonly bytes: number | null;
  /** The statistics of a sample; null or absent if there is none. */
  readonly sample?: SampleStatistics | null;
}

/** An adapter's facts, or why there is none; null if nobody asked. */
export type AdapterAnswer =
  | { readonly found: true; readonly name: string; readonly software: boolean; readonly maxBindingBytes: number }
  | { readonly found: false; readonly reason: string }
  | null;

/** Names in /dev of GPUs with a Vulkan driver: of all vendors (dri), NVIDIA, WSL (dxg) and embedded boards. */
const GPU_DEVICES = /^(dri|nvidia|nvhost|dxg|kgsl|mali|pvr)/;

/** slurm.conf of jobs whose environment does not name it. */
const SLURM_CONF = '/etc/slurm/slurm.conf';

/**
 * Why there is no GPU to look for, which saves loading a driver (70 ms); null if there may be one. Null on systems
 * where /dev does not say.
 */
export function whyNoGpu(): string | null {
  if (!isLinux()) return null;
  try {
    if (!fileSystem.readdirSync('/dev').some((name) => GPU_DEVICES.test(String(name))))
      return 'there is no GPU device in /dev';
  } catch {
    return null;
  }
  const gpus = slurmAllocation(process.env)?.gpus ?? 'some';
  return gpus === 'none' || (gpus === 'unsaid' && slurmManagesGpus()) ? 'the Slurm job has no GPU' : null;
}

/** False if slurm.conf cannot be read: a GPU that Slurm does not know of may be used. */
function slurmManagesGpus(): boolean {
  try {
    return managesGpus(fileSystem.readFileSync(process.env.SLURM_CONF || SLURM_CONF).toString('latin1'));
  } catch {
    return false;
  }
}

/** The machine's numbers, or those of the Slurm job if they are smaller. */
export function machineFacts(): MachineFacts {
  let available: number | undefined;
  try {
    // What the kernel could give, including its caches.
    const line = /^MemAvailable:\s*(\d+) kB/m.exec(fileSystem.readFileSync('/proc/meminfo').toString('latin1'));
    if (line !== null) available = Number(line[1]) * 1024;
  } catch {
    /* not Linux */
  }
  available ??= assumedAvailableMemory();
  const limit = process.constrainedMemory?.() ?? 0;
  if (limit > 0 && limit < os.totalmem())
    available = Math.min(available, Math.max(0, limit - process.memoryUsage.rss()));
  const allocation = slurmAllocation(process.env);
  const granted =
    allocation?.memoryBytes == null ? Infinity : Math.max(0, allocation.memoryBytes - process.memoryUsage.rss());
  const processors = Math.min(os.availableParallelism(), allocation?.processors ?? Infinity);
  const workers = mostWorkers();
  return {
    processors,
    mostWorkers: workers,
    availableBytes: Math.min(available, granted),
    allowedBytes: spareMemory(Math.min(workers, processors)),
    ...(allocation !== null && {
      allocated: {
        processors: allocation.processors === processors ? processors : null,
        memoryBytes: granted < available ? allocation.memoryBytes : null,
      },
    }),
  };
}
