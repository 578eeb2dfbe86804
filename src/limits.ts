/**
 * What the system lets this process have: descriptors, threads, addresses and memory, and the shares of them that inputs and worker threads get.
 * Limits are read from /proc once; a system without it sets none that could be seen.
 */
import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { fileSystem } from './file-system.js';

const MiB = 1 << 20;

export interface Limits {
  readonly openFiles: number;
  /** Processes and threads of the user. */
  readonly processes: number;
  /** Bytes of addresses, and of private memory that can be written. */
  readonly addresses: number;
  readonly data: number;
}

const ROWS: Readonly<Record<keyof Limits, string>> = { openFiles: 'Max open files', processes: 'Max processes', addresses: 'Max address space', data: 'Max data size' };

/** Descriptors for all but inputs and workers: the output, temporary files, what is read at the start. */
const OTHER_DESCRIPTORS = 8;
/** Descriptors of a worker's event loop. */
const WORKER_DESCRIPTORS = 4;
/** Threads for reading and writing, as bin/gpusort.cjs sets them. */
const POOL_THREADS = 16;
/** From here on the threads that the user has already are not counted: reading /proc/PID of each process takes time. */
const COUNTED_PROCESSES = 4096;
/** A worker's addresses, without those of its kernels: V8 reserves 128 MiB for code and more for its heap. Measured with Node 20: 540 MB. */
const WORKER_ADDRESSES = 640 * MiB;
/** Addresses and data that V8 takes while a sort runs, beside the memory that the sort plans for. */
const RUNTIME_BYTES = 96 * MiB;
/** What the main thread is to have before there is a worker, and without which nothing is begun. */
const MAIN_BYTES = 320 * MiB;
const LEAST_BYTES = { addresses: 128 * MiB, data: 192 * MiB } as const;
/** A worker's private data before it has any records. */
const WORKER_DATA = 48 * MiB;

function readProc(name: string): string {
  try {
    return fileSystem.readFileSync(`/proc/self/${name}`).toString('latin1');
  } catch {
    return '';
  }
}

let known: Limits | undefined;

/** The soft limits; Infinity if there is none. */
export function limits(): Limits {
  if (known !== undefined) return known;
  const text = readProc('limits');
  const of = (row: string): number => Number(new RegExp(`^${row}\\s+([0-9]+)`, 'm').exec(text)?.[1] ?? Infinity);
  return known = Object.fromEntries(Object.entries(ROWS).map(([name, row]) => [name, of(row)])) as unknown as Limits;
}

/** Bytes of a row of /proc/self/status. */
function statusBytes(row: string): number {
  return Number(new RegExp(`^${row}:\\s+([0-9]+) kB`, 'm').exec(readProc('status'))?.[1] ?? 0) * 1024;
}

/** Descriptors that inputs and workers may have, as counted before they have any. */
let descriptors: number | undefined;
function sharedDescriptors(): number {
  const { openFiles } = limits();
  if (openFiles > 1 << 20) return openFiles;
  const opened = (): number => {
    try { return fileSystem.readdirSync('/proc/self/fd').length - 1; } catch { return 0; }
  };
  return descriptors ??= openFiles - opened() - OTHER_DESCRIPTORS;
}

/** How many inputs may be open at once; at least one. */
export function mostOpenInputs(): number {
  const shared = sharedDescriptors();
  return Math.max(1, shared - WORKER_DESCRIPTORS * workersByDescriptors(shared));
}

/** Workers get at most half of the descriptors. */
function workersByDescriptors(shared: number): number {
  return Math.max(0, Math.floor(shared / 2 / WORKER_DESCRIPTORS));
}

/** Threads that the user may still start; Infinity if nobody needs to count. */
let threads: number | undefined;
function spareThreads(): number {
  const { processes } = limits();
  if (processes > COUNTED_PROCESSES || process.getuid?.() === 0) return Infinity;
  return threads ??= Math.max(0, processes - countThreads());
}

