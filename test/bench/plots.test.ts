/** Plots: of invented figures, their colours, and the committed ones, which must be those of the committed figures. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
// @ts-expect-error: plain JavaScript, because the benchmarks run without a build of their own
import { documentBases, plotsOf, readRows, rowsText } from './documents.mjs';
// @ts-expect-error
import { ALGORITHMS } from './kernels/algorithms.mjs';
// @ts-expect-error
import { PEERS } from './kernels/peers.mjs';
// @ts-expect-error
import { ratePlots } from './kernels/plots.mjs';
// @ts-expect-error
import { barPlot } from './plots/bars.mjs';
// @ts-expect-error
import { growthPlot } from './plots/growth.mjs';
// @ts-expect-error
import { COLOURS, colourOf, programName } from './plots/programs.mjs';
// @ts-expect-error
import { MOST_HEIGHT, PAGE } from './plots/svg.mjs';
// @ts-expect-error
import { ROWS } from './rows.mjs';
import { failed, figures, GROWTH, rateRow } from './support.js';

const FOLDER = join(import.meta.dirname, '../../docs/plots');

it('finds the committed plots to be those of the committed figures (npm run bench -- --plots draws them)', () => {
  const plots: Record<string, string> = Object.assign(
    {},
    ...documentBases().map((base: string) => plotsOf(base, readRows(`${base}.json`))),
  );
  for (const [path, svg] of Object.entries(plots)) {
    expect(existsSync(path), path).toBe(true);
    expect(readFileSync(path, 'utf8') === svg, path).toBe(true);
  }
  const drawn = readdirSync(FOLDER).filter((name) => name.endsWith('.svg'));
  expect(drawn.map((name) => join(FOLDER, name)).sort()).toEqual(Object.keys(plots).sort());
});

it('fits every committed plot on a screen', () => {
  for (const name of readdirSync(FOLDER).filter((one) => one.endsWith('.svg'))) {
    const [, height] = /viewBox="0 0 760 (\d+)"/.exec(readFileSync(join(FOLDER, name), 'utf8'))!;
    expect(Number(height), name).toBeLessThanOrEqual(MOST_HEIGHT);
  }
});

it('writes figures with one row a line', () => {
  const rows = [{ id: 'a', commands: [{ seconds: [1, 2.5] }] }, { id: 'b' }];
  expect(rowsText(rows)).toBe('{"rows": [\n{"id":"a","commands":[{"seconds":[1,2.5]}]},\n{"id":"b"}\n]}\n');
  for (const base of documentBases()) {
    const text = readFileSync(`${base}.json`, 'utf8');
    expect(text === rowsText(JSON.parse(text).rows), base).toBe(true);
  }
});

it('writes out the names of programs', () => {
  expect(
    ['gpusort > file', 'gpusort --verify', 'gnu', 'duckdb', 'cat to a pipe', 'gnu pipe to pipe', 'gnu shell', 'cp'].map(
      (name) => programName(name, 'cpu'),
    ),
  ).toEqual([
    'gpusort (CPU) > file',
    'gpusort (CPU) --verify',
    'GNU sort',
    'DuckDB',
    'cat to a pipe',
    'GNU sort from pipe to pipe',
    'GNU sort in a pipeline',
    'cp',
  ]);
  expect([programName('gpusort', null), programName('gpusort plain', 'gpu')]).toEqual([
    'gpusort',
    'gpusort (GPU) without the option',
  ]);
});

it('has a colour for every program, different ones for the programs of a plot', () => {
  // Rows of arrays and of genomics have files of their own, so their peers may have colours of others.
  const arrays = ROWS.filter((row: { numbers?: string }) => row.numbers !== undefined);
  const genomics = ROWS.filter((row: { genomics?: object }) => row.genomics !== undefined);
  const others = ROWS.filter((row: object) => !arrays.includes(row) && !genomics.includes(row));
  for (const rows of [arrays, genomics, others]) {
    const colours = new Map<string, string>();
    const names = rows.flatMap(({ programs }: { programs: string[] }) =>
      programs.flatMap((name) => ['cpu', 'gpu'].map((engine) => programName(name, engine))),
    );
    for (const name of names) {
      const program = name.split(/ (?=>|--|in |to |from |without |with )/)[0];
      expect([undefined, colourOf(name)], name).toContain(colours.get(program));
      colours.set(program, colourOf(name));
    }
    expect(new Set(colours.values()).size).toBe(colours.size);
  }
  for (const kind of ['keys', 'segmented', 'merge', 'strings']) {
    const algorithms = ALGORITHMS.filter((one: { kind: string }) => one.kind === kind);
    const cases = algorithms.flatMap((one: any) => one.cases.map(({ name }: { name: string }) => name));
    const peers = PEERS.filter((one: { case: string }) => cases.includes(one.case)).map(
      ({ peer }: { peer: string }) => peer.split(' ')[0],
    );
    // Variants of an algorithm share its colour.
    const own = algorithms
      .map(({ name }: { name: string }) => name)
      .filter((name: string) => !/^(radix-two-sweeps|merge-path-(wide|parts)|msd-radix-.*)$/.test(name));
    const all = [...new Set([...own, ...peers])];
    expect(new Set(all.map(colourOf)).size, kind).toBe(all.length);
  }
});

/** The light of red, green and blue of a colour, each from 0 to 1. */
const lightOf = (colour: string): number[] =>
  [1, 3, 5].map((i) => {
    const value = Number.parseInt(colour.slice(i, i + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
const times = (matrix: number[][], vector: number[]): number[] =>
  matrix.map((row) => row.reduce((sum, factor, i) => sum + factor * vector[i]!, 0));

/** What people with full sight, without red and without green cones see (Machado, Oliveira, Fernandes 2009). */
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

/** Lightness and two hues of a colour (Ottosson's Oklab), in which distances are those that people see. */
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

it('has colours that stand out from the page and from each other, with red-green colour blindness too', () => {
  for (const mode of ['light', 'dark']) {
    const luminance = (colour: string) => times([[0.2126, 0.7152, 0.0722]], lightOf(colour))[0]! + 0.05;
    const named = Object.entries(COLOURS).map(([name, colour]) => [name, (colour as any)[mode]] as const);
    for (const [name, colour] of named) {
      const [more, less] = [luminance(colour), luminance(PAGE[mode])].sort((a, b) => b - a);
      // The least contrast of graphics in WCAG 2.
      expect(more! / less!, `${name}, ${mode}`).toBeGreaterThanOrEqual(3);
    }
    for (const [sight, matrix] of Object.entries(SIGHTS))
      for (const [i, [name, colour]] of named.entries())
        for (const [other, second] of named.slice(0, i)) {
          const [a, b] = [colour, second].map((one) => oklab(times(matrix, lightOf(one))));
          expect(
            Math.hypot(...a!.map((value, k) => value - b![k]!)),
            `${name} and ${other}, ${mode}, ${sight}`,
          ).toBeGreaterThan(0.12);
        }
  }
});

it('draws a bar for each program that ran, as long as its time, with its range', () => {
  const plot: string = barPlot([figures('l5', { gnu: 5, gpusort: 2, 'gpusort > file': 4, cp: 1, duckdb: null })]);
  const bars = [
    ...plot.matchAll(/<text[^>]*>([^<]+)<\/text>\n<rect x="([\d.]+)"[^>]* width="([\d.]+)"[^>]*class="(\w+)"/g),
  ];
  expect(bars.map(([, name, , , colour]) => [name, colour])).toEqual([
    ['gpusort (GPU)', 'green'],
    ['gpusort (GPU) > file', 'green'],
    ['cp', 'grey'],
    ['GNU sort', 'rust'],
  ]);
  const widths = bars.map(([, , , width]) => Number(width));
  expect(widths.map((width) => Number((width / widths[3]!).toFixed(2)))).toEqual([0.4, 0.8, 0.2, 1]);
  const whiskers = [...plot.matchAll(/class="whisker" d="M([\d.]+) [\d.]+H([\d.]+)M/g)].map(
    ([, a, b]) => Number(b) - Number(a),
  );
  expect(whiskers.map((length) => Number((length / widths[3]!).toFixed(2)))).toEqual([0.1, 0.1, 0.1, 0.1]);
  expect(plot).toContain('Some &lt;CPU>');
  expect(plot).not.toContain('DuckDB');
});

it('draws no whisker for a single run', () => {
  const row = figures('l5', { gpusort: 2 });
  row.commands[0]!.seconds = [2];
  expect(barPlot([row])).not.toContain('class="whisker"');
});

const CIRCLE =
  /<g><title>(.+?)<\/title>(?:<path class="spread" d="M[\d.]+ ([\d.]+)V([\d.]+)"\/>)?<(?:circle class="point" cx="([\d.]+)" cy="([\d.]+)"|path class="point" d="M([\d.]+) ([\d.]+))/g;
/** The points of a plot: their labels, places and the ends of their vertical lines. */
const pointsOf = (plot: string) =>
  [...plot.matchAll(CIRCLE)].map(([, label, low, high, cx, cy]) => ({
    label: label!,
    x: Number(cx),
    y: Number(cy),
    low: Number(low),
    high: Number(high),
  }));

it('draws every point of growth, at its size and time', () => {
  const points = pointsOf(growthPlot(GROWTH));
  expect(points.map(({ label }) => label).sort()).toEqual([
    'cp, 1 GB: 0.250 s',
    'cp, 20 GB: 5.00 s',
    'gpusort (GPU) --gpu-memory 4G, 1 GB: 1.00 s',
    'gpusort (GPU) --gpu-memory 4G, 20 GB: 10.1 s',
    'gpusort (GPU) --gpu-memory 4G, 5 GB: 2.60 s',
    'gpusort (GPU), 1 GB: 0.900 s',
    'gpusort (GPU), 20 GB: 10.0 s',
    'gpusort (GPU), 5 GB: 2.50 s',
  ]);
  const at = (label: string) => points.find((point) => point.label === label)!;
  const [one, five, twenty] = ['1 GB: 0.900', '5 GB: 2.50', '20 GB: 10.0'].map((end) => at(`gpusort (GPU), ${end} s`));
  // Both axes are linear, and the line of each point goes up by half a second.
  expect((five!.x - one!.x) / (twenty!.x - one!.x)).toBeCloseTo(4 / 19, 2);
  expect((five!.y - one!.y) / (twenty!.y - one!.y)).toBeCloseTo(1.6 / 9.1, 2);
  expect((twenty!.low - twenty!.high) / (one!.y - twenty!.y)).toBeCloseTo(0.5 / 9.1, 2);
});

it('draws every rate and the peers of the measured algorithms', () => {
  const name = 'u32 pairs uniform';
  const plots = ratePlots([
    rateRow('radix-sort', name, 20, 2000),
    rateRow('radix-sort', name, 28, 10000),
    rateRow('radix-two-sweeps', name, 28, 5000),
    rateRow('msd-radix', 'strings urls', 20, 100),
    rateRow('msd-radix-hybrid', 'strings urls', 20, 100),
    failed('radix-sort', name, 27),
  ]);
  expect(Object.keys(plots)).toEqual(['uniform', 'strings']);
  expect(plots.strings).not.toContain('msd-radix-hybrid');
  expect(plots.uniform).toContain('aria-label="Uniform keys: billions of keys a second"');
  const points = pointsOf(plots.uniform);
  expect(points.map(({ label }) => label.replace(' billions of keys a second', '')).sort()).toEqual([
    'CUB radix sort, 2^27: 36.0',
    'gridwise OneSweep, 2^24: 3.27',
    'gridwise OneSweep, 2^26: 2.10',
    'gridwise OneSweep, 2^27: 7.20',
    'radix-sort, 2^20: 2.00',
    'radix-sort, 2^28: 10.0',
    'radix-two-sweeps, 2^28: 5.00',
  ]);
  const at = (label: string) => points.find((point) => point.label.startsWith(label))!;
  // Both axes are linear; sizes are powers of two. The runs were half and twice as fast as the median.
  expect((at('gridwise OneSweep, 2^24').x - at('radix-sort, 2^20').x) * 2).toBeCloseTo(
    at('radix-sort, 2^28').x - at('radix-sort, 2^20').x,
    0,
  );
  const low = at('radix-sort, 2^20');
  const high = at('radix-sort, 2^28');
  expect((low.y - high.y) / 8).toBeCloseTo((high.low - high.y) / 5, 0);
  expect((high.y - high.high) / 10).toBeCloseTo((high.low - high.y) / 5, 0);
});
