/** The files of kernels/wgsl/, and the files that each includes, as their text shows. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const WGSL = fileURLToPath(new URL('../../kernels/wgsl/', import.meta.url));

export interface KernelFile {
  /** Relative to kernels/wgsl/, without its extension: the name by which a kernel is loaded. */
  readonly name: string;
  readonly text: string;
  /** The names of the files it includes; if a constant is part of one, those of all that fit. */
  readonly includes: readonly string[];
}

const NAMES = (readdirSync(WGSL, { recursive: true }) as string[])
  .filter((file) => file.endsWith('.wgsl'))
  .map((file) => file.slice(0, -'.wgsl'.length))
  .sort();

/** The kernels whose names fit a pattern in which `hole` stands for a word. */
export function kernelsLike(pattern: string, hole: RegExp): string[] {
  const parts = pattern.split(hole).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const fits = new RegExp(`^${parts.join('[^/]+')}$`);
  return NAMES.filter((name) => fits.test(name));
}

function readKernel(name: string): KernelFile {
  const text = readFileSync(join(WGSL, `${name}.wgsl`), 'utf8');
  const needs = [...text.matchAll(/^\/\/! needs: (.+)/gm)].flatMap(([, names]) => names.split(','));
  return { name, text, includes: needs.flatMap((need) => kernelsLike(need.trim(), /\{\w+\}/)) };
}

/** All files of kernels/wgsl/, by name. */
export const KERNELS: ReadonlyMap<string, KernelFile> = new Map(NAMES.map((name) => [name, readKernel(name)]));
