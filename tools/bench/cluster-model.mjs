/**
 * Plans sorts of 1 to 100 TB on 10 to 1,000 nodes: bytes, requests, times, the largest range, the first limit exceeded.
 * Prints the tables of docs/cluster.md; --write puts them there. NAME=VALUE changes a parameter of cluster/costs.mjs.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  DEFAULTS,
  leastDistributed,
  limitsOf,
  MACHINES,
  planOf,
  requestsOf,
  samplesOfShare,
  timesOf,
} from './cluster/costs.mjs';
import { KIND_NAMES, largestRange, titleOf } from './cluster/largest-range.mjs';
import { root } from './commands.mjs';
import { table } from './report.mjs';

const SIZES = [1e12, 10e12, 100e12];
const NODES = [10, 100, 1000];
const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];

/** Three digits at most. */
const digits = (value) => Number(value.toPrecision(value < 100 ? 2 : 3)).toLocaleString('en');
const whole = (value) => Math.round(value).toLocaleString('en');
const percent = (value) => `${digits(100 * value)} %`;
const times = (value) => value.toFixed(2);

function amount(bytes) {
  const unit = Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3 + 1e-9));
  return `${digits(bytes / 1000 ** unit)} ${UNITS[unit]}`;
}

function count(value) {
  return value < 1e6 ? whole(value) : `${digits(value / 1e6)} M`;
}

function duration(seconds) {
  if (seconds < 100) return `${digits(seconds)} s`;
  return seconds < 6000 ? `${digits(seconds / 60)} min` : `${digits(seconds / 3600)} h`;
}

const title = ({ bytes, nodes }) => `${amount(bytes)}, ${whole(nodes)} nodes`;

function planRow(plan, p) {
  const requests = requestsOf(plan, p);
  return [
    title(plan),
    `${whole(plan.shares)} of ${amount(plan.share)}`,
    `${whole(plan.ranges)} of ${amount(plan.range)}`,
    amount(plan.slice),
    `${amount(requests.readANode)}, ${amount(requests.writtenANode)}`,
    `${amount(requests.read)}, ${amount(requests.written)}`,
    amount(requests.disk),
  ];
}

function requestRow(plan, p) {
  const requests = requestsOf(plan, p);
  return [
    title(plan),
    whole(requests.files),
    count(requests.opens),
    count(requests.otherNames),
    count(timesOf(plan, MACHINES.cpu, p).polls),
    `${count(requests.readsPerRange)} of ${amount(requests.meanRead)}`,
    percent(requests.extra),
    `${amount(requests.clientBytes)}, ${amount(requests.rangeHeap)}`,
  ];
}

/** The arguments of largestRange() for a plan. */
function shapeOf({ shares, ranges, share }, p, shifted) {
  return { shares, ranges, samples: samplesOfShare({ shares, share }, p), records: share / p.recordBytes, shifted };
}

function timeRow(plan, p) {
  const largest = largestRange('random', shapeOf(plan, p, p.shifted === 1));
  const gpu = timesOf(plan, MACHINES.gpu, p, largest);
  const cpu = timesOf(plan, MACHINES.cpu, p, largest);
  const limits = limitsOf(plan, MACHINES.cpu, p, largest);
  const exceeded = limits.filter(({ use }) => use >= 1);
  const shown = (exceeded.length > 0 ? exceeded : limits.slice(0, 1)).slice(0, 3);
  return [
    title(plan),
    duration(cpu.sharePhase),
    `${duration(cpu.rangePhase)} (${cpu.bound})`,
    duration(cpu.client),
    duration(cpu.total),
    duration(gpu.total),
    shown.map(({ name, use }) => `${name} (${digits(use)})`).join(', '),
  ];
}

const leastRow = (nodes, p) => [
  whole(nodes),
  ...['cpu', 'gpu'].map((machine) => amount(leastDistributed(nodes, MACHINES[machine], p))),
];

/** Shares, ranges and samples whose largest range is simulated. */
const SHAPES = [
  { shares: 70, ranges: 20 },
  { shares: 100, ranges: 100 },
  { shares: 1000, ranges: 1000 },
  { shares: 7000, ranges: 2000 },
  { shares: 10_000, ranges: 10_000 },
];

function skewRow(kind, p) {
  const cells = SHAPES.map((shape) => ({ ...shape, share: p.shareBytes })).map((shape) =>
    [false, true].map((shifted) => times(largestRange(kind, shapeOf(shape, p, shifted)))).join(', '),
  );
  return [titleOf(kind), ...cells];
}

/**
 * The tables as Markdown, by name.
 * @param {typeof DEFAULTS} p
 * @returns {Record<string, string>}
 */
export function clusterTables(p = DEFAULTS) {
  const plans = SIZES.flatMap((bytes) => NODES.map((nodes) => planOf(bytes, nodes, p)));
  const rows = (row) => plans.map((plan) => row(plan, p));
  return {
    plans: table(
      ['input', 'shares', 'ranges', 'slice', 'read, written per node', 'read, written in all', 'disk'],
      ...rows(planRow),
    ),
    requests: table(
      [
        'input',
        'files',
        'opens',
        'other operations',
        'polls',
        'reads of a range task',
        'excess',
        'checkpoints: client, range task',
      ],
      ...rows(requestRow),
    ),
    times: table(
      ['input', 'shares', 'ranges (bound by)', 'client', 'in all', 'in all, with GPUs', 'breaks first'],
      ...rows(timeRow),
    ),
    least: table(['nodes', 'without a GPU', 'with GPUs'], ...[2, 4, 10, 100].map((nodes) => leastRow(nodes, p))),
    ranges: table(
      ['data', ...SHAPES.map(({ shares, ranges }) => `${whole(shares)} shares, ${whole(ranges)} ranges`)],
      ...KIND_NAMES.map((kind) => skewRow(kind, p)),
    ),
  };
}

/** The text of docs/cluster.md with each table between its two comments. */
export function withTables(text, tables) {
  return Object.entries(tables).reduce(
    (changed, [name, rows]) =>
      changed.replace(
        new RegExp(`(<!-- model: ${name} -->\n)[\\s\\S]*?(\n<!-- end -->)`),
        (_, begin, end) => `${begin}\n${rows}\n${end}`,
      ),
    text,
  );
}

function parametersFrom(words) {
  const given = words.map((word) => {
    const [name, value] = word.split('=');
    if (!(name in DEFAULTS) || !(Number(value) >= 0)) {
      throw new Error(`${word}: not NAME=NUMBER; names: ${Object.keys(DEFAULTS).join(', ')}`);
    }
    return [name, Number(value)];
  });
  return { ...DEFAULTS, ...Object.fromEntries(given) };
}

if (resolve(process.argv[1] ?? '') === fileURLToPath(import.meta.url)) {
  const words = process.argv.slice(2);
  const tables = clusterTables(parametersFrom(words.filter((word) => word !== '--write')));
  for (const [name, rows] of Object.entries(tables)) console.log(`${name}\n\n${rows}\n`);
  if (words.includes('--write')) {
    const path = join(root, 'docs/cluster.md');
    writeFileSync(path, withTables(readFileSync(path, 'utf8'), tables));
  }
}
