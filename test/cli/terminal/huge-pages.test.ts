/** When a sort starts itself again with huge pages, and that nothing else changes. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hugePagesPay, type PageFacts } from '../../../src/cli/terminal/huge-pages.js';
import { shell, withDirectory } from '../run.js';

const MiB = 1 << 20;
/** A virtual machine with two processors. */
const SLOW: PageFacts = { mode: 'sort', bytes: 1 << 30, threads: 2, price: 13_000, startMs: 150 };

describe('huge pages', () => {
  it.each<[string, Partial<PageFacts>, boolean]>([
    ['pages are slow', {}, true],
    ['pages are fast', { price: 250 }, false],
    ['pages are fast, and there is much input', { price: 900, bytes: 2 ** 40 }, false],
    ['there is little input', { bytes: 63 * MiB, price: 1e6 }, false],
    ['the least input is read, and pages are very slow', { bytes: 64 * MiB, price: 1e5 }, true],
    ['a start takes long', { startMs: 400 }, false],
    ['many threads share the cost', { threads: 16 }, false],
    ['inputs are merged', { mode: 'merge' }, false],
    ['many inputs are merged', { mode: 'merge', bytes: 4 * 2 ** 30 }, true],
    ['the order is checked', { mode: 'check', bytes: 2 ** 40 }, false],
  ])('pay or not if %s', (_, facts, expected) => {
    expect(hugePagesPay({ ...SLOW, ...facts })).toBe(expected);
  });
});

const asked = '/sys/kernel/mm/transparent_hugepage/enabled';
const canAsk = existsSync(asked) && readFileSync(asked, 'utf8').includes('[madvise]');

describe.runIf(canAsk)('a sort with GPUSORT_HUGE_PAGES=always', () => {
  const always = 'export GPUSORT_HUGE_PAGES=always;';
  const inPages = (stderr: string): boolean => stderr.includes('gpusort has started itself again, with pages of 2 MiB');

  it('starts itself again, with the same arguments, descriptors and status', () =>
    withDirectory((cwd) => {
      writeFileSync(join(cwd, 'f'), 'b\na\n');
      const line = "cp f $'x\\xff'; exec 5<f; $GPUSORT --parallel=1 --stats x* /dev/fd/5 - < f; $GPUSORT -c f";
      const { status, stdout, stderr } = shell(`${always} ${line}`, { cwd });
      expect({ status, stdout }).toEqual({ status: 1, stdout: 'a\na\na\nb\nb\nb\n' });
      expect(inPages(stderr)).toBe(true);
      expect(stderr).toContain('gpusort: f:2: disorder: a\n');
    }));

  it('reads nothing from a pipe before that', () =>
    withDirectory((cwd) => {
      const log = "require('worker_threads').isMainThread && require('fs').appendFileSync('starts', 'x');";
      writeFileSync(join(cwd, 'log.cjs'), log);
      const { stdout } = shell(`${always} printf 'b\\na\\n' | NODE_OPTIONS='--require=./log.cjs' $GPUSORT`, { cwd });
      expect(stdout).toBe('a\nb\n');
      expect(readFileSync(join(cwd, 'starts'), 'latin1')).toBe('xx');
    }));

  it('gives its programs the settings that it was given', () =>
    withDirectory((cwd) => {
      const program = '#!/bin/sh\necho "${GLIBC_TUNABLES-none} ${GPUSORT_STARTED_FOR_PAGES-none}" >> seen\nexec cat\n';
      writeFileSync(join(cwd, 'program'), program, { mode: 0o755 });
      const sort = '$GPUSORT -S 1M --chunk-size=64K --compress-program=./program --stats n | tail -n 1';
      const tunables = 'GLIBC_TUNABLES=glibc.malloc.check=0';
      const { stdout, stderr } = shell(`${always} seq 200000 > n; ${sort}; export ${tunables}; ${sort}`, { cwd });
      expect(stdout).toBe('99999\n99999\n');
      expect(stderr.split('started itself again').length).toBe(3);
      expect(new Set(readFileSync(join(cwd, 'seen'), 'utf8').split('\n'))).toEqual(
        new Set(['none none', 'glibc.malloc.check=0 none', '']),
      );
    }));

  it('measures the price of a page for large files only, and unless the user decides', () =>
    withDirectory((cwd) => {
      const priced = (setting: string, bytes: number): boolean => {
        const sort = '$GPUSORT --engine=cpu --stats f -o out';
        const { status, stderr } = shell(`truncate -s ${bytes} f; GPUSORT_HUGE_PAGES=${setting} ${sort}`, { cwd });
        expect(status).toBe(0);
        return stderr.includes('a new page of memory takes');
      };
      expect(priced('auto', 64 * MiB)).toBe(true);
      expect(priced('never', 64 * MiB)).toBe(false);
      expect(priced('auto', 64 * MiB - 1)).toBe(false);
    }));

  it('does not if the user has decided about huge pages, or only asks', () =>
    withDirectory((cwd) => {
      writeFileSync(join(cwd, 'f'), 'b\na\n');
      for (const line of [
        'GLIBC_TUNABLES=glibc.malloc.hugetlb=0 $GPUSORT --stats f',
        'GPUSORT_HUGE_PAGES=never $GPUSORT --stats f',
        '$GPUSORT --explain f',
      ]) {
        const { status, stderr, stdout } = shell(`${always} ${line}`, { cwd });
        expect(status).toBe(0);
        expect(inPages(stderr + stdout)).toBe(false);
      }
    }));
});
