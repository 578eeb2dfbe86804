/**
 * Loads WebGPU for Node, finds this machine's adapter, and lists adapters for `gpusort --adapters`. WebGPU cannot list
 * adapters, it only answers requests, so every known kind of request is tried. Knows no device.
 */
import { formatBytes } from '../../../report/units.js';
import { GpusortError } from '../../../system/errors.js';
import { adapterFacts } from './device.js';
import {
  bestDrivers,
  type DriverAnswer,
  installedDrivers,
  type KnownAdapter,
  loadingDrivers,
  refusal,
  whyNone,
} from './drivers.js';
import { driverAdvice, vulkanProblem } from './vulkan.js';
import { checkWebGpu, importWebGpu } from './webgpu.js';

const WISHES: readonly GPURequestAdapterOptions[] = [
  { powerPreference: 'high-performance' },
  { powerPreference: 'low-power' },
  { forceFallbackAdapter: true },
];

/** The facts of an adapter: the fields of `--adapters=json` (docs/json.md). */
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
  /** Sentences about devices that WebGPU refuses, if there are also adapters. */
  readonly refused: readonly string[];
}

export async function listAdapters(): Promise<AdapterList> {
  let loaded: LoadedWebGpu;
  try {
    loaded = await loadWebGpu();
  } catch (error) {
    if (!(error instanceof GpusortError)) throw error;
    return noAdapter(error);
  }
  const { gpu, drivers } = loaded;
  const adapters = drivers?.flatMap((driver) => driver.adapters ?? []) ?? [];
  let isUsable = adapters.length > 0;
  // Drivers that were asked are not loaded again: they may write messages.
  const silent = drivers?.filter((driver) => driver.adapters === null) ?? null;
  for (const wish of silent?.length === 0 ? [] : WISHES) {
    const adapter = await requestFrom(gpu, silent, wish);
    if (adapter === null) continue;
    isUsable ||= wish === WISHES[0];
    adapters.push(adapter);
  }
  if (adapters.length === 0) return noAdapter(noGpu());
  const found = new Map(adapters.map(describe).map((description) => [JSON.stringify(description), description]));
  const sorted = [...found.values()].sort((a, b) => Number(a.software) - Number(b.software));
  const refused = (drivers ?? []).filter(({ offers, reason }) => offers === 'nothing' && reason !== null);
  return { adapters: sorted, isUsable, problem: null, refused: refused.map((one) => `${refusal(one)}.`) };
}

function noAdapter({ message, hint }: GpusortError): AdapterList {
  const problem = `${message[0].toUpperCase()}${message.slice(1)}. ${hint ?? ''}`;
  return { adapters: [], isUsable: false, problem, refused: [] };
}

/** A block of lines for each adapter; one sentence if there is none. */
export function adapterBlocks({ adapters, problem, refused }: AdapterList): string[] {
  return problem === null ? [...new Set(adapters.map(blockOf)), ...refused] : [problem];
}

function describe(adapter: KnownAdapter): AdapterDescription {
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

/** Dawn, and the answers of the drivers. Null: drivers could not be asked, so Dawn loads all of them. */
interface LoadedWebGpu {
  readonly gpu: GPU;
  readonly drivers: readonly DriverAnswer[] | null;
}

/**
 * Dawn's instance. If it were garbage-collected, live devices would go with it. This module keeps it alive for every
 * Gpu and adapter.
 */
let instance: LoadedWebGpu | undefined;

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

/** Loads Dawn once. Throws GpusortError `no-adapter` if it cannot be loaded, or if no driver can be used. */
export async function loadWebGpu(): Promise<LoadedWebGpu> {
  if (instance !== undefined) return instance;
  try {
    checkWebGpu();
    const problem = vulkanProblem();
    if (problem !== null) throw new Error(problem);
    const drivers = await installedDrivers();
    if (drivers?.every(({ offers }) => offers === 'nothing')) {
      const { why, remedy } = whyNone(drivers);
      throw noGpu(`${NOT_FOUND}: ${why}`, remedy);
    }
    const webgpu = await importWebGpu();
    // Validation stays on: a wrong dispatch is then an error, not a crash. It costs time per call, not per record.
    const features = [`enable-dawn-features=${FEATURES}`, `disable-dawn-features=${NOT_FEATURES}`];
    return (instance ??= { gpu: webgpu.create(features) as GPU, drivers });
  } catch (error) {
    if (error instanceof GpusortError) throw error;
    throw noGpu(`no GPU can be used: ${(error as Error).message.split('\n')[0]}`, driverAdvice(), error);
  }
}

/** Dawn loads its drivers when it is first asked for an adapter. */
function requestFrom(
  gpu: GPU,
  drivers: readonly DriverAnswer[] | null,
  wish: GPURequestAdapterOptions,
): Promise<GPUAdapter | null> {
  const request = (): Promise<GPUAdapter | null> => gpu.requestAdapter(wish);
  return drivers === null ? request() : loadingDrivers(drivers, request);
}

const NOT_FOUND = 'no GPU was found';

const noGpu = (message = NOT_FOUND, remedy = driverAdvice(), cause?: unknown): GpusortError =>
  new GpusortError('no-adapter', message, { cause, hint: `${remedy}, or use --engine cpu.` });

/**
 * The best adapter of this machine. Throws GpusortError `no-adapter` with the reason and the remedy. `onlyHardware`:
 * the caller does not use software GPUs, so drivers that are known to be software are not loaded.
 */
export async function requestAdapter({
  onlyHardware = false,
}: {
  readonly onlyHardware?: boolean;
} = {}): Promise<GPUAdapter> {
  const { gpu, drivers } = await loadWebGpu();
  const best = drivers && bestDrivers(drivers);
  // Drivers that are silent have not been asked for devices.
  const devices = best?.flatMap((driver) => (driver.offers === 'software' ? driver.devices : [])) ?? [];
  if (onlyHardware && devices.length > 0)
    throw new GpusortError('no-adapter', `${devices.join(', ')} is a software GPU`);
  const adapter = await requestFrom(gpu, best, WISHES[0]);
  if (adapter === null) throw noGpu();
  return adapter;
}
