/**
 * Measures problems in a process of its own, so that one that hangs or crashes takes no other with it. A list of them comes in as JSON
 * ({ problems, runs, copy }); for each, a line of JSON goes out when it begins and one when it is done. The first says that the device is there.
 */
import { readFileSync, writeSync } from 'node:fs';
import { measureCopy, openGpu, requestAdapter } from './device.mjs';
import { Inputs, measure } from './measure.mjs';

/** Written at once, as nothing may be left in a buffer when a driver crashes. */
const say = (line) => { writeSync(1, `${JSON.stringify(line)}\n`); };

const { problems, runs, copy } = JSON.parse(readFileSync(0, 'utf8'));
const gpu = await requestAdapter().then(openGpu).catch((error) => {
  console.error(`error: ${error.message}`);
  process.exit(1);
});
const inputs = new Inputs(gpu);
say({ ready: true });
if (copy) say({ copy: await measureCopy(gpu, runs), timestamps: gpu.device.features.has('timestamp-query') });
for (const [index, problem] of problems.entries()) {
  say({ begin: index });
  let figures;
  try {
    figures = await measure(gpu, problem, runs, inputs);
  } catch (error) {
    figures = { error: error.message };
    inputs.end();
  }
  // A device that is lost, or whose kernels were launched wrongly, is good for nothing more.
  await gpu.noteErrors();
  const lost = gpu.lostReason();
  if (lost !== undefined) figures = { error: figures.error ?? lost };
  say({ done: index, figures });
  if (lost !== undefined) process.exit(3);
}
// Dawn may hang while it winds down; nothing is left to lose.
process.exit(0);
