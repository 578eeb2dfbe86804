/** The traits of jobs, and the table of roads in docs/architecture.md. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { canTake, ROADS, type Road, TRAITS, type Trait, traitsOf } from '../../src/job/traits.js';
import { jobOf } from '../cli/arguments.js';

const OURS = { programName: 'gpusort' };
const names = <Name extends string>(table: Readonly<Record<Name, unknown>>): Name[] => Object.keys(table) as Name[];

/** A command line for each trait, which has that trait. */
const HAVE: Readonly<Record<Trait, string>> = {
  merging: '-m',
  checking: '-c',
  listing: '--check=orders --format bed',
  distributed: '--cluster local:2 -o o in',
  fixed: '--record-size 4',
  framed: '--csv',
  genomic: '--format bed',
  headed: '--header 1',
  mated: '--format fastq --mate m --mate-out n',
  segmented: '--segments blank',
  decompressed: '--decompress',
  keyed: '-n',
  structured: '--json a',
  seeded: '-R',
  shuffled: '--shuffle',
  collated: '--locale de',
  reversed: '-r',
  unique: '-u',
  counted: '--count',
  divided: '--dupes-output d',
  first: '--top 1',
  last: '--bottom 1',
  underlined: '--debug',
  verified: '--verify',
  converted: '--format sam --output-format bam',
  compressed: '--output-format gzip',
  indexed: '--format bam --index -o o',
  synced: '--sync',
  chunked: '--chunk-size 1K',
  onCpu: '--engine cpu',
  onGpu: '--engine gpu',
  byAlgorithm: '--algorithm radix',
  reported: '--stats',
};

describe('the traits of a job', () => {
  it.each(names(HAVE).map((trait) => [HAVE[trait], trait] as const))('%s: %s', (args, trait) => {
    expect([...traitsOf(jobOf(args, OURS))]).toContain(trait);
  });

  it('are none for a plain sort, wherever its files are and however much memory it takes', () => {
    const args = '-s -z -S 1G -T /tmp --parallel 2 --batch-size 3 --compress-program gzip --color never -o out in';
    expect([...traitsOf(jobOf(args, OURS))]).toEqual([]);
  });

  it('come from each key', () => {
    expect([...traitsOf(jobOf('-k1,1 -k2,2R'))].sort()).toEqual(['keyed', 'seeded']);
    expect([...traitsOf(jobOf('--csv -k name', OURS))].sort()).toEqual(['framed', 'headed', 'keyed', 'structured']);
    expect([...traitsOf(jobOf('--per 1,1 --top 2', OURS))].sort()).toEqual(['divided', 'keyed']);
  });
});

describe('roads', () => {
  it.each([
    ['at once', '-k2,2n -r -u', true],
    ['at once', '-k2,2n -r -u --sync', false],
    ['at once', '-R', false],
    ['repeats', '--count --top 3', true],
    ['repeats', '--top 3', false],
    ['ranges', '-m --bottom 3', true],
    ['ranges', '-m --top 3', false],
    ['bam', '--format bam -o o', true],
    ['bam', '--format bam --verify -o o', false],
    ['tail', '--bottom 3', true],
    ['tail', '--bottom 3 -u', false],
    ['sized', '-n --csv', true],
    ['sized', '-n -u', false],
  ] as const)('%s: %s: %s', (road, args, taken) => {
    expect(canTake(road, jobOf(args, OURS))).toBe(taken);
  });

  it('docs/architecture.md says which traits each road carries', () => {
    const page = readFileSync(new URL('../../docs/architecture.md', import.meta.url), 'utf8');
    const mark = (trait: Trait, road: Road): string => {
      const { roads, withCount = [] }: { roads: readonly Road[]; withCount?: readonly Road[] } = TRAITS[trait];
      return roads.includes(road) ? 'x' : withCount.includes(road) ? 'count' : '';
    };
    const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`.replaceAll('|  |', '| |');
    const table = [
      row(['trait', ...names(ROADS)]),
      row(['---', ...names(ROADS).map(() => '---')]),
      ...names(TRAITS).map((trait) => row([TRAITS[trait].means, ...names(ROADS).map((road) => mark(trait, road))])),
    ].map((line) => line.replaceAll('|  |', '| |'));
    expect(page).toContain(`${table.join('\n')}\n`);
    for (const road of names(ROADS)) expect(page).toContain(`| ${road} | ${ROADS[road]} |`);
  });
});
