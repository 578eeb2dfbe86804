/** What the program prints about itself: help, manual page, versions. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { helpText } from '../../../src/cli/help/help.js';
import { manPage } from '../../../src/cli/help/man.js';
import { packageVersion } from '../../../src/cli/help/version.js';
import { GROUPS, isOwn } from '../../../src/cli/options/option.js';
import { OPTION_NAMES, OPTIONS } from '../../../src/cli/options/table.js';
import { gpusort, NODE_VERSION } from '../run.js';

describe('--help', () => {
  it('lists every option, in groups, within 80 columns', () => {
    const help = helpText('gpusort');
    for (const { long, short, alias } of OPTIONS) {
      expect(help).toMatch(new RegExp(`^  ${short === undefined ? '    ' : `-${short}, `}--${long}\\b`, 'm'));
      if (alias !== undefined) expect(help).toMatch(new RegExp(`^  -${alias.short} `, 'm'));
    }
    for (const group of GROUPS) expect(help).toContain(`\n${group}\n`);
    for (const line of help.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
  });

  it('prints to standard output and begins with the usage', () => {
    const { status, stdout, stderr } = gpusort(['--help', '--nonsense']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toBe(helpText('gpusort'));
    expect(stdout).toMatch(
      /^Usage: gpusort \[OPTION\]\.\.\. \[FILE\]\.\.\.\nSort the lines .*\.\n\n(?:.+\n)+\nOrdering options:\n/,
    );
  });

  it('is not -h, and --version is not -V', () => {
    for (const option of ['-h', '-V'])
      expect(gpusort([option])).toEqual({ status: 0, signal: null, stdout: '', stderr: '' });
  });
});

describe('every option', () => {
  it('of GNU sort exists, and docs/compatibility.md names each one', () => {
    expect(
      OPTIONS.filter(({ group }) => !isOwn(group))
        .map(({ long }) => long)
        .sort(),
    ).toEqual([...OPTION_NAMES.gnuNames].sort());
    const page = readFileSync(new URL('../../../docs/compatibility.md', import.meta.url), 'utf8');
    for (const { long } of OPTIONS) expect(page).toContain(`--${long}`);
  });
});

describe('the manual page', () => {
  it('is up to date with the option table (npm run man)', () => {
    expect(readFileSync(new URL('../../../docs/gpusort.1', import.meta.url), 'utf8')).toBe(manPage());
  });
});

describe('--version', () => {
  it('prints the versions of gpusort, Node and webgpu', () => {
    const { status, stdout } = gpusort(['--version']);
    expect(status).toBe(0);
    expect(stdout).toMatch(
      new RegExp(`^gpusort ${packageVersion()}\nNode ${NODE_VERSION}\nwebgpu \\d+\\.\\d+\\.\\d+\n$`),
    );
  });
});
