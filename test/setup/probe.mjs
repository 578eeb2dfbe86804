/**
 * Prints the adapter that WebGPU finds in this environment as one line of JSON, or fails. It is a separate process
 * because a driver reads its environment only once, and a broken driver may crash.
 */
import { create, globals } from 'webgpu';

Object.assign(globalThis, globals);
// Kept referenced to the end: Dawn crashes once the object is garbage-collected.
globalThis.gpusortProbe = create([]);
const adapter = await globalThis.gpusortProbe.requestAdapter();
if (adapter === null) {
  console.error('WebGPU finds no adapter');
  process.exitCode = 1;
} else {
  const { vendor, architecture, device, description, subgroupMinSize, subgroupMaxSize } = adapter.info;
  const line = JSON.stringify({ vendor, architecture, device, description, subgroupMinSize, subgroupMaxSize });
  // Dawn may hang during shutdown, so exit as soon as the line is written.
  process.stdout.write(`${line}\n`, () => process.exit(0));
}
