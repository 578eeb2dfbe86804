/**
 * The limits of this process: descriptors, threads, address space and memory, and how inputs and worker threads share
 * them. Limits are read from /proc once. Without /proc, only a default limit on open files is assumed.
 */
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { fileSystem } from './file-system.js';
import { assumedOpenFiles } from './platform-defaults.js';

const MiB = 1 << 20;

interface Limits {
  readonly openFiles: number;
  /** Processes and threads of the user. */
  readonly processes: number;
  /** Bytes of address space, and of private writable memory. */
  readonly addresses: number;
  readonly data: number;
}

const ROWS: Readonly<Record<keyof Limits, string>> = {
  openFiles: 'Max open files',
  processes: 'Max processes',
  addresses: 'Max address space',
  data: 'Max data size',
};

/** Descriptors for everything but inputs and workers: the output, temporary files, files read at start-up. */
const OTHER_DESCRIPTORS = 8;
/** Descriptors of a worker's event loop. */
const WORKER_DESCRIPTORS = 4;
/** Threads for reading and writing. bin/gpusort.cjs sets the same number. */
const POOL_THREADS = 16;
/** Where control groups are mounted. */
const GROUPS = '/sys/fs/cgroup';
/**
 * Limits above this are assumed not to be reached: counting the user's threads would read /proc/PID of every process.
 */
const COUNTED_PROCESSES = 4096;
/**
 * Address space of a worker without its kernels: V8 reserves 128 MiB for code and more for its heap.
 * Measured with Node 20: 540 MB.
 */
const WORKER_ADDRESSES = 640 * MiB;
/** Address space and data that V8 takes during a sort, besides the memory that the sort plans for. */
const RUNTIME_BYTES = 96 * MiB;
/**
 * The main thread's share, set aside before any worker gets memory; and the memory that must be left for a sort to
 * begin.
 */
const MAIN_BYTES = 320 * MiB;
const LEAST_BYTES = { addresses: 128 * MiB, data: 192 * MiB } as const;
/** Private data of a worker that holds no records yet. */
const WORKER_DATA = 48 * MiB;

function readProc(name: string): string {
  try {
    return fileSystem.readFileSync(`/proc/self/${name}`).toString('latin1');
  } catch {
    return '';
  }
}

let known: Limits | undefined;

/** The soft limits; Infinity if there is none or the system does not report it. */
export function limits(): Limits {
  if (known !== undefined) return known;
  const text = readProc('limits');
  const of = (row: string): number => Number(new RegExp(`^${row}\\s+([0-9]+)`, 'm').exec(text)?.[1] ?? Infinity);
  known = Object.fromEntries(Object.entries(ROWS).map(([name, row]) => [name, of(row)])) as unknown as Limits;
  if (text === '') known = { ...known, openFiles: assumedOpenFiles() };
  return known;
}

/** The value of a row of /proc/self/status, in bytes. */
function statusBytes(row: string): number {
  return Number(new RegExp(`^${row}:\\s+([0-9]+) kB`, 'm').exec(readProc('status'))?.[1] ?? 0) * 1024;
}

/** Descriptors for inputs and workers, counted before any of these is open. */
let descriptors: number | undefined;
function sharedDescriptors(): number {
  const { openFiles } = limits();
  if (openFiles > 1 << 20) return openFiles;
  const opened = (): number => {
    try {
      return fileSystem.readdirSync('/proc/self/fd').length - 1;
    } catch {
      return 0;
    }
  };
  return (descriptors ??= openFiles - opened() - OTHER_DESCRIPTORS);
}

/** The maximum number of inputs open at once; at least one. */
export function mostOpenInputs(): number {
  const shared = sharedDescriptors();
  return Math.max(1, shared - WORKER_DESCRIPTORS * workersByDescriptors(shared));
}

/** The number of workers that the descriptors allow: workers get at most half of them. */
function workersByDescriptors(shared: number): number {
  return Math.max(0, Math.floor(shared / 2 / WORKER_DESCRIPTORS));
}

/** Threads that may still be started; Infinity if the limits are high. */
let threads: number | undefined;
function spareThreads(): number {
  return (threads ??= Math.max(0, Math.min(spareOfUser(), spareInGroups())));
}

/** Threads that the user may still start; Infinity if the limit is high or does not apply. */
function spareOfUser(): number {
  const { processes } = limits();
  return processes > COUNTED_PROCESSES || process.getuid?.() === 0 ? Infinity : processes - countThreads();
}

/**
 * Threads that the control groups of this process may still start; Infinity if the limits are high. Each group's limit
 * holds for all groups within it. Source: the kernel's documentation of the PIDs controller, versions 1 and 2.
 */
