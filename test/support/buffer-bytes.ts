/** The memory of a device's buffers. */

/** Counts the bytes of the buffers made on a device from now on and not yet destroyed. `end` removes the counter. */
export function bufferBytes(device: GPUDevice): { live(): number; end(): void } {
  const create = device.createBuffer;
  let live = 0;
  device.createBuffer = (descriptor) => {
    const buffer = create.call(device, descriptor);
    const destroy = buffer.destroy.bind(buffer);
    live += buffer.size;
    buffer.destroy = () => {
      live -= buffer.size;
      buffer.destroy = destroy;
      return destroy();
    };
    return buffer;
  };
  return {
    live: () => live,
    end: () => {
      device.createBuffer = create;
    },
  };
}
