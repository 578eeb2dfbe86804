/** The average of two floating-point numbers, as quicksort's pivots need it: finite, and between the two. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { USAGE } from '../../../../../src/engines/gpu/device/device.js';
import { readBack } from '../../../../../src/engines/gpu/device/dispatch.js';
import { describeGpu } from '../../../../setup/gpu.js';
import { useGpu } from '../../helpers.js';

const FILES = ['keys/codes', 'keys/quicksort/float-average'];
const MAIN = `
@group(0) @binding(0) var<storage, read> pairs: array<vec2u>;
@group(0) @binding(1) var<storage, read_write> averages: array<u32>;
@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) id: vec3u) { averages[id.x] = float_average(pairs[id.x].x, pairs[id.x].y); }`;

const NUMBERS = [0, 1, 1.5, 3, 1e-3, 1e30, 3e38, 1e-30, 1e-37, 7.25, 123456].flatMap((x) => [x, -x]);
const PAIRS = NUMBERS.flatMap((a) => NUMBERS.map((b) => [a, b] as const));

/** The highest words of numbers of this size, and back. */
const FORMS = {
  1: {
    word: (x: number) => new Uint32Array(Float32Array.of(x).buffer)[0],
    number: (word: number) => new Float32Array(Uint32Array.of(word).buffer)[0],
    error: 2 ** -22,
  },
  2: {
    word: (x: number) => new Uint32Array(Float64Array.of(x).buffer)[1],
    number: (word: number) => new Float64Array(Uint32Array.of(0, word).buffer)[0],
    error: 2 ** -18,
  },
} as const;

describeGpu('the average of floating-point numbers', () => {
  const gpu = useGpu();

  it.each([1, 2] as const)('is that of numbers of %i words', async (words) => {
    const { device } = gpu();
    const { word, number, error } = FORMS[words];
    const texts = FILES.map((name) => readFileSync(`kernels/wgsl/${name}.wgsl`, 'utf8'));
    const code = [`const KEY_WORDS = ${words}u;`, ...texts, MAIN].join('\n');
    const pipeline = device.createComputePipeline({
      layout: 'auto',
      compute: { module: device.createShaderModule({ code }) },
    });
    const buffer = (size: number): GPUBuffer =>
      device.createBuffer({ size, usage: USAGE.STORAGE | USAGE.COPY_SRC | USAGE.COPY_DST });
    const [pairs, averages] = [buffer(8 * PAIRS.length), buffer(4 * PAIRS.length)];
    device.queue.writeBuffer(pairs, 0, Uint32Array.from(PAIRS.flat(), word));
    const entries = [pairs, averages].map((one, binding) => ({ binding, resource: { buffer: one } }));
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
    pass.dispatchWorkgroups(PAIRS.length);
    pass.end();
    device.queue.submit([encoder.finish()]);
    const found = new Uint32Array((await readBack(gpu(), averages, 0, 4 * PAIRS.length)).buffer);
    PAIRS.forEach(([a, b], i) => {
      const expected = a / 2 + b / 2;
      const most = Math.max(Math.abs(a), Math.abs(b)) * error + 2 ** -126;
      expect({ a, b, near: Math.abs(number(found[i]) - expected) <= most }).toEqual({ a, b, near: true });
    });
    pairs.destroy();
    averages.destroy();
  });
});
