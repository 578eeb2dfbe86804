/**
 * An adapter that grants no more than WebGPU promises on every device, whatever the GPU of the run could do, and counts the
 * memory of the buffers that are made on it.
 */
import { requestAdapter } from '../../src/gpu/device.js';

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
  const real = await requestAdapter();
  const memory: DeviceMemory = { now: 0, peak: 0 };
  const adapter = {
    info: real.info,
    features: new Set<GPUFeatureName>(),
    limits: DEFAULT_LIMITS,
    requestDevice: async () => counted(await real.requestDevice(), memory),
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
