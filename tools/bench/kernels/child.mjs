/**
 * Measures problems in a process of its own, so that a hang or a crash affects only one of them. Reads a list of
 * problems as JSON ({ problems, runs, copy, cub, registry }) from standard input; `registry` is the module that lists
 * their algorithms; `cub`, if any, is the program that runs CUB after each problem. Writes a line of JSON when it has a
 * device, and when each problem begins and ends.
 */
import { readFileSync, writeSync } from 'node:fs';
import { CubPeers } from './cub.mjs';
import { measureCopy, openGpu, requestAdapter } from './device.mjs';
import { findProblem, Inputs, measure } from './measure.mjs';

/** Writes synchronously: if a driver crashes, nothing must be left in a buffer. */
const say = (line) => {
  writeSync(1, `${JSON.stringify(line)}\n`);
};

const { problems, runs, copy, cub, registry } = JSON.parse(readFileSync(0, 'utf8'));
const { ALGORITHMS } = await import(registry);
const gpu = await requestAdapter()
  .then(openGpu)
  .catch((error) => {
    console.error(`error: ${error.message}`);
    process.exit(1);
  });
const inputs = new Inputs(gpu);
const peers = cub === null ? null : new CubPeers(gpu, cub, runs);
say({ ready: true });
if (copy) say({ copy: await measureCopy(gpu, runs), timestamps: gpu.device.features.has('timestamp-query') });
for (const [index, problem] of problems.entries()) {
  say({ begin: index });
  let figures;
  try {
    figures = await measure(gpu, ALGORITHMS, problem, runs, inputs);
    if (peers !== null && figures.leftOut === undefined) {
      const { algorithm, one } = findProblem(ALGORITHMS, problem);
      const beside = await peers.measure(algorithm, one, problem.size, await inputs.take(one, problem.size));
      if (beside.length > 0) figures.peers = beside;
    }
  } catch (error) {
    figures = { error: error.message };
    inputs.end();
  }
  // If the device is lost, or a kernel was launched wrongly, this process can measure nothing more.
  await gpu.noteErrors();
  const lost = gpu.lostReason();
  if (lost !== undefined) figures = { error: figures.error ?? lost };
  say({ done: index, figures });
  if (lost !== undefined) process.exit(3);
}
// Dawn may hang while it shuts down. Everything has been written.
process.exit(0);
