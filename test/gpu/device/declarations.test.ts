/** Kernels declare their bindings and immediates in a form that the loader can read. */
import { expect, it } from 'vitest';
import { composeKernel } from '../../../src/gpu/device/compose.js';
import { readDeclarations } from '../../../src/gpu/device/declarations.js';
import { kernelNames } from '../../support/kernel-names.js';

const CONSTANTS = {
  consts: { KEY_WORDS: 1, VALUES: 1, MATCH_WORDS: 1, SWEEPS: 1 },
  variants: { SEGMENT_KIND: 'fields', TEXT_READS: 'uncounted' },
};

it.each(kernelNames())('%s: every binding and immediate is read, and each is used', (name) => {
  const { code } = composeKernel(name, CONSTANTS);
  const { bindings, immediates } = readDeclarations(code);
  expect(bindings.size).toBe(code.match(/@binding/g)?.length ?? 0);
  expect([...bindings.values()].sort((a, b) => a - b)).toEqual(Array.from(bindings, (_, i) => i));
  expect(immediates.length > 0).toBe(code.includes('var<immediate> im: Immediates;'));
  const plain = code.replace(/\/\/.*/g, '');
  for (const binding of bindings.keys()) expect(plain.match(new RegExp(`\\b${binding}\\b`, 'g'))!.length).not.toBe(1);
  for (const field of immediates) expect(plain).toContain(`im.${field}`);
});

it('adds constants of the kernel, of included files and of the host to binding numbers', () => {
  const { bindings, immediates } = readDeclarations(composeKernel('keys/merge-sort/block-sort', CONSTANTS).code);
  expect([...bindings].sort(([, a], [, b]) => a - b)).toEqual([
    ['keys', 0],
    ['sorted_keys', 1],
    ['values', 2],
    ['sorted_values', 3],
  ]);
  expect(immediates).toEqual(['n', 'blocks', 'first_block']);
});

it('reads structs of several lines, types of several words, and no comments', () => {
  const code = `
    // @group(0) @binding(7) var<storage, read> not_this: array<u32>;
    struct Words {
      first: u32,  // not, this: u32
      second: i32,
    }
    var<immediate> im: Words;
    @group(0) @binding(1u) var<storage, read_write> counts: array<atomic<u32>, 4>;
    @group(0) @binding(0) var<storage, read> text: array<vec4u>;`;
  const { bindings, immediates } = readDeclarations(code);
  expect([...bindings]).toEqual([
    ['counts', 1],
    ['text', 0],
  ]);
  expect(immediates).toEqual(['first', 'second']);
});

it.each([
  ['a struct that is missing', 'var<immediate> im: Words;', 'struct Words of the immediates is missing'],
  [
    'an immediate of more than a word',
    'struct Words { n: u32, at: vec2u }\nvar<immediate> im: Words;',
    'immediate at has type vec2u, not u32 or i32',
  ],
  [
    'a binding number of unknown constants',
    '@group(0) @binding(BASE + 1u) var<storage, read> keys: array<u32>;',
    'cannot read the binding number BASE',
  ],
  [
    'a number declared twice',
    '@group(0) @binding(0) var<storage> a: u32;\n@group(0) @binding(0) var<storage> b: u32;',
    'binding b (0) is declared twice',
  ],
])('rejects %s', (_, code, message) => {
  expect(() => readDeclarations(code)).toThrow(message);
});