function spareInGroups(): number {
  let spare = Infinity;
  for (const line of readProc('cgroup').split('\n')) {
    const [, controllers, group] = /^[0-9]+:([^:]*):\/(.*)$/.exec(line) ?? [];
    if (group === undefined || (controllers !== '' && controllers !== 'pids')) continue;
    for (let path = `${GROUPS}/${controllers}/${group}`; path.length > GROUPS.length; path = dirname(path)) {
      const most = numberIn(`${path}/pids.max`);
      if (most <= COUNTED_PROCESSES) spare = Math.min(spare, most - numberIn(`${path}/pids.current`));
    }
  }
  return spare;
}

/** The number that a file of a control group holds; Infinity for `max`, or if there is no such file. */
function numberIn(file: string): number {
  try {
    const text = fileSystem.readFileSync(file).toString('latin1').trim();
    return /^[0-9]+$/.test(text) ? Number(text) : Infinity;
  } catch {
    return Infinity;
  }
}

/** The threads of all of this user's visible processes. */
function countThreads(): number {
  const uid = BigInt(process.getuid?.() ?? 0);
  let count = 0;
  for (const name of fileSystem.readdirSync('/proc').map(String)) {
    if (!/^[0-9]+$/.test(name)) continue;
    try {
      if (fileSystem.statSync(`/proc/${name}`).uid !== uid) continue;
      count += Number(
        /^Threads:\s+([0-9]+)/m.exec(fileSystem.readFileSync(`/proc/${name}/status`).toString('latin1'))?.[1] ?? 1,
      );
    } catch {
      /* the process has just ended */
    }
  }
  return count;
}

/** The number of threads for reading and writing; at least one. */
export function poolThreads(): number {
  return Math.max(1, Math.min(POOL_THREADS, Math.floor(spareThreads() / 2)));
}

let smallHeap = false;

/**
 * Keeps V8's space for new objects from growing from 2 to 32 MiB, for the rest of the process. Garbage is then
 * collected more often, which does not matter when text lies outside the heap. V8 resets a growth factor below 2
 * whenever it creates a heap, so each new thread calls this again (src/system/threads/serve.ts).
 */
export function keepHeapSmall(): void {
  smallHeap = true;
  setFlagsFromString('--semi-space-growth-factor=1');
}

export function isHeapSmall(): boolean {
  return smallHeap;
}

/** The maximum number of workers. */
export function mostWorkers(): number {
  const { addresses, data } = limits();
  const byAddresses =
    addresses === Infinity ? Infinity : Math.floor((addresses - statusBytes('VmSize') - MAIN_BYTES) / WORKER_ADDRESSES);
  const byData =
    data === Infinity ? Infinity : Math.floor((data - statusBytes('VmData') - MAIN_BYTES) / (2 * WORKER_DATA));
  const spare = spareThreads();
  const byThreads = spare === Infinity ? Infinity : spare - poolThreads();
  return Math.max(0, Math.min(workersByDescriptors(sharedDescriptors()), byThreads, byAddresses, byData));
}

/** The Node option that keeps V8 from reserving 10 GiB of address space for each WebAssembly memory. */
export const TRAP_OPTION = '--disable-wasm-trap-handler';
const RESERVED_BYTES = 10 * 2 ** 30;
/** Address space of Node itself, with its threads. */
const NODE_ADDRESSES = 900 * MiB;

/** Whether the address space is too small for WebAssembly memories and the option is not set. */
export function lacksAddresses(): boolean {
  const { addresses } = limits();
  return (
    addresses < (availableParallelism() + 2) * RESERVED_BYTES &&
    ![...process.execArgv, process.env.NODE_OPTIONS ?? ''].some((text) => text.includes(TRAP_OPTION))
  );
}

/** Whether so little address space or data is left that V8 would abort during a sort. */
export function lacksMemory(): boolean {
  const { addresses, data } = limits();
  return (
    (addresses !== Infinity && addresses - statusBytes('VmSize') < LEAST_BYTES.addresses) ||
    (data !== Infinity && data - statusBytes('VmData') < LEAST_BYTES.data)
  );
}

/**
 * The maximum size of a thread's WebAssembly memory in bytes; V8 reserves it at once. Infinity if the
 * address space is not limited.
 */
export function mostKernelMemory(): number {
  const { addresses } = limits();
  if (addresses === Infinity) return Infinity;
  const workers = Math.max(
    0,
    Math.min(availableParallelism(), Math.floor((addresses - NODE_ADDRESSES) / WORKER_ADDRESSES)),
  );
  return Math.max(16 * MiB, (addresses - NODE_ADDRESSES - workers * WORKER_ADDRESSES) / (workers + 1) / 2);
}

/** Bytes that can still be allocated if `workers` workers run in addition to the main thread. */
export function spareMemory(workers: number): number {
  const { addresses, data } = limits();
  const byAddresses =
    addresses === Infinity ? Infinity : addresses - statusBytes('VmSize') - RUNTIME_BYTES - workers * WORKER_ADDRESSES;
  const byData = data === Infinity ? Infinity : data - statusBytes('VmData') - RUNTIME_BYTES - workers * WORKER_DATA;
  return Math.min(byAddresses, byData);
}
