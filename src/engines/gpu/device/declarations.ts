/**
 * Reads what a kernel declares from its composed WGSL: storage bindings and immediates, by name. A declaration is one
 * line, `@group(0) @binding(N) var<...> NAME: TYPE;`, where N is a sum of numbers and constants. Immediates are one
 * struct of u32 fields, or a uniform buffer that stands in for them. Knows no device; what it cannot read is an error
 * when the kernel is loaded.
 */

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

/** The declarations in `code`. Throws an Error that says what it cannot read. */
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
