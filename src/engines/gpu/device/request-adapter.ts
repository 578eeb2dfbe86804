/**
 * Loads WebGPU for Node and finds this machine's adapter. Knows no device.
 */
import { GpusortError } from '../../../system/errors.js';
import { driverAdvice, vulkanProblem } from './vulkan.js';
import { checkWebGpu, importWebGpu } from './webgpu.js';

/**
 * Dawn's instance. If it were garbage-collected, live devices would go with it. This module keeps it alive for every
 * Gpu and adapter.
 */
let instance: GPU | undefined;

/**
 * Workgroup memory is not zeroed before a kernel runs: our kernels write what they read. Zeroing 12 KiB per workgroup
 * costs time on any device. SwiftShader unrolls it, and compiles a kernel in 12 s instead of 1 s.
 */
const FEATURES = 'disable_workgroup_init';
/**
 * New buffers are not zeroed either: kernels read only what was written. Zeroing upload buffers alone takes 60 ms.
 * Timestamps are not rounded to 65 us as in browsers, because many passes are shorter.
 */
const NOT_FEATURES = 'lazy_clear_resource_on_first_use,timestamp_quantization';

const installHint = (): string => `${driverAdvice()}, or use --engine cpu.`;

/** Loads Dawn once. Throws GpusortError `no-adapter` if it cannot be loaded. */
export async function loadWebGpu(): Promise<GPU> {
  try {
    if (instance === undefined) {
      checkWebGpu();
      const problem = vulkanProblem();
      if (problem !== null) throw new Error(problem);
      const webgpu = await importWebGpu();
      // Validation stays on: a wrong dispatch is then an error, not a crash. It costs time per call, not per record.
      instance = webgpu.create([`enable-dawn-features=${FEATURES}`, `disable-dawn-features=${NOT_FEATURES}`]) as GPU;
    }
    return instance;
  } catch (error) {
    if (error instanceof GpusortError) throw error;
    throw new GpusortError('no-adapter', `no GPU can be used: ${(error as Error).message.split('\n')[0]}`, {
      cause: error,
      hint: installHint(),
    });
  }
}

/** The best adapter of this machine. Throws GpusortError `no-adapter` with the reason and the remedy. */
export async function requestAdapter(): Promise<GPUAdapter> {
  const adapter = await (await loadWebGpu()).requestAdapter({ powerPreference: 'high-performance' });
  if (adapter === null) throw new GpusortError('no-adapter', 'no GPU was found', { hint: installHint() });
  return adapter;
}