/** The threads of all of this user's processes that can be seen. */
function countThreads(): number {
  const uid = BigInt(process.getuid?.() ?? 0);
  let count = 0;
  for (const name of fileSystem.readdirSync('/proc').map(String)) {
    if (!/^[0-9]+$/.test(name)) continue;
    try {
      if (fileSystem.statSync(`/proc/${name}`).uid !== uid) continue;
      count += Number(/^Threads:\s+([0-9]+)/m.exec(fileSystem.readFileSync(`/proc/${name}/status`).toString('latin1'))?.[1] ?? 1);
    } catch { /* it has just ended */ }
  }
  return count;
}

/** How many threads read and write; at least one. */
export function poolThreads(): number {
  return Math.max(1, Math.min(POOL_THREADS, Math.floor(spareThreads() / 2)));
}

let smallHeap = false;

/**
 * Stops V8 from letting the space for new objects grow from 2 to 32 MiB, for the rest of the process. Garbage is then
 * collected more often, which does not matter where text lies outside the heap. V8 takes a factor below 2 back whenever it
 * makes a heap: each thread that is started later has to call this again (threads/serve.ts).
 */
export function keepHeapSmall(): void {
  smallHeap = true;
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** Whether keepHeapSmall was called. */
export function isHeapSmall(): boolean { return smallHeap; }

/** How many workers can be started. */
export function mostWorkers(): number {
  const { addresses, data } = limits();
  const byAddresses = addresses === Infinity ? Infinity : Math.floor((addresses - statusBytes('VmSize') - MAIN_BYTES) / WORKER_ADDRESSES);
  const byData = data === Infinity ? Infinity : Math.floor((data - statusBytes('VmData') - MAIN_BYTES) / (2 * WORKER_DATA));
  const spare = spareThreads();
  const byThreads = spare === Infinity ? Infinity : spare - poolThreads();
  return Math.max(0, Math.min(workersByDescriptors(sharedDescriptors()), byThreads, byAddresses, byData));
}

/** The option of Node without which V8 reserves 10 GiB of addresses for each memory of WebAssembly. */
export const TRAP_OPTION = '--disable-wasm-trap-handler';
const RESERVED_BYTES = 10 * 2 ** 30;
/** Addresses of Node itself, with its threads. */
const NODE_ADDRESSES = 900 * MiB;

/** Whether memories of WebAssembly would have too few addresses, for want of the option. */
export function lacksAddresses(): boolean {
  const { addresses } = limits();
  return addresses < (availableParallelism() + 2) * RESERVED_BYTES && ![...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].some((text) => text.includes(TRAP_OPTION));
}

/** Whether there are so few addresses or data left that V8 would end the process in the middle. */
export function lacksMemory(): boolean {
  const { addresses, data } = limits();
  return (addresses !== Infinity && addresses - statusBytes('VmSize') < LEAST_BYTES.addresses) || (data !== Infinity && data - statusBytes('VmData') < LEAST_BYTES.data);
}

/** The most bytes of each thread's memory of WebAssembly: V8 reserves as much at once. Infinity without a limit of addresses. */
export function mostKernelMemory(): number {
  const { addresses } = limits();
  if (addresses === Infinity) return Infinity;
  const workers = Math.max(0, Math.min(availableParallelism(), Math.floor((addresses - NODE_ADDRESSES) / WORKER_ADDRESSES)));
  return Math.max(16 * MiB, (addresses - NODE_ADDRESSES - workers * WORKER_ADDRESSES) / (workers + 1) / 2);
}

/** Bytes that can still be taken, with so many workers beside the main thread. */
export function spareMemory(workers: number): number {
  const { addresses, data } = limits();
  const byAddresses = addresses === Infinity ? Infinity : addresses - statusBytes('VmSize') - RUNTIME_BYTES - workers * WORKER_ADDRESSES;
  const byData = data === Infinity ? Infinity : data - statusBytes('VmData') - RUNTIME_BYTES - workers * WORKER_DATA;
  return Math.min(byAddresses, byData);
}
