/**
 * Kernels are composed of plain files: each shared file once, constants first, every line traceable to its source. They
 * declare their bindings and immediates in a form that the loader can read.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { composeKernel, readDeclarations } from '../../../../src/engines/gpu/device/compose.js';
import { describeGpu } from '../../../setup/gpu.js';
import { kernelNames } from '../../../support/kernel-names.js';
import { useGpu } from '../helpers.js';

const CONSTANTS = {
  consts: { KEY_WORDS: 1, VALUES: 1, MATCH_WORDS: 1, SWEEPS: 1 },
  variants: {
    FIRST_DIGIT: 'uncounted',
    NETWORK: 'stable',
    SEGMENT_KIND: 'fields',
    SHARING: 'strided',
    TEXT_READS: 'uncounted',
  },
};
const MERGE_TILE = 'strings/string-merge/merge-tile';
const textOf = (file: string): string => readFileSync(new URL(`../../../../${file}`, import.meta.url), 'utf8');

describe.each(kernelNames())('%s', (name) => {
  const { code } = composeKernel(name, CONSTANTS);

  it('holds its own text and each included file once', () => {
    expect(code).toContain(textOf(`kernels/wgsl/${name}.wgsl`).trim());
    const functions = [...code.matchAll(/^fn (\w+)/gm)].map((match) => match[1]);
    expect(new Set(functions).size).toBe(functions.length);
  });

  it('declares bindings and immediates that can be read, and uses each', () => {
    const { bindings, immediates } = readDeclarations(code);
    expect(bindings.size).toBe(code.match(/@binding/g)?.length ?? 0);
    expect([...bindings.values()].sort((a, b) => a - b)).toEqual(Array.from(bindings, (_, i) => i));
    expect(immediates.length > 0).toBe(code.includes('var<immediate> im: Immediates;'));
    const plain = code.replace(/\/\/.*/g, '');
    for (const binding of bindings.keys()) expect(plain.match(new RegExp(`\\b${binding}\\b`, 'g'))!.length).not.toBe(1);
    for (const field of immediates) expect(plain).toContain(`im.${field}`);
  });
});

it('puts constants first and traces every line back', () => {
  const { code, origin } = composeKernel(MERGE_TILE, {
    consts: { TILE: 64, COUNT_TEXT_READS: 0 },
    variants: { TEXT_READS: 'uncounted' },
  });
  const lines = code.split('\n');
  expect(lines.slice(0, 2)).toEqual(['const TILE = 64u;', 'const COUNT_TEXT_READS = 0u;']);
  expect(origin(1)).toBe(`kernels/wgsl/${MERGE_TILE}.wgsl (constants)`);
  lines.slice(2).forEach((line, i) => {
    const [file, number] = origin(i + 3).split(':');
    expect(textOf(file).split('\n')[Number(number) - 1]).toBe(line);
  });
});

it('names a kernel by its choices, not by the types of keys', () => {
  const labelOf = (name: string): string => composeKernel(name, CONSTANTS).label;
  expect(labelOf('keys/merge-path/merge')).toBe('keys/merge-path/merge');
  expect(labelOf('keys/merge-sort/block-sort')).toBe('keys/merge-sort/block-sort (sort-eight-stable)');
  expect(labelOf('keys/radix-sort/scatter-subgroups')).toBe('keys/radix-sort/scatter-subgroups (sweep-one)');
  // A choice of an included file counts, too.
  expect(labelOf(MERGE_TILE)).toBe(`${MERGE_TILE} (text-reads-uncounted)`);
  const { label } = composeKernel('strings/msd-radix/count', { consts: { TILE: 2048, DIGIT_BITS: 12 } });
  expect(label).toBe('strings/msd-radix/count (digits of 12 bits)');
});

describeGpu('an error of compilation', () => {
  const gpu = useGpu();
  it('names the kernel, the file and the line', async () => {
    const constants = { consts: { COUNT_TEXT_READS: 0 }, variants: { TEXT_READS: 'uncounted' } };
    await expect(gpu().pipelines.load(MERGE_TILE, constants)).rejects.toThrow(
      /cannot compile kernel strings\/string-merge\/merge-tile: kernels\/wgsl\/strings\/string-merge\/tile\.wgsl:\d+:\d+: .*TILE/,
    );
  });
});

describe('declarations', () => {
  it('have binding numbers that are sums of constants of the kernel, of included files and of the host', () => {
    const { bindings, immediates } = readDeclarations(composeKernel('keys/merge-sort/block-sort', CONSTANTS).code);
    expect([...bindings].sort(([, a], [, b]) => a - b)).toEqual([
      ['keys', 0],
      ['sorted_keys', 1],
      ['values', 2],
      ['sorted_values', 3],
    ]);
    expect(immediates).toEqual(['n', 'blocks', 'first_block']);
  });

  it('may be structs of several lines and types of several words; comments are ignored', () => {
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
  ])('reject %s', (_, code, message) => {
    expect(() => readDeclarations(code)).toThrow(message);
  });
});
