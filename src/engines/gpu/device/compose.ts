/**
 * Composes kernels from the files in kernels/wgsl/. A kernel is plain WGSL. Its first lines may name files that it
 * includes: `//! needs: shared/launch, keys/key-{KEY_WORDS}`. A name in braces is replaced by that variant, or by that
 * constant as a word, so that one kernel serves several key widths. Included files may include others. WGSL's module
 * scope has no order, so composition is concatenation: directives, constants from the host, each included file once,
 * the kernel. Lines of the result can be traced to their files.
 */
import { kernelText } from './kernel-text.js';
import { UNIFORM_GROUP } from './uniform-immediates.js';

/** Constants by name: `const` values, which can size arrays, `override` values for the rest, and included files. */
export interface KernelConstants {
  /** Prepended as `const NAME = VALUEu;`. */
  readonly consts?: Readonly<Record<string, number>>;
  /** Pipeline-overridable constants; booleans are 0 and 1. */
  readonly overrides?: Readonly<Record<string, number>>;
  /** Parts of the names of included files: `{NAME}` in `needs`. */
  readonly variants?: Readonly<Record<string, string>>;
}

interface SourceFile {
  readonly file: string;
  readonly lines: readonly string[];
}

const IMMEDIATES = /^var<immediate>/;
const UNIFORMS = `@group(${UNIFORM_GROUP}) @binding(0) var<uniform>`;

const NEEDS = /^\/\/! needs: (.+)$/;

/** How file names spell the value of a constant. */
const WORDS: readonly string[] = ['none', 'one', 'two', 'three', 'four'];

/** Adds the files that a kernel consists of to `seen`: included files first, each once. */
function addFiles(file: string, constants: KernelConstants, seen: Map<string, SourceFile>): void {
  if (seen.has(file)) return;
  const spelled = (name: string): string => constants.variants?.[name] ?? WORDS[constants.consts?.[name] ?? -1];
  const lines = kernelText(file).split('\n');
  for (const line of lines) {
    const needs = NEEDS.exec(line);
    if (needs === null) break;
    for (const name of needs[1].split(',')) {
      const path = name.trim().replace(/\{(\w+)\}/g, (_, constant: string) => spelled(constant));
      addFiles(`${path}.wgsl`, constants, seen);
    }
  }
  seen.set(file, { file, lines });
}

interface Composed {
  readonly code: string;
  origin(line: number): string;
}

/**
 * Joins a kernel (a path under kernels/wgsl/ without its extension) with the files it includes. `origin` maps a line
 * number of the result (from 1) to `file:line`. With `uniforms`, immediates are declared as a uniform buffer with the
 * same struct (uniform-immediates.ts).
 */
export function composeKernel(name: string, constants: KernelConstants = {}, uniforms = false): Composed {
  const seen = new Map<string, SourceFile>();
  addFiles(`${name}.wgsl`, constants, seen);
  const directives: string[] = [];
  const body: string[] = [];
  const origins: string[] = [];
  for (const { file, lines } of seen.values()) {
    lines.forEach((line, i) => {
      if (/^(enable|requires|diagnostic)\b/.test(line)) {
        if (!directives.includes(line)) directives.push(line);
        line = '';
      }
      body.push(uniforms ? line.replace(IMMEDIATES, UNIFORMS) : line);
      origins.push(`kernels/wgsl/${file}:${i + 1}`);
    });
  }
  const head = [...directives, ...Object.entries(constants.consts ?? {}).map(([k, v]) => `const ${k} = ${v}u;`)];
  return {
    code: [...head, ...body].join('\n'),
    origin: (line) =>
      line <= head.length ? `kernels/wgsl/${name}.wgsl (constants)` : (origins[line - head.length - 1] ?? name),
  };
}
