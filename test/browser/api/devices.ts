/** Devices as programs make them, with the default limits, and buffers on them. */
import { requestAdapter } from '../../../src/engines/gpu/device/adapters.js';

/** Values of GPUBufferUsage. */
export const USAGES = 0x80 | 0x4 | 0x8;
export const MAP_READ = 0x1;

export interface DeviceKind {
  readonly name: string;
  readonly immediates: boolean;
  readonly subgroups: boolean;
}

export const PLAIN: DeviceKind = { name: 'without immediates and subgroups', immediates: false, subgroups: false };
export const RICH: DeviceKind = { name: 'with immediates and subgroups', immediates: true, subgroups: true };

/** A device with the default limits; the system's may have higher ones. */
export async function makeDevice({ immediates, subgroups }: DeviceKind): Promise<GPUDevice> {
  const adapter = await requestAdapter();
  const wanted: GPUFeatureName[] = ['timestamp-query', ...(subgroups ? (['subgroups'] as const) : [])];
  const device = await adapter.requestDevice({ requiredFeatures: wanted.filter((name) => adapter.features.has(name)) });
  return immediates ? device : withoutImmediates(device);
}

/** Makes the device report that it has no immediates, and returns it. */
export function withoutImmediates(device: GPUDevice): GPUDevice {
  const limits: Record<string, number> = {};
  for (const name in device.limits) limits[name] = device.limits[name as keyof GPUSupportedLimits] as number;
  return Object.defineProperty(device, 'limits', { value: { ...limits, maxImmediateSize: 0 } });
}

/** A buffer that holds `words`, then words 0xa5a5a5a5 up to `length` words. */
export function upload(device: GPUDevice, words: Uint32Array, length = words.length, usage = USAGES): GPUBuffer {
  const buffer = device.createBuffer({ size: 4 * Math.max(length, 1), usage, mappedAtCreation: true });
  const mapped = new Uint32Array(buffer.getMappedRange());
  mapped.fill(0xa5a5a5a5);
  mapped.set(words);
  buffer.unmap();
  return buffer;
}

export async function download(device: GPUDevice, buffer: GPUBuffer): Promise<Uint32Array> {
  const staging = device.createBuffer({ size: buffer.size, usage: MAP_READ | 0x8 });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, 0, staging, 0, buffer.size);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(1);
  const words = new Uint32Array(staging.getMappedRange().slice(0));
  staging.destroy();
  return words;
}
