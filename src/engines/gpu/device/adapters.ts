/**
 * Loads WebGPU for Node, finds this machine's adapter, and lists adapters for `gpusort --adapters`. WebGPU cannot list
 * adapters, it only answers requests, so every known kind of request is tried. Knows no device.
 */
import { formatBytes } from '../../../report/units.js';
import { GpusortError } from '../../../system/errors.js';
import { adapterFacts } from './device.js';
import { driverAdvice, vulkanProblem } from './vulkan.js';
import { checkWebGpu, importWebGpu } from './webgpu.js';

const WISHES: readonly GPURequestAdapterOptions[] = [
  { powerPreference: 'high-performance' },
  { powerPreference: 'low-power' },
  { forceFallbackAdapter: true },
];

/** What is known of an adapter: the fields of `--adapters=json` (docs/json.md). */
interface AdapterDescription {
  readonly name: string;
  readonly vendor: string;
  readonly driver: string;
  readonly software: boolean;
  /** Null: unknown. */
  readonly subgroupMinSize: number | null;
  readonly subgroupMaxSize: number | null;
  readonly maxBindingBytes: number;
  readonly maxBufferBytes: number;
  readonly maxWorkgroupBytes: number;
  readonly maxWorkgroupThreads: number;
}

interface AdapterList {
  /** gpusort's default first. */
  readonly adapters: readonly AdapterDescription[];
  /** Whether --engine gpu finds an adapter. */
  readonly isUsable: boolean;
  /** Why there is no adapter, and what to install; null: there are some. */
  readonly problem: string | null;
}

export async function listAdapters(): Promise<AdapterList> {
  let gpu: GPU;
  try {
    gpu = await loadWebGpu();
  } catch (error) {
    if (!(error instanceof GpusortError)) throw error;
    const problem = `${error.message[0].toUpperCase()}${error.message.slice(1)}. ${error.hint ?? ''}`;
    return { adapters: [], isUsable: false, problem };
  }
  const found = new Map<string, AdapterDescription>();
  let isUsable = false;
  for (const wish of WISHES) {
    const adapter = await gpu.requestAdapter(wish);
    if (adapter === null) continue;
    isUsable ||= wish === WISHES[0];
    const description = describe(adapter);
    found.set(JSON.stringify(description), description);
  }
  const problem = `No GPU was found: WebGPU offers no adapter on this machine, so gpusort uses the CPU. ${driverAdvice()}.`;
  return { adapters: [...found.values()], isUsable, problem: found.size > 0 ? null : problem };
}

/** A block of lines for each adapter; one sentence if there is none. */
export function adapterBlocks({ adapters, problem }: AdapterList): string[] {
  return problem === null ? [...new Set(adapters.map(blockOf))] : [problem];
}

function describe(adapter: GPUAdapter): AdapterDescription {
  const { name, vendor, driver, software, maxBindingBytes, maxBufferBytes } = adapterFacts(adapter);
  const { info, limits } = adapter;
  return {
    ...{ name, vendor, driver, software },
    subgroupMinSize: info.subgroupMinSize ?? null,
    subgroupMaxSize: info.subgroupMaxSize ?? null,
    ...{ maxBindingBytes, maxBufferBytes },
    maxWorkgroupBytes: limits.maxComputeWorkgroupStorageSize,
    maxWorkgroupThreads: limits.maxComputeInvocationsPerWorkgroup,
  };
}

function blockOf(adapter: AdapterDescription): string {
  const { subgroupMinSize: least, subgroupMaxSize: most } = adapter;
  const kind = adapter.software
    ? 'software (correct, but slower than the CPU engine; used only on request)'
    : 'hardware';
  return [
    adapter.name,
    `  vendor:    ${adapter.vendor || 'unknown'}`,
    `  driver:    ${adapter.driver || 'unknown'}`,
    `  kind:      ${kind}`,
    `  subgroups: ${least === most ? least : `${least} to ${most}`} threads`,
    `  binding:   ${formatBytes(adapter.maxBindingBytes)} at most`,
    `  buffer:    ${formatBytes(adapter.maxBufferBytes)} at most`,
    `  workgroup: ${formatBytes(adapter.maxWorkgroupBytes)}, ${adapter.maxWorkgroupThreads} threads at most`,
  ].join('\n');
}

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
