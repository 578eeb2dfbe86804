/**
 * Asks Vulkan drivers for adapters, for src/engines/gpu/device/drivers.ts: the standard error of this process can be
 * caught. Arguments: manifests of drivers. For each one it writes a line of JSON to standard output, what WebGPU says of
 * the driver's best adapter or null, and then ends what the driver wrote to standard error with a separator.
 */
const { writeSync } = require('node:fs');

const SEPARATOR = '\x1e';
const WISHES = [{ powerPreference: 'high-performance' }, { forceFallbackAdapter: true }];

const factsOf = ({ architecture, device, description, isFallbackAdapter }) => ({
  ...{ architecture, device, description, isFallbackAdapter },
});

async function main() {
  const webgpu = await require('./webgpu.cjs')();
  // Dawn may crash if an instance is garbage-collected.
  const instances = [];
  for (const manifest of process.argv.slice(2)) {
    Object.assign(process.env, { VK_DRIVER_FILES: manifest, VK_ICD_FILENAMES: manifest });
    const gpu = webgpu.create([]);
    instances.push(gpu);
    let adapter = null;
    for (const wish of WISHES) adapter ??= await gpu.requestAdapter(wish);
    writeSync(1, `${JSON.stringify(adapter && factsOf(adapter.info))}\n`);
    writeSync(2, SEPARATOR);
  }
  // Drivers may crash while they are unloaded.
  process.reallyExit(instances.length > 0 ? 0 : 1);
}

main();
