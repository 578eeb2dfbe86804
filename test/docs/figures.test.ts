/**
 * Figures in the text of docs/kernels.md and docs/papers.md. What is kept in docs/plots/h200-kernels.json and
 * docs/papers.json is computed again from there; any other measured figure stands beside the date of its measurement.
 * test/bench/documents.test.ts has the tables that the benchmarks print.
 */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
// @ts-expect-error: plain JavaScript, because the benchmarks run without a build of their own
import { readRows } from '../../tools/bench/documents.mjs';
// @ts-expect-error
import { count, figure, isMeasured, rateOf, shown, timeOf, unitOf } from '../../tools/bench/kernels/figures.mjs';
// @ts-expect-error
import { PEERS, PROVENANCE } from '../../tools/bench/kernels/peers.mjs';
// @ts-expect-error
import { peerTable } from '../../tools/bench/kernels/report.mjs';
// @ts-expect-error
import { TARGETS } from '../../tools/bench/kernels/targets.mjs';
import { ROOT, read } from './documents.js';

/** What is read of a row: see tools/bench/kernels/figures.mjs. */
interface Row {
  readonly experiment: string;
  readonly algorithm: string;
  readonly case: string;
  readonly size: number;
  readonly id: string;
  readonly spanMs: number;
  readonly busyMs: number;
  readonly inputBytes: number;
  readonly copyRate: number | null;
  readonly machine: { readonly date: string };
  readonly ways: Readonly<Record<string, { readonly median: number }>>;
}

const KERNELS = read('docs/kernels.md');
const PAPERS = read('docs/papers.md');
const kernelRows = (readRows(join(ROOT, 'docs/plots/h200-kernels.json')) as Row[]).filter(isMeasured);
const paperRows = readRows(join(ROOT, 'docs/papers.json')) as Row[];

function rowOf(rows: readonly Row[], algorithm: string, name: string, size: number): Row {
  const row = rows.find((one) => one.algorithm === algorithm && one.case === name && one.size === size);
  if (row === undefined) throw new Error(`${algorithm}, ${name}, 2^${size} is not measured`);
  return row;
}

/** A document with each paragraph on one line. */
const unwrapped = (text: string): string => text.replace(/\s*\n\s*/g, ' ');
/** Expects a sentence in a document, and shows only that if it is missing. */
function expectSaid(document: string, sentence: string): void {
  expect(unwrapped(document).includes(sentence) ? sentence : 'missing').toBe(sentence);
}
const cellsOf = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
const rowsAfter = (text: string, head: string): string[][] => {
  const lines = text.split(`\n${head}\n`)[1]?.split('\n').slice(1) ?? [];
  return lines
    .slice(
      0,
      lines.findIndex((line) => !line.startsWith('|')),
    )
    .map(cellsOf);
};

