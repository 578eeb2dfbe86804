/**
 * An adapter that grants no more than WebGPU promises on every device, whatever the GPU of the run could do, and counts the
 * memory of the buffers that are made on it.
 */
import { requestAdapter } from '../../src/gpu/device/device.js';

/** WebGPU's default limits, as far as kernels and buffers can go beyond them (the specification's section 3.6.2). */
export const DEFAULT_LIMITS = {
  maxStorageBufferBindingSize: 128 << 20,
  maxBufferSize: 256 << 20,
  maxComputeWorkgroupStorageSize: 16384,
  maxComputeInvocationsPerWorkgroup: 256,
  maxComputeWorkgroupSizeX: 256,
  maxStorageBuffersPerShaderStage: 8,
  maxComputeWorkgroupsPerDimension: 65535,
  maxImmediateSize: 64,
} as const;

/** Bytes of the buffers that were made and not destroyed yet: now, and at most since `peak` was last set. */
export interface DeviceMemory { now: number; peak: number }

export interface DefaultAdapter {
  readonly adapter: GPUAdapter;
  readonly memory: DeviceMemory;
}

/**
 * The run's adapter with the default limits and no features in the place of its own. Whatever is asked of its device, it is
 * requested with no required limits and features at all.
 */
export async function defaultAdapter(): Promise<DefaultAdapter> {
  return limitedAdapter(await requestAdapter(), null);
}

/** Sizes that subgroups may have, as an adapter says; null: it has none. */
export type Subgroups = { readonly least: number; readonly most: number } | null;

/** Another adapter with the default limits and no features but subgroups, if it is to have these. */
export function limitedAdapter(real: GPUAdapter, subgroups: Subgroups): DefaultAdapter {
  const memory: DeviceMemory = { now: 0, peak: 0 };
  const requiredFeatures: GPUFeatureName[] = subgroups === null ? [] : ['subgroups'];
  const { vendor, architecture, device, description } = real.info;
  const adapter = {
    info: { vendor, architecture, device, description, subgroupMinSize: subgroups?.least, subgroupMaxSize: subgroups?.most },
    features: new Set(requiredFeatures),
    limits: DEFAULT_LIMITS,
    requestDevice: async () => counted(await real.requestDevice({ requiredFeatures }), memory),
  };
  return { adapter: adapter as unknown as GPUAdapter, memory };
}

/** The same device; its buffers are counted. */
function counted(device: GPUDevice, memory: DeviceMemory): GPUDevice {
  const create = device.createBuffer.bind(device);
  device.createBuffer = (descriptor) => {
    const buffer = create(descriptor);
    const destroy = buffer.destroy.bind(buffer);
    memory.now += descriptor.size;
    memory.peak = Math.max(memory.peak, memory.now);
    let live = true;
    buffer.destroy = () => {
      if (live) memory.now -= descriptor.size;
      live = false;
      return destroy();
    };
    return buffer;
  };
  return device;
}
