/** Devices whose methods a test replaces. */
import { USAGE } from '../../../../src/engines/gpu/device/device.js';

/** The same object with some properties replaced. Its own methods run on the object itself, as WebGPU's need it. */
export function withReplaced<T extends object>(target: T, replaced: Partial<T>): T {
  return new Proxy(target, {
    get: (object, name) => {
      if (name in replaced) return replaced[name as keyof T];
      const value = Reflect.get(object, name, object) as unknown;
      return typeof value === 'function' ? (value as (...a: unknown[]) => unknown).bind(object) : value;
    },
  });
}

/** A device with `bytes()` of memory. Buffers below 4 KiB and those without STORAGE usage are not counted. */
export function withMemory(device: GPUDevice, bytes: () => number): GPUDevice {
  let used = 0;
  return withReplaced(device, {
    createBuffer: (descriptor) => {
      if ((descriptor.usage & USAGE.STORAGE) === 0 || descriptor.size < 4096) return device.createBuffer(descriptor);
      if (used + descriptor.size > bytes()) throw new Error('no memory');
      used += descriptor.size;
      const buffer = device.createBuffer(descriptor);
      const destroy = buffer.destroy.bind(buffer);
      let isDestroyed = false;
      buffer.destroy = () => {
        if (!isDestroyed) used -= descriptor.size;
        isDestroyed = true;
        return destroy();
      };
      return buffer;
    },
  });
}
