/**
 * The examples of docs/kernels-api.md run as they stand, one after another, and leave what their comments say. They see
 * a browser's names, and `gpusort/kernels` as package.json exports it.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { globals } from 'webgpu';
import { loadWebGpu } from '../../../src/engines/gpu/device/adapters.js';
import { describeGpu } from '../../setup/gpu.js';
import { download } from './devices.js';

const root = new URL('../../../', import.meta.url);
const text = (path: string): string => readFileSync(new URL(path, root), 'utf8');

/** The examples except the one for Node, as one program; its log and its variables. */
async function runExamples(): Promise<Record<string, unknown>> {
  const { exports } = JSON.parse(text('package.json')) as { exports: Record<string, { default: string }> };
  const module = new URL(exports['./kernels']!.default, root).href;
  const blocks = [...text('docs/kernels-api.md').matchAll(/^```js\n([^`]*)^```/gm)].map(([, code]) => code!);
  const program = blocks
    .filter((code) => !code.includes("from 'webgpu'"))
    .join('\n')
    .replace(/^import (\{.*\}) from 'gpusort\/kernels';$/gm, (_, names) => `const ${names} = await load('${module}');`);
  const names = [...program.matchAll(/^const (\w+) =/gm)].map(([, name]) => name);
  const run = new Function(
    ...['navigator', 'GPUBufferUsage', 'console', 'load'],
    `return (async () => { ${program}\nreturn { ${names.join(', ')} }; })();`,
  ) as (...given: unknown[]) => Promise<Record<string, unknown>>;
  const logged: string[] = [];
  const variables = await run(
    { gpu: (await loadWebGpu()).gpu },
    (globals as { GPUBufferUsage?: unknown }).GPUBufferUsage,
    { log: (line: string) => logged.push(line) },
    (url: string) => import(url),
  );
  return { ...variables, logged };
}

/** Runs the example of Node in a process of its own, collects garbage, and uses its device; returns the outcome. */
async function runInNode(): Promise<{ status: number | null; stdout: string }> {
  const example = /^```js\n([^`]*from 'webgpu'[^`]*)^```/m.exec(text('docs/kernels-api.md'))![1]!;
  // Objects that only the example references become garbage when its module has ended.
  const program = `${example}
    globalThis.finish = () => device.queue.onSubmittedWorkDone();
    setTimeout(async () => {
      for (let i = 0; i < 5; i++) {
        gc();
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      await finish();
      console.log('done');
      process.exit();
    });`;
  const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '--eval', program], {
    cwd: fileURLToPath(root),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let stdout = '';
  child.stdout.on('data', (data: Buffer) => {
    stdout += data.toString();
  });
  return new Promise((resolve) => {
    child.on('close', (status) => resolve({ status, stdout }));
  });
}

describeGpu('docs/kernels-api.md', () => {
  it('the device of the example for Node survives garbage collections', async () => {
    expect(await runInNode()).toEqual({ status: 0, stdout: 'done\n' });
  });

  it('runs the examples of docs/kernels-api.md', async () => {
    const { device, logged, keys, values, scores, runs, arena } = (await runExamples()) as {
      device: GPUDevice;
      logged: string[];
    } & Record<string, GPUBuffer>;
    expect(logged).toEqual(['-1 -0.5 2.5 10']);
    const numbers = new Float32Array((await download(device, keys!)).buffer);
    expect([...numbers]).toEqual([...numbers].sort((a, b) => a - b));
    expect([...(await download(device, values!))].sort((a, b) => a - b)).toEqual([...Array(1000).keys()]);
    expect([...new Int32Array((await download(device, scores!)).buffer)]).toEqual([3, 2, 1, 9, 0, -7]);
    expect([...(await download(device, runs!))]).toEqual([1, 2, 5, 6, 7, 9]);
    const words = await download(device, arena!);
    expect([256, 512, 768].map((at) => [...words.subarray(at, at + 5)])).toEqual([
      [5, 6, 7, 4, 0],
      [4, 5, 6, 7, 0],
      [4, 5, 6, 7, 0],
    ]);
    device.destroy();
  });
});
