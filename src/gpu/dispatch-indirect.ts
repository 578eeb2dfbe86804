/**
 * Launches whose size the device itself has counted: no word goes to the host and back.
 */
import type { Binding } from './dispatch.js';
import type { Gpu } from './device.js';
import type { KernelConstants } from './kernels.js';

/** GPUBufferUsage.INDIRECT, fixed by the WebGPU specification. */
export const INDIRECT = 0x100;

/** Each pipeline's layout: asking for it makes a new object every time. */
const layouts = new WeakMap<GPUComputePipeline, GPUBindGroupLayout>();

/**
 * Records one launch of a loaded kernel with as many workgroups as the three words at `offset` bytes of `counts` say when it comes to
 * run; `counts` was made with INDIRECT and may be bound to be read, not to be written. The rest is as for `dispatch`.
 */
export function dispatchIndirect(gpu: Gpu, pass: GPUComputePassEncoder, kernel: string, constants: KernelConstants,
  bindings: readonly Binding[], immediates: readonly number[], counts: GPUBuffer, offset: number): void {
  const pipeline = gpu.kernels.get(kernel, constants);
  let layout = layouts.get(pipeline);
  if (layout === undefined) {
    layout = pipeline.getBindGroupLayout(0);
    layouts.set(pipeline, layout);
  }
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, gpu.device.createBindGroup({
    layout, entries: bindings.map((b, binding) => ({ binding, resource: 'buffer' in b ? b : { buffer: b } })),
  }));
  if (immediates.length > 0) pass.setImmediates(0, new Uint32Array(immediates));
  pass.dispatchWorkgroupsIndirect(counts, offset);
}
