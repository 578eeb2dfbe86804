/**
 * Asks Vulkan drivers for adapters, for src/engines/gpu/device/drivers.ts: the standard error of this process can be
 * caught. Arguments: manifests of drivers. For each one it writes a line of JSON to standard output, a list of what
 * WebGPU says of the driver's adapters, the best one first, and then ends what the driver wrote to standard error with
 * a separator.
 */
const { writeSync } = require('node:fs');

const SEPARATOR = '\x1e';
const WISHES = [
  { powerPreference: 'high-performance' },
  { powerPreference: 'low-power' },
  { forceFallbackAdapter: true },
];
const INFO = [
  ...['vendor', 'architecture', 'device', 'description', 'isFallbackAdapter'],
  ...['subgroupMinSize', 'subgroupMaxSize'],
];
const LIMITS = [
  ...['maxStorageBufferBindingSize', 'maxBufferSize'],
  ...['maxComputeWorkgroupStorageSize', 'maxComputeInvocationsPerWorkgroup'],
];

const pick = (from, names) => Object.fromEntries(names.map((name) => [name, from[name]]));

async function main() {
  const webgpu = await require('./webgpu.cjs')();
  // Dawn may crash if an instance is garbage-collected.
  const instances = [];
  for (const manifest of process.argv.slice(2)) {
    Object.assign(process.env, { VK_DRIVER_FILES: manifest, VK_ICD_FILENAMES: manifest });
    const gpu = webgpu.create([]);
    instances.push(gpu);
    const found = [];
    for (const wish of WISHES) found.push(await gpu.requestAdapter(wish));
    const adapters = found.filter((adapter) => adapter !== null);
    const facts = adapters.map(({ info, limits }) => ({ info: pick(info, INFO), limits: pick(limits, LIMITS) }));
    writeSync(1, `${JSON.stringify(facts)}\n`);
    writeSync(2, SEPARATOR);
  }
  // Drivers may crash while they are unloaded.
  process.reallyExit(instances.length > 0 ? 0 : 1);
}

main();
