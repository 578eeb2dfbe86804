/**
 * Asks Vulkan drivers for adapters, for src/engines/gpu/device/drivers.ts: the standard error of this process can be
 * caught. Arguments: manifests of drivers. For each one it writes a line to standard output, `1` if WebGPU can use a
 * device of the driver, and then ends what the driver wrote to standard error with a separator.
 */
const { writeSync } = require('node:fs');

const SEPARATOR = '\x1e';
const WISHES = [{ powerPreference: 'high-performance' }, { forceFallbackAdapter: true }];

async function main() {
  const webgpu = await require('./webgpu.cjs')();
  // Dawn may crash if an instance is garbage-collected.
  const instances = [];
  for (const manifest of process.argv.slice(2)) {
    Object.assign(process.env, { VK_DRIVER_FILES: manifest, VK_ICD_FILENAMES: manifest });
    const gpu = webgpu.create([]);
    instances.push(gpu);
    let works = false;
    for (const wish of WISHES) works ||= (await gpu.requestAdapter(wish)) !== null;
    writeSync(1, works ? '1\n' : '0\n');
    writeSync(2, SEPARATOR);
  }
  // Drivers may crash while they are unloaded.
  process.reallyExit(instances.length > 0 ? 0 : 1);
}

main();
