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

/** Constants that follow from the types of keys: files that they name are no choice of how to sort. */
const OF_TYPES: readonly string[] = ['KEY_WORDS', 'VALUES', 'MATCH_WORDS'];

const IMMEDIATES_LINE = /^var<immediate>/;
const UNIFORMS = `@group(${UNIFORM_GROUP}) @binding(0) var<uniform>`;

const NEEDS = /^\/\/! needs: (.+)$/;

/** How file names spell the value of a constant. */
const WORDS: readonly string[] = ['none', 'one', 'two', 'three', 'four'];

/**
 * Adds the files that a kernel consists of to `seen`: included files first, each once. Adds the names of those that
 * constants choose to `chosen`, without folders.
 */
function addFiles(file: string, constants: KernelConstants, seen: Map<string, SourceFile>, chosen: Set<string>): void {
  if (seen.has(file)) return;
  const spelled = (name: string): string => constants.variants?.[name] ?? WORDS[constants.consts?.[name] ?? -1];
  const lines = kernelText(file).split('\n');
  for (const line of lines) {
    const needs = NEEDS.exec(line);
    if (needs === null) break;
    for (const name of needs[1].split(',')) {
      let isChoice = false;
      const path = name.trim().replace(/\{(\w+)\}/g, (_, constant: string) => {
        isChoice ||= !OF_TYPES.includes(constant);
        return spelled(constant);
      });
      if (isChoice) chosen.add(path.slice(path.lastIndexOf('/') + 1));
      addFiles(`${path}.wgsl`, constants, seen, chosen);
    }
  }
  seen.set(file, { file, lines });
}

interface Composed {
  readonly code: string;
  /** The kernel's name, with the choices that its constants make: `keys/merge-sort/block-sort (sort-eight-stable)`. */
  readonly label: string;
  origin(line: number): string;
}

/**
 * Joins a kernel (a path under kernels/wgsl/ without its extension) with the files it includes. `origin` maps a line
 * number of the result (from 1) to `file:line`. With `uniforms`, immediates are declared as a uniform buffer with the
 * same struct (uniform-immediates.ts).
 */
export function composeKernel(name: string, constants: KernelConstants = {}, uniforms = false): Composed {
  const seen = new Map<string, SourceFile>();
  const choices = new Set<string>();
  addFiles(`${name}.wgsl`, constants, seen, choices);
  const digitBits = constants.consts?.DIGIT_BITS;
  if (digitBits !== undefined) choices.add(`digits of ${digitBits} bits`);
  const directives: string[] = [];
  const body: string[] = [];
  const origins: string[] = [];
  for (const { file, lines } of seen.values()) {
    lines.forEach((line, i) => {
      if (/^(enable|requires|diagnostic)\b/.test(line)) {
        if (!directives.includes(line)) directives.push(line);
        line = '';
      }
      body.push(uniforms ? line.replace(IMMEDIATES_LINE, UNIFORMS) : line);
      origins.push(`kernels/wgsl/${file}:${i + 1}`);
    });
  }
  const head = [...directives, ...Object.entries(constants.consts ?? {}).map(([k, v]) => `const ${k} = ${v}u;`)];
  return {
    code: [...head, ...body].join('\n'),
    label: choices.size === 0 ? name : `${name} (${[...choices].join(', ')})`,
    origin: (line) =>
      line <= head.length ? `kernels/wgsl/${name}.wgsl (constants)` : (origins[line - head.length - 1] ?? name),
  };
}

/** What a caller of a kernel must provide. */
export interface Declarations {
  /** The number of each binding, by name. */
  readonly bindings: ReadonlyMap<string, number>;
  /** The names of the bindings that are only read. */
  readonly readOnly: ReadonlySet<string>;
  /** The fields of the struct of immediates, in order; each is one word. */
  readonly immediates: readonly string[];
}

const BINDING = /@group\(0\)\s*@binding\(([^)]+)\)\s*var<([^>]*)>\s*(\w+)/g;
const IMMEDIATES = /var<(?:immediate|uniform)>\s*\w+\s*:\s*(\w+)/;
const WORD_TYPES: readonly string[] = ['u32', 'i32'];

/**
 * The storage bindings and immediates that a kernel's composed WGSL declares, by name. A declaration is one line,
 * `@group(0) @binding(N) var<...> NAME: TYPE;`, where N is a sum of numbers and constants. Immediates are one struct of
 * u32 fields, or a uniform buffer that stands in for them. Throws an Error that says what it cannot read.
 */
export function readDeclarations(code: string): Declarations {
  const plain = code.replace(/\/\/.*/g, '');
  const bindings = new Map<string, number>();
  const readOnly = new Set<string>();
  for (const [, expression, access, name] of plain.matchAll(BINDING)) {
    const number = sumOf(expression, plain);
    if (bindings.has(name) || [...bindings.values()].includes(number))
      throw new Error(`binding ${name} (${number}) is declared twice`);
    bindings.set(name, number);
    if (!access.includes('read_write')) readOnly.add(name);
  }
  return { bindings, readOnly, immediates: immediatesOf(plain) };
}

function immediatesOf(code: string): string[] {
  const struct = IMMEDIATES.exec(code)?.[1];
  if (struct === undefined) return [];
  const fields = new RegExp(`\\bstruct ${struct}\\s*\\{([^}]*)\\}`).exec(code)?.[1];
  if (fields === undefined) throw new Error(`struct ${struct} of the immediates is missing`);
  return fields
    .split(',')
    .map((field) => field.trim())
    .filter((field) => field !== '')
    .map((field) => {
      const [name, type] = field.split(/\s*:\s*/);
      if (!WORD_TYPES.includes(type)) throw new Error(`immediate ${name} has type ${type}, not u32 or i32`);
      return name;
    });
}

/** The value of a sum such as `VALUES_BINDING + 1u`, with the constants that `code` declares. */
function sumOf(expression: string, code: string): number {
  return expression
    .split('+')
    .map((term) => term.trim())
    .reduce((sum, term) => {
      if (/^\d+u?$/.test(term)) return sum + Number.parseInt(term, 10);
      const value = /^\w+$/.test(term)
        ? new RegExp(`^const ${term}\\s*(?::\\s*u32\\s*)?=\\s*([^;]+);`, 'm').exec(code)?.[1]
        : undefined;
      if (value === undefined) throw new Error(`cannot read the binding number ${expression}`);
      return sum + sumOf(value, code);
    }, 0);
}
