/**
 * An adapter that grants only what WebGPU guarantees on every device, whatever the real GPU can do. It counts the
 * memory of the buffers created on it.
 */
import { requestAdapter } from '../../../../src/engines/gpu/device/adapters.js';

/** WebGPU's default limits that kernels and buffers can exceed (specification, section 3.6.2). */
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

/** Bytes of live buffers: now, and the maximum since `peak` was last set. */
export interface DeviceMemory {
  now: number;
  peak: number;
}

export interface DefaultAdapter {
  readonly adapter: GPUAdapter;
  readonly memory: DeviceMemory;
}

/**
 * The system's adapter with the default limits and no features. Its device is always requested without required limits
 * and features.
 */
export async function defaultAdapter(): Promise<DefaultAdapter> {
  return limitedAdapter(await requestAdapter(), null);
}

/** The subgroup sizes that an adapter reports; null: no subgroups. */
export type Subgroups = { readonly least: number; readonly most: number } | null;

/** Wraps an adapter: default limits, and no features except subgroups, if wanted. It can also lack immediates. */
export function limitedAdapter(real: GPUAdapter, subgroups: Subgroups, immediates = true): DefaultAdapter {
  const memory: DeviceMemory = { now: 0, peak: 0 };
  const requiredFeatures: GPUFeatureName[] = subgroups === null ? [] : ['subgroups'];
  const { vendor, architecture, device, description } = real.info;
  const adapter = {
    info: {
      vendor,
      architecture,
      device,
      description,
      subgroupMinSize: subgroups?.least,
      subgroupMaxSize: subgroups?.most,
    },
    features: new Set(requiredFeatures),
    limits: immediates ? DEFAULT_LIMITS : { ...DEFAULT_LIMITS, maxImmediateSize: 0 },
    requestDevice: async () => counted(await real.requestDevice({ requiredFeatures }), memory),
  };
  return { adapter: adapter as unknown as GPUAdapter, memory };
}

/** The same device; counts its buffers. */
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
