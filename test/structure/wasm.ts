/** The files of kernels/wasm/, with the imports and exports of each, as their text shows. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../kernels/wasm/', import.meta.url));

export interface WasmFile {
  /** Relative to kernels/wasm/. */
  readonly file: string;
  /** Names of other files that it uses, each as `file name`. */
  readonly imports: readonly string[];
  readonly exports: readonly string[];
}

const IMPORTED = /^(import|export) \{([^}]*)\} from '([^']+)'/gm;
const DECLARED = /^export (?:const enum|const|let|function|class) (\w+)/gm;

function readWasm(file: string): WasmFile {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const imports: string[] = [];
  const exports = [...text.matchAll(DECLARED)].map((match) => match[1]!);
  for (const [, word, names, path] of text.matchAll(IMPORTED)) {
    for (const item of names!.split(',')) {
      const [name, alias = name] = item.trim().split(' as ');
      imports.push(`${join(dirname(file), path!)}.ts ${name}`);
      if (word === 'export') exports.push(alias!);
    }
  }
  return { file, imports, exports };
}

/** All files of kernels/wasm/, by their path below it. */
export const WASM: ReadonlyMap<string, WasmFile> = new Map(
  (readdirSync(ROOT, { recursive: true }) as string[])
    .filter((file) => file.endsWith('.ts'))
    .map((file) => [file, readWasm(file)]),
);
