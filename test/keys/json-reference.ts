/**
 * Random JSON that uses the whole grammar, with each value as written, and the reference for values at a path:
 * JSON.parse.
 */
import type { RandomBelow } from '../support/random.js';
import { words } from '../support/words.js';

/** A value as written, and its members in order. */
export interface Written {
  readonly text: string;
  readonly members?: readonly (readonly [name: string, value: Written])[];
}

const STRING_PIECES = [
  ...words(
    String.raw`a b ␣ é 😀 { } [ ] , : \" \\ \/ \b \f \n \r \t \\\"`,
    // Around the lengths of UTF-8 and around surrogates.
    String.raw`\u0000 \u000a \u0041 \u00e9 \u00E9 \u20ac \u007f \u0080 \u07ff \u0800 \ud7ff \ue000 \uffff`,
    // Surrogate pairs and halves of them.
    String.raw`\udbff\udfff \ud83d\ude00 \uD83D\uDE00 \ud83d \ude00 \ud83d\u0041 \ud83d\ud83d\ude00`,
  ),
  '\u2028',
  'text of more than sixteen bytes',
];
const NUMBERS = ['0', '-0', '7', '-12.5', '1e3', '1E+9', '-2.5e-3', '123456789012345678901234567890'];
const LITERALS = ['true', 'false', 'null'];
/** Member names, each with the ways to write it. */
export const NAMES: Readonly<Record<string, readonly string[]>> = {
  a: ['a', '\\u0061'],
  b: ['b'],
  'a.b': ['a.b', '\\u0061.b'],
  é: ['é', '\\u00e9', '\\u00E9'],
  '"': ['\\"', '\\u0022'],
  '\\': ['\\\\', '\\u005c'],
  '0': ['0'],
  '10': ['10'],
  '': [''],
  'name of more than sixteen bytes': ['name of more than sixteen bytes', 'name of more than \\u0073ixteen bytes'],
  'a\nb': ['a\\nb'],
  '/': ['/', '\\/'],
};

const oneOf = <T>(below: RandomBelow, list: readonly T[]): T => list[below(list.length)];
const space = (below: RandomBelow): string =>
  below(3) > 0 ? '' : Array.from({ length: below(3) }, () => oneOf(below, [' ', '\t', '\r'])).join('');

/** A random value, nested at most `depth` levels. */
export function drawJson(below: RandomBelow, depth: number): Written {
  const kind = below(depth > 0 ? 7 : 4);
  if (kind === 0) return { text: oneOf(below, NUMBERS) };
  if (kind === 1) return { text: oneOf(below, LITERALS) };
  if (kind < 4) return { text: drawString(below) };
  const isArray = kind === 4;
  const names = Object.keys(NAMES)
    .sort(() => below(3) - 1)
    .slice(0, below(7));
  const parts: string[] = [];
  const members: [string, Written][] = [];
  for (const [i, name] of names.entries()) {
    const value = drawJson(below, depth - 1);
    members.push([isArray ? String(i) : name, value]);
    parts.push(
      `${space(below)}${isArray ? '' : `"${oneOf(below, NAMES[name])}"${space(below)}:${space(below)}`}${value.text}${space(below)}`,
    );
  }
  const inside = parts.length === 0 ? space(below) : parts.join(',');
  return { text: isArray ? `[${inside}]` : `{${inside}}`, members };
}

function drawString(below: RandomBelow): string {
  return `"${Array.from({ length: below(5) }, () => oneOf(below, STRING_PIECES)).join('')}"`;
}

/** The value at a path: the text of a string, any other value as written, or nothing if the path does not exist. */
export function jsonAt(value: Written, path: readonly string[]): string {
  const [name, ...rest] = path;
  if (name !== undefined) {
    const member = value.members?.find(([own]) => own === name);
    return member === undefined ? '' : jsonAt(member[1], rest);
  }
  return value.text.startsWith('"') ? (JSON.parse(value.text) as string) : value.text;
}

/** The JavaScript value, whatever its notation. */
export function plainOf({ text, members }: Written): unknown {
  if (members === undefined) return JSON.parse(text);
  return text.startsWith('[')
    ? members.map(([, value]) => plainOf(value))
    : Object.fromEntries(members.map(([name, value]) => [name, plainOf(value)]));
}
