/**
 * The adapter and the device; the only file that loads `webgpu`. Knows nothing of records.
 */
import { GpusortError } from '../../report/errors.js';
import type { DeviceStage, Recorder } from '../../report/stats.js';
import { Pipelines } from './pipelines.js';
import { driverAdvice, vulkanProblem } from './vulkan.js';
import { checkWebGpu, importWebGpu } from './webgpu.js';

/** What the planner may know of an adapter. */
interface AdapterFacts {
  readonly name: string;
  readonly vendor: string;
  readonly driver: string;
  /** A GPU implemented in software: correct, but slower than the CPU engine. */
  readonly software: boolean;
  readonly maxBindingBytes: number;
  readonly maxBufferBytes: number;
}

/** Times compute passes on the device: see timer.ts. */
export interface PassTimes {
  /** From now on each of `stages` handles `bytes` of text, in any number of passes. Its next pass counts the bytes. */
  handles(bytes: number, ...stages: DeviceStage[]): void;
  /** The part of a pass descriptor that times a pass of `stage`, which must be recorded next and submitted at once. */
  timing(encoder: GPUCommandEncoder, stage: DeviceStage): { timestampWrites: GPUComputePassTimestampWrites };
  /** Records a span for each pass when all are done. No pass may follow. */
  finish(recorder: Recorder): Promise<void>;
}

/** A device with its compiled kernels, as all GPU code receives it. */
export interface Gpu {
  readonly device: GPUDevice;
  readonly pipelines: Pipelines;
  readonly facts: AdapterFacts;
  /** Maximum bytes of a binding. */
  readonly maxBindingBytes: number;
  /** Maximum bytes of workgroup memory. */
  readonly workgroupBytes: number;
  /** Range of the device's subgroup sizes; null if kernels cannot use subgroups. */
  readonly subgroups: { readonly least: number; readonly most: number } | null;
  /** Bytes of all buffers made by `allocate`, for --stats. Allocating and freeing take about 20 ms per GiB each. */
  readonly taken: { bytes: number };
  /** Bytes sent to this device and read back so far, for --stats. */
  readonly traffic: { sentBytes: number; readBackBytes: number };
  /** Times the passes if an engine collects statistics and the device supports timestamps; otherwise null. */
  timer: PassTimes | null;
  /** The reason, once the device is lost or an error was noted; undefined before. */
  lostReason(): string | undefined;
  /** Waits for all calls so far and notes their errors. */
  noteErrors(): Promise<void>;
  close(): void;
}

/**
 * Dawn's instance. If it were garbage-collected, live devices would go with it. This module keeps it alive for every
 * Gpu and adapter.
 */
let instance: GPU | undefined;

/**
 * Workgroup memory is not zeroed before a kernel runs: our kernels write what they read. Zeroing 12 KiB per workgroup
 * costs time on any device. SwiftShader unrolls it, and compiles a kernel in 12 s instead of 1 s.
 */
const FEATURES = 'disable_workgroup_init';
/**
 * New buffers are not zeroed either: kernels read only what was written. Zeroing upload buffers alone takes 60 ms.
 * Timestamps are not rounded to 65 us as in browsers, because many passes are shorter.
 */
const NOT_FEATURES = 'lazy_clear_resource_on_first_use,timestamp_quantization';

/** Values of GPUBufferUsage and GPUMapMode, fixed by the WebGPU specification. */
export const USAGE = {
  MAP_READ: 0x1,
  MAP_WRITE: 0x2,
  COPY_SRC: 0x4,
  COPY_DST: 0x8,
  STORAGE: 0x80,
  INDIRECT: 0x100,
  QUERY_RESOLVE: 0x200,
} as const;
export const MAP_READ = 1;
export const MAP_WRITE = 2;

const installHint = (): string => `${driverAdvice()}, or use --engine cpu.`;

