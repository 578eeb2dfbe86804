/**
 * The adapter and device: the only file that loads `webgpu`. Knows nothing of records.
 */
import { GpusortError } from '../../report/errors.js';
import { Kernels } from '../kernels.js';
import { importWebGpu } from '../webgpu.js';
import type { PassTimer } from './timer.js';
import { vulkanProblem } from './vulkan.js';

/** What the planner may know of an adapter. */
export interface AdapterFacts {
  readonly name: string;
  readonly vendor: string;
  readonly driver: string;
  /** A GPU implemented in software: right, but slower than the CPU engine. */
  readonly software: boolean;
  readonly maxBindingBytes: number;
  readonly maxBufferBytes: number;
}

/** A device with its compiled kernels; everything on the GPU side is given one of these. */
export interface Gpu {
  readonly device: GPUDevice;
  readonly kernels: Kernels;
  readonly facts: AdapterFacts;
  /** Largest part of a buffer that a kernel can see, in bytes. */
  readonly maxBindingBytes: number;
  /** Bytes of memory that a workgroup may have. */
  readonly workgroupBytes: number;
  /** The sizes that subgroups of this device may have, or null where kernels cannot use them. */
  readonly subgroups: { readonly least: number; readonly most: number } | null;
  /** Bytes of all buffers ever made by `allocate`, for --stats: making and freeing memory costs about 20 ms a GiB each. */
  readonly taken: { bytes: number };
  /** Bytes that the host sent to this device and read back so far, for --stats. */
  readonly traffic: { sentBytes: number; readBackBytes: number };
  /** Times the passes while an engine is asked for statistics and the device can tell; else null. */
  timer: PassTimer | null;
  /** Becomes the reason once the device is lost, or an error was noted; undefined until then. */
  lostReason(): string | undefined;
  /** Notes the errors of all calls so far. */
  noteErrors(): Promise<void>;
  close(): void;
}

/** Dawn's instance: collected, it takes live devices with it, so every Gpu and adapter keeps it through this module. */
let instance: GPU | undefined;

/**
 * Workgroup memory is not set to zeros before a kernel: ours write what they read. Zeroing 12 KiB a workgroup costs time on any
 * device, and SwiftShader unrolls it: its compilation of a kernel takes 12 seconds instead of one.
 */
const FEATURES = 'disable_workgroup_init';
/**
 * Nor are new buffers: every kernel's input is written before. Zeroing upload buffers alone takes 60 ms. And timestamps are not
 * rounded to 65 us, as browsers have them: many passes are shorter.
 */
const NOT_FEATURES = 'lazy_clear_resource_on_first_use,timestamp_quantization';

/** Numbers of GPUBufferUsage and GPUMapMode, fixed by the WebGPU specification. */
export const USAGE = { MAP_READ: 0x1, MAP_WRITE: 0x2, COPY_SRC: 0x4, COPY_DST: 0x8, STORAGE: 0x80, INDIRECT: 0x100, QUERY_RESOLVE: 0x200 } as const;
export const MAP_READ = 1;
export const MAP_WRITE = 2;

/** What to install, by platform, where no adapter is found. */
function installHint(): string {
  if (process.platform === 'linux') return 'Install a GPU driver with Vulkan and the Vulkan loader (Debian, Ubuntu: libvulkan1), or use --engine cpu.';
  return 'Install or update the GPU driver, or use --engine cpu.';
}

/** Dawn, loaded once. Throws GpusortError `no-adapter` where it cannot be loaded. */
export async function loadWebGpu(): Promise<GPU> {
  try {
    if (instance === undefined) {
      const problem = vulkanProblem();
      if (problem !== null) throw new Error(problem);
      const webgpu = await importWebGpu();
      // Validation stays on: kernels of a wrong launch are an error, not a crash; its cost is per call, not per record.
      instance = webgpu.create([`enable-dawn-features=${FEATURES}`, `disable-dawn-features=${NOT_FEATURES}`]) as GPU;
    }
    return instance;
  } catch (error) {
    if (error instanceof GpusortError) throw error;
    throw new GpusortError('no-adapter', `no GPU can be used: ${(error as Error).message.split('\n')[0]}`, { cause: error, hint: installHint() });
  }
}

/** The best adapter of this machine. Throws GpusortError `no-adapter` naming the reason and the remedy. */
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
    // Vulkan's CPU devices are not always flagged, so the two known ones are named.
    software: info.isFallbackAdapter === true || /swiftshader|llvmpipe|lavapipe/i.test(`${info.architecture} ${info.device} ${info.description}`),
    maxBindingBytes: adapter.limits.maxStorageBufferBindingSize,
    maxBufferBytes: adapter.limits.maxBufferSize,
  };
}

/** Every kind of error. Scopes for all are open at any time: Dawn prints an error that no scope captures on standard output, into the data. */
const ERRORS: readonly GPUErrorFilter[] = ['validation', 'out-of-memory', 'internal'];

/** What kernels and statistics make use of where it is there. */
const OPTIONAL: readonly GPUFeatureName[] = ['timestamp-query', 'subgroups'];

/** Brings up a device with the adapter's own limits. Throws `device-lost` if there is none. */
export async function openGpu(adapter: GPUAdapter): Promise<Gpu> {
  const { maxStorageBufferBindingSize, maxBufferSize, maxComputeWorkgroupStorageSize } = adapter.limits;
  const requiredFeatures = OPTIONAL.filter((feature) => adapter.features.has(feature));
  const requiredLimits = { maxStorageBufferBindingSize, maxBufferSize, maxComputeWorkgroupStorageSize };
  const device = await adapter.requestDevice({ requiredLimits, requiredFeatures }).catch((error: unknown) => {
    throw new GpusortError('device-lost', `the GPU could not be started: ${(error as Error).message.split('\n')[0]}`, { cause: error });
  });
  let lost: string | undefined;
  let closed = false;
  void device.lost.then((info) => { if (!closed) lost = info.message || info.reason; });
  const openScopes = (): void => { for (const filter of ERRORS) device.pushErrorScope(filter); };
  openScopes();
  return {
    device,
    kernels: new Kernels(device),
    facts: adapterFacts(adapter),
    maxBindingBytes: Math.min(maxStorageBufferBindingSize, maxBufferSize),
    workgroupBytes: maxComputeWorkgroupStorageSize,
    subgroups: requiredFeatures.includes('subgroups') ? { least: adapter.info.subgroupMinSize!, most: adapter.info.subgroupMaxSize! } : null,
    taken: { bytes: 0 },
    traffic: { sentBytes: 0, readBackBytes: 0 },
    timer: null,
    lostReason: () => lost,
    noteErrors: async () => {
      const errors = ERRORS.map(() => device.popErrorScope());
      openScopes();
      for (const error of await Promise.allSettled(errors)) if (error.status === 'fulfilled' && error.value !== null) lost ??= error.value.message;
    },
    close: () => { closed = true; device.destroy(); void instance; },
  };
}
