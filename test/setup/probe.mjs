/**
 * Prints the adapter that WebGPU finds in this environment as one line of JSON, or fails. A process of its own, because the
 * environment of a driver is read once and a broken driver may crash.
 */
import { create, globals } from 'webgpu';

Object.assign(globalThis, globals);
// Referenced to the end: Dawn crashes once the object is collected.
globalThis.gpusortProbe = create([]);
const adapter = await globalThis.gpusortProbe.requestAdapter();
if (adapter === null) {
  console.error('WebGPU finds no adapter');
  process.exitCode = 1;
} else {
  const { vendor, architecture, device, description, subgroupMinSize, subgroupMaxSize } = adapter.info;
  const line = JSON.stringify({ vendor, architecture, device, description, subgroupMinSize, subgroupMaxSize });
  // Dawn may hang while it winds down; nothing is left to lose once the line is out.
  process.stdout.write(`${line}\n`, () => process.exit(0));
}
