/**
 * The modules of src/, with the imports and exports of each, as their text shows. The formatter keeps them regular.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SRC = fileURLToPath(new URL('../../src/', import.meta.url));

/** The imports of a module from another one of the project. */
export interface Import {
  /** The other module, relative to src/. */
  readonly from: string;
  /** The names of its exports; null: all of them (`import * as`, or a module that is only run). */
  readonly names: readonly string[] | null;
}

export interface Module {
  /** Relative to src/. */
  readonly file: string;
  readonly text: string;
  readonly imports: readonly Import[];
  readonly exports: readonly string[];
  /** The exports that the module itself declares: not those of a list. */
  readonly declared: readonly string[];
}

const STATIC = /^(?:import|export)\s+(?:type\s+)?(?:(\{[^}]*\}|\* as \w+|\w+)\s+from\s+)?'(\.[^']+)\.js';/gm;
/** `const { a, b } = await import('./x.js')`, `(await import('./x.js')).a`, or just `import('./x.js')`. */
const DYNAMIC = /(?:const (\{[^}]*\}) = await |\(await )?import\('(\.[^']+)\.js'\)(?:\)\.(\w+))?/g;
/** `export const a`, `export async function b`, `export type C` ... */
const DECLARED = /^export (?:abstract |async )*(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm;
const EXPORT_LIST = /^export (?:type )?(\{[^}]*\})/gm;

/** The names that a list in braces takes (`before`), or gives (`after`), for example `{ a, type B as C }`. */
function listed(braces: string, side: 'before' | 'after'): string[] {
  return braces
    .slice(1, -1)
    .split(',')
    .map((item) => item.trim().replace(/^type /, ''))
    .filter((item) => item !== '')
    .map((item) => item.split(/ as |: /).at(side === 'before' ? 0 : -1)!);
}

function readModule(file: string): Module {
  const text = readFileSync(join(SRC, file), 'utf8');
  const target = (path: string): string => join(dirname(file), `${path}.ts`);
  const taken = (what: string | undefined): readonly string[] | null =>
    what?.startsWith('{') ? listed(what, 'before') : null;
  const imports: Import[] = [];
  for (const [, what, path] of text.matchAll(STATIC)) imports.push({ from: target(path!), names: taken(what) });
  for (const [, braces, path, member] of text.matchAll(DYNAMIC))
    imports.push({ from: target(path!), names: member === undefined ? taken(braces) : [member] });
  const declared = [...text.matchAll(DECLARED)].map((match) => match[1]!);
  const exports = [...declared];
  for (const [, braces] of text.matchAll(EXPORT_LIST)) exports.push(...listed(braces!, 'after'));
  return { file, text, imports, exports, declared };
}

/** All modules, by their file relative to src/. */
export const MODULES: ReadonlyMap<string, Module> = new Map(
  (readdirSync(SRC, { recursive: true }) as string[])
    .filter((file) => file.endsWith('.ts'))
    .sort()
    .map((file) => [file, readModule(file)]),
);
