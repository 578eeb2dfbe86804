/**
 * The GPU of this run computes correctly: tests must not appear to pass on a missing or broken GPU.
 */
import { expect, it } from 'vitest';
import { describeGpu, hasGpu } from './gpu.js';

describeGpu('the GPU of this run', () => {
  it('computes the result of a kernel', async () => {
    expect(hasGpu()).toBe(true);
    const { create, globals } = await import('webgpu');
    Object.assign(globalThis, globals);
    const gpu = create([]);
    // Kept referenced for the life of the process: Dawn crashes once the object is garbage-collected.
    (globalThis as { setupGpu?: unknown }).setupGpu = gpu;
    const adapter = await gpu.requestAdapter();
    const device = await adapter!.requestDevice();
    const module = device.createShaderModule({
      code: `@group(0) @binding(0) var<storage, read_write> data: array<u32>;
             @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) { data[id.x] = id.x * 3u; }`,
    });
    const pipeline = await device.createComputePipelineAsync({
      layout: 'auto',
      compute: { module, entryPoint: 'main' },
    });
    const storage = device.createBuffer({ size: 1024, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC });
    const readback = device.createBuffer({ size: 1024, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(
      0,
      device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: [{ binding: 0, resource: { buffer: storage } }],
      }),
    );
    pass.dispatchWorkgroups(4);
    pass.end();
    encoder.copyBufferToBuffer(storage, 0, readback, 0, 1024);
    device.queue.submit([encoder.finish()]);
    await readback.mapAsync(GPUMapMode.READ);
    expect(Array.from(new Uint32Array(readback.getMappedRange()))).toEqual(
      Array.from({ length: 256 }, (_, i) => i * 3),
    );
  });
});