describe('docs/kernels.md', () => {
  /** The result of a row of the first table, and its date. */
  function resultOf(about: string, n: string, who: string, result: string): [result: string, date: string] {
    const name = about.replace(',', '');
    const same = kernelRows.filter((row) => row.case === name && count(row) === n);
    const named = (algorithm: string): Row => rowOf(same, algorithm, name, same[0].size);
    if (result.includes('times the rate of')) {
      const [own, other] = [named(who), named('merge-sort')];
      expect(other.machine.date).toBe(own.machine.date);
      return [`${figure(rateOf(own) / rateOf(other))} times the rate of merge-sort`, own.machine.date];
    }
    if (result.includes('device copies')) {
      const { busyMs, inputBytes, copyRate, machine } = named(who);
      const copies = busyMs / ((2 * inputBytes) / copyRate! / 1e6);
      return [`the passes take as long as ${figure(copies)} device copies of the input`, machine.date];
    }
    const best = who.startsWith('best: ') ? same.sort((a, b) => rateOf(b) - rateOf(a))[0] : named(who);
    expect(who.replace('best: ', '')).toBe(best.algorithm);
    const peer = /\((CUDPP string sort): /.exec(result)?.[1];
    const rate = (PEERS as { peer: string; case: string; size: number; rate: number }[]).find(
      (one) => one.peer === peer && one.case === name && one.size === best.size,
    )?.rate;
    const beside = peer === undefined ? '' : ` (${peer}: ${rate})`;
    return [`${shown(name, rateOf(best))} ${unitOf(name)}${beside}`, best.machine.date];
  }

  it('has the results at a glance, and their dates', () => {
    const rows = rowsAfter(KERNELS, '| case | n | algorithm | result | date |');
    expect(rows.length).toBeGreaterThan(10);
    for (const [about, n, who, result, date] of rows)
      expect([result, date], about).toEqual(resultOf(about, n, who, result));
  });

  it('says how fast device copies were, and what URLs wait for', () => {
    const copies = kernelRows.flatMap(({ copyRate }) => copyRate ?? []);
    const shownRate = (rate: number): string => Math.round(rate).toLocaleString('en');
    expectSaid(KERNELS, `moved ${shownRate(Math.min(...copies))} to ${shownRate(Math.max(...copies))} GB/s`);
    const urls = rowOf(kernelRows, 'radix-refine', 'strings urls', 25);
    const busyRate = shown(urls.case, 2 ** 25 / urls.busyMs / 1e3);
    const waits = figure(timeOf(urls) - urls.busyMs);
    expectSaid(KERNELS, `The passes take ${figure(urls.busyMs)} ms (${busyRate} M/s). For another ${waits} ms`);
  });

  it('has the targets, and ratios that follow from the rates', () => {
    const rows = rowsAfter(KERNELS, '| case | target | before | reached | ratio | bottleneck |');
    expect(rows.length).toBeGreaterThan(5);
    const least = (TARGETS as { least?: number }[]).map(({ least: one }) => one);
    const number = (text: string): number => Number(text.replace(',', ''));
    for (const [about, target, before, reached, ratio] of rows) {
      expect(least, about).toContain(number(target));
      expect((number(reached) / number(before)).toFixed(2), about).toBe(ratio);
    }
  });

  it('says where the rates of peers are from', () => {
    expect(KERNELS.includes(peerTable()) ? peerTable() : 'missing').toBe(peerTable());
    const tools = (PROVENANCE as { tool: string }[]).map(({ tool }) => tool);
    for (const { peer } of PEERS as { peer: string }[]) expect(tools).toContain(peer.split(' ')[0]);
  });
});

describe('docs/papers.md', () => {
  const of = (experiment: string): Row[] => paperRows.filter((row) => row.experiment === experiment);

  it('names the date of each part, whose rows are all of that day', () => {
    for (const experiment of new Set(paperRows.map((row) => row.experiment)))
      expect(new Set(of(experiment).map(({ machine }) => JSON.stringify(machine))).size, experiment).toBe(1);
  });

  it('says which share of a merge its search takes', () => {
    const rows = of('4-searches');
    const merge = (search: string, { case: name, size }: Row): number =>
      timeOf(rowOf(rows, `merge-path-${search}`, name, size));
    const rangeOf = (search: string): string => {
      const shares = rows
        .filter(({ algorithm }) => algorithm === `merge-search-${search}`)
        .map((row) => Math.round((100 * timeOf(row)) / merge(search, row)));
      expect(shares.length).toBeGreaterThan(1);
      return `${Math.min(...shares)} to ${Math.max(...shares)} %`;
    };
    const [binary, wide] = [rangeOf('binary'), rangeOf('wide')];
    expectSaid(PAPERS, `The search by one thread takes ${binary} of a merge of two runs, \`search-wide\` ${wide}`);
    expectSaid(KERNELS, `there the search by one thread is ${binary} of the time, \`search-wide\` ${wide}`);
    for (const row of rows.filter(({ algorithm }) => algorithm === 'merge-search-binary'))
      expect(merge('wide', row), `A merge of two runs is faster with search-wide: ${row.id}`).toBeLessThan(
        merge('binary', row),
      );
  });

  it('says how fast segments are sorted beside merge sort without segments', () => {
    const ratios = (mean: number, ms: (row: Row) => number): string =>
      ['u32 keys', 'u32 pairs']
        .map((spec) => {
          const segments = rowOf(of('1-tiles'), 'segmented-sort', `${spec} segments of ${mean}`, 23);
          const plain = rowOf(of('0-rates'), 'merge-sort', `${spec} uniform`, 23);
          expect(segments.machine).toEqual(plain.machine);
          return (ms(plain) / ms(segments)).toFixed(2);
        })
        .join(' and ');
    const [spans, busy] = [timeOf, (row: Row) => row.busyMs].map((ms) => [300, 10000].map((mean) => ratios(mean, ms)));
    expectSaid(PAPERS, `mean 300 are sorted ${spans[0]} times as fast, of mean 10,000 ${spans[1]} times`);
    expectSaid(PAPERS, `these are ${busy[0]} times, ${busy[1]} times`);
  });

  it('says what wide digits cost', () => {
    const busy = (algorithm: string): string => {
      const [first, second, third] = [20, 21, 22].map((size) =>
        rowOf(of('2-alphabets'), algorithm, 'strings dna100', size).busyMs.toFixed(2),
      );
      return `${first}, ${second} and ${third} ms`;
    };
    expectSaid(PAPERS, `for ${busy('msd-radix-wide')}, with 8 bits for ${busy('msd-radix')}`);
  });

  it('says which way sorts four million strings fastest', () => {
    expectSaid(PAPERS, 'sixteen processors are faster than the GPU at all lengths, and the hybrid is the slowest');
    const rows = of('2-lengths');
    expect(rows.length).toBeGreaterThan(5);
    for (const { id, ways } of rows) {
      const { cpu, device, hybrid } = ways;
      expect(cpu.median, id).toBeLessThan(device.median);
      expect(device.median, id).toBeLessThan(hybrid.median);
    }
  });
});

/** A measured figure with its unit. */
const MEASURED = /\d[\d.,]*\s(?:[GM]\/s|[GT]B\/s|ms|us|microseconds|%)(?![\w/])|\btimes as long\b/;
const DATED = /\bNovember 2026\b/;
/** Tables and sentences whose figures tests compute from the files. */
const COMPUTED = [
  / launches in passes \|/,
  /\| case \| n \| algorithm \| result \| date \|/,
  /A device copy moved [\d,]+ to /,
  /The passes take [\d.]+ ms \([\d,]+ M\/s\)/,
  // Their figures are the papers'.
  /\| section \| in the paper \| experiment or claim \| here \|/,
  /the device is busy for [\d., and]+ ms, with 8 bits/,
];

/** Paragraphs, list items and tables; a table, and a list after a colon, with the text before it. */
function blocksOf(document: string): string[] {
  const prose = document
    .replace(/<!-- results [\s\S]*?<!-- end -->/g, '')
    .replace(/^```[\s\S]*?^```$/gm, '')
    .replace(/^ {4}(?![ |*]).*$/gm, '');
  const blocks: string[] = [];
  let introduction = '';
  for (const part of prose.split(/\n\s*\n/)) {
    const items = part.split(/\n(?=\s*(?:\* |\d+\. ))/);
    for (const item of items) {
      const isListed = /^\s*(?:\* |\d+\. )/.test(item) && introduction.endsWith(':');
      blocks.push(isListed || /^\s*\|/.test(item) ? `${introduction}\n${item}` : item);
    }
    // A list's introduction holds for all its items.
    const last = items.at(-1)!.trim();
    if (!last.startsWith('* ') || last.endsWith(':')) introduction = last;
  }
  return blocks;
}

it.each([
  ['docs/kernels.md', KERNELS],
  ['docs/papers.md', PAPERS],
])('%s names the date of each measured figure that no file keeps', (_, document) => {
  const measured = blocksOf(document).filter((block) => MEASURED.test(block));
  expect(measured.length).toBeGreaterThan(2);
  const undated = measured.filter((block) => !DATED.test(block) && !COMPUTED.some((one) => one.test(unwrapped(block))));
  expect(undated).toEqual([]);
});
