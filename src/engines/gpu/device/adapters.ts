/**
 * The output of `gpusort --adapters`: the adapters that WebGPU offers. WebGPU cannot list adapters, it only answers
 * requests. So every known kind of request is tried.
 */

import { formatBytes } from '../../../report/units.js';
import { GpusortError } from '../../../system/errors.js';
import { adapterFacts } from './device.js';
import { loadWebGpu } from './request-adapter.js';
import { driverAdvice } from './vulkan.js';

const WISHES: readonly GPURequestAdapterOptions[] = [
  { powerPreference: 'high-performance' },
  { powerPreference: 'low-power' },
  { forceFallbackAdapter: true },
];

/** A block of lines for each adapter, gpusort's default first; one sentence if there is none. */
export async function describeAdapters(): Promise<string[]> {
  let gpu: GPU;
  try {
    gpu = await loadWebGpu();
  } catch (error) {
    if (!(error instanceof GpusortError)) throw error;
    return [`${error.message[0].toUpperCase()}${error.message.slice(1)}. ${error.hint ?? ''}`];
  }
  const blocks = new Set<string>();
  for (const wish of WISHES) {
    const adapter = await gpu.requestAdapter(wish);
    if (adapter !== null) blocks.add(describe(adapter));
  }
  if (blocks.size > 0) return [...blocks];
  return [`No GPU was found: WebGPU offers no adapter on this machine, so gpusort uses the CPU. ${driverAdvice()}.`];
}

function describe(adapter: GPUAdapter): string {
  const facts = adapterFacts(adapter);
  const { info, limits } = adapter;
  const kind = facts.software ? 'software (correct, but slower than the CPU engine; used only on request)' : 'hardware';
  const { subgroupMinSize: least, subgroupMaxSize: most } = info;
  const subgroups = least === most ? least : `${least} to ${most}`;
  const workgroupMemory = formatBytes(limits.maxComputeWorkgroupStorageSize);
  return [
    facts.name,
    `  vendor:    ${facts.vendor || 'unknown'}`,
    `  driver:    ${facts.driver || 'unknown'}`,
    `  kind:      ${kind}`,
    `  subgroups: ${subgroups} threads`,
    `  binding:   ${formatBytes(facts.maxBindingBytes)} at most`,
    `  buffer:    ${formatBytes(facts.maxBufferBytes)} at most`,
    `  workgroup: ${workgroupMemory}, ${limits.maxComputeInvocationsPerWorkgroup} threads at most`,
  ].join('\n');
}
