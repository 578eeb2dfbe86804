/** If the GPU fails, the CPU takes over, the output is right, and one warning reports it. */
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { freshDirectory, run } from '../../../battery/runner.js';
import { describeGpu } from '../../../setup/gpu.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** A copy of the built program in which the kernel `name` does not compile. */
function brokenCopy(name: string): string {
  const copy = freshDirectory('broken');
  for (const part of ['bin', 'dist/bundle', 'dist/wasm', 'kernels', 'package.json'])
    cpSync(join(root, part), join(copy, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  const kernel = join(copy, 'kernels/wgsl', `${name}.wgsl`);
  writeFileSync(kernel, `${readFileSync(kernel, 'utf8')}\nfn broken( {}\n`);
  return join(copy, 'bin/gpusort.cjs');
}

describeGpu('a kernel that does not compile', () => {
  const input = Buffer.from(Array.from({ length: 1000 }, (_, i) => `${(i * 7919) % 1000}\n`).join(''));
  const sorted = input
    .toString()
    .split('\n')
    .slice(0, -1)
    .sort()
    .map((line) => `${line}\n`)
    .join('');

  it('causes a warning, and the CPU sorts', async () => {
    const file = join(freshDirectory('input'), 'f');
    writeFileSync(file, input);
    const program = brokenCopy('records/gather/lengths');
    const { status, stdout, stderr } = await run(process.execPath, [program, '--engine', 'gpu', file], {
      gpuFails: true,
    });
    expect({ status, stdout: stdout.toString() }).toEqual({ status: 0, stdout: sorted });
    expect(stderr).toMatch(
      /^gpusort: warning: the GPU failed \(cannot compile kernel records\/gather\/lengths: kernels\/wgsl\/records\/gather\/lengths\.wgsl:\d+:\d+: .*\); sorting on the CPU instead\n$/,
    );
    // Without `gpuFails`, `run` rejects, so no other test can miss a failed GPU.
    await expect(run(process.execPath, [program, '--engine', 'gpu', file])).rejects.toThrow('the GPU failed');
  });
});
