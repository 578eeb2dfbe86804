/** The kernels of kernels/wgsl/, by name. */
import { readdirSync, readFileSync } from 'node:fs';

const root = new URL('../../kernels/wgsl/', import.meta.url);

/** The names of all kernels, sorted: the shaders with an entry point. The others are included by these. */
export function kernelNames(): string[] {
  return (readdirSync(root, { recursive: true }) as string[])
    .filter((file) => file.endsWith('.wgsl') && readFileSync(new URL(file, root), 'utf8').includes('@compute'))
    .map((file) => file.slice(0, -'.wgsl'.length))
    .sort();
}
