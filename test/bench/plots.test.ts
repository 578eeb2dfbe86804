/** The colors of plots: one for each program, distinguishable with every kind of color vision. */
import { expect, it } from 'vitest';
// @ts-expect-error: plain JavaScript, because the benchmarks run without a build of their own
import { ALGORITHMS } from '../../tools/bench/kernels/algorithms.mjs';
// @ts-expect-error
import { PEERS } from '../../tools/bench/kernels/peers.mjs';
// @ts-expect-error
import { COLORS, colorOf, programName } from '../../tools/bench/plots/programs.mjs';
// @ts-expect-error
import { PAGE } from '../../tools/bench/plots/svg.mjs';
// @ts-expect-error
import { ROWS } from '../../tools/bench/rows.mjs';

it('gives every program a color, and the programs of a plot different ones', () => {
  // Rows of arrays, of genomics and of pipelines have files of their own, so their peers may share colors with others.
  const arrays = ROWS.filter((row: { numbers?: string }) => row.numbers !== undefined);
  const genomics = ROWS.filter((row: { genomics?: object }) => row.genomics !== undefined);
  const pipelines = ROWS.filter((row: { group: string }) => row.group === 't');
  const apart = [arrays, genomics, pipelines];
  const others = ROWS.filter((row: object) => !apart.some((rows) => rows.includes(row)));
  for (const rows of [...apart, others]) {
    const colors = new Map<string, string>();
    const names = rows.flatMap(({ programs }: { programs: string[] }) =>
      programs.flatMap((name) => ['cpu', 'gpu'].map((engine) => programName(name, engine))),
    );
    for (const name of names) {
      const program = name.split(/ (?=>|--|in |to |from |without |with )/)[0];
      expect([undefined, colorOf(name)], name).toContain(colors.get(program));
      colors.set(program, colorOf(name));
    }
    expect(new Set(colors.values()).size).toBe(colors.size);
  }
  for (const kind of ['keys', 'segmented', 'merge', 'strings']) {
    const algorithms = ALGORITHMS.filter((one: { kind: string }) => one.kind === kind);
    const cases = algorithms.flatMap((one: { cases: { name: string }[] }) => one.cases.map(({ name }) => name));
    const peers = PEERS.filter((one: { case: string }) => cases.includes(one.case)).map(
      ({ peer }: { peer: string }) => peer.split(' ')[0],
    );
    // Variants of an algorithm share its color, or are in no plot.
    const own = algorithms
      .filter(({ beside }: { beside?: string }) => beside === undefined)
      .map(({ name }: { name: string }) => name)
      .filter((name: string) => !/^(radix-two-sweeps|merge-path-(wide|parts))$/.test(name));
    const all = [...new Set([...own, ...peers])];
    expect(new Set(all.map(colorOf)).size, kind).toBe(all.length);
  }
});

/** The linear red, green and blue of a color, each from 0 to 1. */
const lightOf = (color: string): number[] =>
  [1, 3, 5].map((i) => {
    const value = Number.parseInt(color.slice(i, i + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
const times = (matrix: number[][], vector: number[]): number[] =>
  matrix.map((row) => row.reduce((sum, factor, i) => sum + factor * vector[i]!, 0));

/**
 * A color as seen with normal vision, without red cones and without green cones (Machado, Oliveira, Fernandes 2009).
 */
const SIGHTS = {
  full: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  'without red cones': [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  'without green cones': [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
};

/** A color as lightness and two hues (Ottosson's Oklab), in which distances match perceived differences. */
function oklab(light: number[]): number[] {
  const cones = times(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    light.map((value) => Math.min(1, Math.max(0, value))),
  ).map(Math.cbrt);
  return times(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    cones,
  );
}

it('has colors that stand out from the page and from each other, even with red-green color blindness', () => {
  for (const mode of ['light', 'dark']) {
    const luminance = (color: string) => times([[0.2126, 0.7152, 0.0722]], lightOf(color))[0]! + 0.05;
    const named = Object.entries(COLORS as Record<string, Record<string, string>>).map(
      ([name, color]) => [name, color[mode]!] as const,
    );
    for (const [name, color] of named) {
      const [more, less] = [luminance(color), luminance(PAGE[mode])].sort((a, b) => b - a);
      // The least contrast of graphics in WCAG 2.
      expect(more! / less!, `${name}, ${mode}`).toBeGreaterThanOrEqual(3);
    }
    for (const [sight, matrix] of Object.entries(SIGHTS))
      for (const [i, [name, color]] of named.entries())
        for (const [other, second] of named.slice(0, i)) {
          const [a, b] = [color, second].map((one) => oklab(times(matrix, lightOf(one))));
          expect(
            Math.hypot(...a!.map((value, k) => value - b![k]!)),
            `${name} and ${other}, ${mode}, ${sight}`,
          ).toBeGreaterThan(0.12);
        }
  }
});