/** Loads Dawn once. Throws GpusortError `no-adapter` if it cannot be loaded. */
export async function loadWebGpu(): Promise<GPU> {
  try {
    if (instance === undefined) {
      checkWebGpu();
      const problem = vulkanProblem();
      if (problem !== null) throw new Error(problem);
      const webgpu = await importWebGpu();
      // Validation stays on: a wrong dispatch is then an error, not a crash. It costs time per call, not per record.
      instance = webgpu.create([`enable-dawn-features=${FEATURES}`, `disable-dawn-features=${NOT_FEATURES}`]) as GPU;
    }
    return instance;
  } catch (error) {
    if (error instanceof GpusortError) throw error;
    throw new GpusortError('no-adapter', `no GPU can be used: ${(error as Error).message.split('\n')[0]}`, {
      cause: error,
      hint: installHint(),
    });
  }
}

/** The best adapter of this machine. Throws GpusortError `no-adapter` with the reason and the remedy. */
export async function requestAdapter(): Promise<GPUAdapter> {
  const adapter = await (await loadWebGpu()).requestAdapter({ powerPreference: 'high-performance' });
  if (adapter === null) throw new GpusortError('no-adapter', 'no GPU was found', { hint: installHint() });
  return adapter;
}

export function adapterFacts(adapter: GPUAdapter): AdapterFacts {
  const info = adapter.info;
  return {
    name: info.device || info.description || info.architecture || 'unnamed adapter',
    vendor: info.vendor,
    driver: info.description,
    // Not all drivers flag CPU devices, so known ones are listed by name; the last one is that of Windows.
    software:
      info.isFallbackAdapter === true ||
      /swiftshader|llvmpipe|lavapipe|microsoft basic render/i.test(
        `${info.architecture} ${info.device} ${info.description}`,
      ),
    maxBindingBytes: adapter.limits.maxStorageBufferBindingSize,
    maxBufferBytes: adapter.limits.maxBufferSize,
  };
}

/**
 * All kinds of errors. Scopes for all of them are always open: Dawn prints errors that no scope captures to standard
 * output, into the data.
 */
const ERRORS: readonly GPUErrorFilter[] = ['validation', 'out-of-memory', 'internal'];

/** Features that kernels and statistics use if the adapter has them. */
const OPTIONAL: readonly GPUFeatureName[] = ['timestamp-query', 'subgroups'];

/** Opens a device with the adapter's own limits. Throws `device-lost` if that fails. */
export async function openGpu(adapter: GPUAdapter): Promise<Gpu> {
  const { maxStorageBufferBindingSize, maxBufferSize, maxComputeWorkgroupStorageSize } = adapter.limits;
  const requiredFeatures = OPTIONAL.filter((feature) => adapter.features.has(feature));
  const requiredLimits = { maxStorageBufferBindingSize, maxBufferSize, maxComputeWorkgroupStorageSize };
  const device = await adapter.requestDevice({ requiredLimits, requiredFeatures }).catch((error: unknown) => {
    throw new GpusortError('device-lost', `the GPU could not be started: ${(error as Error).message.split('\n')[0]}`, {
      cause: error,
    });
  });
  let lost: string | undefined;
  let closed = false;
  void device.lost.then((info) => {
    if (!closed) lost = info.message || info.reason;
  });
  const openScopes = (): void => {
    for (const filter of ERRORS) device.pushErrorScope(filter);
  };
  openScopes();
  return {
    device,
    pipelines: new Pipelines(device),
    facts: adapterFacts(adapter),
    maxBindingBytes: Math.min(maxStorageBufferBindingSize, maxBufferSize),
    workgroupBytes: maxComputeWorkgroupStorageSize,
    subgroups: requiredFeatures.includes('subgroups')
      ? { least: adapter.info.subgroupMinSize!, most: adapter.info.subgroupMaxSize! }
      : null,
    taken: { bytes: 0 },
    traffic: { sentBytes: 0, readBackBytes: 0 },
    timer: null,
    lostReason: () => lost,
    noteErrors: async () => {
      const errors = ERRORS.map(() => device.popErrorScope());
      openScopes();
      for (const error of await Promise.allSettled(errors))
        if (error.status === 'fulfilled' && error.value !== null) lost ??= error.value.message;
    },
    close: () => {
      closed = true;
      device.destroy();
      void instance;
    },
  };
}
