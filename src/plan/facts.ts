/**
 * What the planner may know of the machine: the only file that asks the system.
 */
import * as os from 'node:os';
import { fileSystem } from '../file-system.js';
import { mostWorkers, spareMemory } from '../limits.js';
import type { Sample } from './sample.js';

export interface MachineFacts {
  /** Processors this process may use. */
  readonly processors: number;
  /** Worker threads that the limits of this process allow; Infinity if they allow all. */
  readonly mostWorkers: number;
  /** Bytes of memory that can be taken without pushing others out, containers' limits included. */
  readonly availableBytes: number;
  /** Bytes that the limits of this process leave beside its threads, however much is available; Infinity without any. */
  readonly allowedBytes: number;
}

/** What is known of the input before it is read. */
export interface InputFacts {
  /** All of it; null where a stream has not ended within what was read ahead. */
  readonly bytes: number | null;
  /** What a sample of it tells; null or missing where there was none to take. */
  readonly sample?: Sample | null;
}

/** An adapter's facts, or why there is none; null where nobody asked. */
export type AdapterAnswer =
  | { readonly found: true; readonly name: string; readonly software: boolean; readonly maxBindingBytes: number }
  | { readonly found: false; readonly reason: string }
  | null;

/** Names in /dev of GPUs that a Vulkan driver may use: those of all makers (dri), of NVIDIA, of Windows below (dxg), of boards. */
const GPU_DEVICES = /^(dri|nvidia|nvhost|dxg|kgsl|mali|pvr)/;

/** Whether there may be a GPU, which saves loading a driver (70 ms) for none; true on systems where /dev says nothing of it. */
export function mayHaveGpu(): boolean {
  if (process.platform !== 'linux') return true;
  try {
    return fileSystem.readdirSync('/dev').some((name) => GPU_DEVICES.test(String(name)));
  } catch {
    return true;
  }
}

export function machineFacts(): MachineFacts {
  let available = os.freemem();
  try {
    // What the kernel would give, its caches included.
    const line = /^MemAvailable:\s*(\d+) kB/m.exec(fileSystem.readFileSync('/proc/meminfo').toString('latin1'));
    if (line !== null) available = Number(line[1]) * 1024;
  } catch { /* not Linux: free memory is the nearest answer */ }
  const limit = process.constrainedMemory?.() ?? 0;
  if (limit > 0 && limit < os.totalmem()) available = Math.min(available, Math.max(0, limit - process.memoryUsage.rss()));
  const processors = os.availableParallelism();
  const workers = mostWorkers();
  return { processors, mostWorkers: workers, availableBytes: available, allowedBytes: spareMemory(Math.min(workers, processors)) };
}
