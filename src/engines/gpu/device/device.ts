/**
 * The device as all GPU code receives it, and how to open one of our own on an adapter. Knows neither records nor Node:
 * a browser runs this file too.
 */

import type { DeviceStage, Recorder } from '../../../report/recorder.js';
import { GpusortError } from '../../../system/errors.js';
import { Pipelines } from './pipelines.js';
import { UniformImmediates } from './uniform-immediates.js';

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
  /**
   * The part of a pass descriptor that times a pass of `stage`, which must be recorded next and submitted immediately.
   */
  timing(
    encoder: GPUCommandEncoder,
    stage: DeviceStage,
    label: string,
  ): { timestampWrites: GPUComputePassTimestampWrites };
  /** Waits for all passes, then reports a span for each to `recorder`. No pass may follow. */
  finish(recorder: Recorder): Promise<void>;
}

interface SubgroupSizes {
  readonly least: number;
  readonly most: number;
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
  readonly subgroups: SubgroupSizes | null;
  /** What stands in for immediates if the device has none; null: it has immediates. */
  readonly uniforms: UniformImmediates | null;
  /** Bytes of all buffers made by `allocate`, for --stats. Allocating and freeing take about 20 ms per GiB each. */
  readonly taken: { bytes: number };
  /** Bytes sent to this device and read back so far, for --stats. */
  readonly traffic: { sentBytes: number; readBackBytes: number };
  /** The labels of the kernels dispatched so far, for --stats. */
  readonly dispatched: Set<string>;
  /**
   * The encoder that work is recorded into instead of being submitted; null: it is submitted. What is recorded may be
   * submitted at any later time, so nothing that the queue does immediately may be part of it (`send`, reading back).
   */
  readonly encoder: GPUCommandEncoder | null;
  /** Times the passes if an engine collects statistics and the device supports timestamps; otherwise null. */
  timer: PassTimes | null;
  /** The reason, once the device is lost or an error was noted; undefined before. */
  lostReason(): string | undefined;
  /** Waits for all calls so far and notes their errors. */
  noteErrors(): Promise<void>;
  close(): void;
}

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

export function adapterFacts({ info, limits }: Pick<GPUAdapter, 'info' | 'limits'>): AdapterFacts {
  return {
    name: info.device || info.description || info.architecture || 'unnamed adapter',
    vendor: info.vendor,
    driver: info.description,
    software: isSoftware(info),
    maxBindingBytes: limits.maxStorageBufferBindingSize,
    maxBufferBytes: limits.maxBufferSize,
  };
}

/** Not all drivers flag CPU devices, so known ones are listed by name; the last one is that of Windows. */
export function isSoftware(
  info: Pick<GPUAdapterInfo, 'architecture' | 'device' | 'description' | 'isFallbackAdapter'>,
): boolean {
  const names = `${info.architecture} ${info.device} ${info.description}`;
  return info.isFallbackAdapter || /swiftshader|llvmpipe|lavapipe|microsoft basic render/i.test(names);
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
  return gpuOf(device, adapter, subgroupSizes(adapter.info, requiredFeatures), hasImmediates(adapter.limits), {
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
    },
  });
}

/** Bytes of immediates: WebGPU guarantees this many on devices that have any, and our kernels need no more. */
const IMMEDIATE_BYTES = 64;

/** Older devices have no such limit. */
export function hasImmediates({ maxImmediateSize }: Partial<Pick<GPUSupportedLimits, 'maxImmediateSize'>>): boolean {
  return (maxImmediateSize ?? 0) >= IMMEDIATE_BYTES;
}

/** Null if the device lacks the feature, or does not report its sizes. */
export function subgroupSizes(info: GPUAdapterInfo, features: Iterable<string>): SubgroupSizes | null {
  const { subgroupMinSize: least, subgroupMaxSize: most } = info;
  return [...features].includes('subgroups') && least !== undefined && most !== undefined ? { least, most } : null;
}

/** A Gpu on a device with these facts and limits. `owner`: how the device's owner notes its errors and closes it. */
export function gpuOf(
  device: GPUDevice,
  adapter: Pick<GPUAdapter, 'info' | 'limits'>,
  subgroups: SubgroupSizes | null,
  immediates: boolean,
  owner: Pick<Gpu, 'lostReason' | 'noteErrors' | 'close'>,
): Gpu {
  const { maxStorageBufferBindingSize, maxBufferSize, maxComputeWorkgroupStorageSize } = adapter.limits;
  const uniforms = immediates ? null : new UniformImmediates(device, IMMEDIATE_BYTES);
  return {
    device,
    pipelines: new Pipelines(device, uniforms),
    facts: adapterFacts(adapter),
    maxBindingBytes: Math.min(maxStorageBufferBindingSize, maxBufferSize),
    workgroupBytes: maxComputeWorkgroupStorageSize,
    subgroups,
    uniforms,
    taken: { bytes: 0 },
    traffic: { sentBytes: 0, readBackBytes: 0 },
    dispatched: new Set(),
    encoder: null,
    timer: null,
    ...owner,
  };
}
