/** The texts about the program: help, manual page, versions. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { helpText } from '../../../src/cli/help/help.js';
import { manPage } from '../../../src/cli/help/man.js';
import { SECTIONS } from '../../../src/cli/help/manual.js';
import { GROUPS, isOwn } from '../../../src/cli/options/option.js';
import { OPTION_NAMES, OPTIONS } from '../../../src/cli/options/table.js';
import { HELP_TOPICS, TOPICS } from '../../../src/cli/parse/option-values.js';
import { packageVersion } from '../../../src/system/installed.js';
import { errorOf, gnuVerdicts, ourVerdict } from '../arguments.js';
import { gnuSort, gpusort, NODE_VERSION } from '../run.js';

/** The letters and names of options that have a meaning beside them or below. */
function listed(help: string): string[] {
  const terms = help.match(/^ {2}(?:-\w(?=,? )|(?= ))(?:, | {4})?(?:--[\w-]+(?:=\w|\[=|, --|$| {2}))?/gm) ?? [];
  return terms.flatMap((term) => term.match(/--?\w[\w-]*/g) ?? []);
}

describe('--help', () => {
  it('is one screen with the most used options and the topics', () => {
    const help = helpText('gpusort', 'common');
    expect(help.split('\n').length).toBeLessThanOrEqual(46);
    for (const { long, common } of OPTIONS) expect(listed(help).includes(`--${long}`), long).toBe(common ?? false);
    for (const topic of [...TOPICS, 'all']) expect(help).toMatch(new RegExp(`^  ${topic} `, 'm'));
  });

  it('=all lists every option, in groups', () => {
    const help = helpText('gpusort', 'all');
    for (const { long, short, alias } of OPTIONS) {
      expect(help).toMatch(new RegExp(`^  ${short === undefined ? '    ' : `-${short}, `}--${long}\\b`, 'm'));
      if (alias !== undefined) expect(help).toMatch(new RegExp(`^  -${alias.short} `, 'm'));
    }
    for (const group of GROUPS) expect(help).toContain(`\n${group}:\n`);
  });

  it('=TOPIC lists the options and sections of a topic, and the topics together list all', () => {
    const pages = TOPICS.map((topic) => helpText('gpusort', topic));
    for (const { title } of SECTIONS) expect(pages.join('').split(`\n${title}:\n`)).toHaveLength(2);
    const options = pages.map((page) => page.split('\n\n')[1]).filter((block) => block.startsWith('Options:\n'));
    const names = options.flatMap(listed).filter((name) => name.startsWith('--'));
    expect(names.sort()).toEqual(OPTIONS.map(({ long }) => `--${long}`).sort());
    expect(helpText('gpusort', 'keys')).toMatch(/\n\nOptions:\n {2}-b[\s\S]* {2}-V[\s\S]*\n\nKeys:\n/);
    expect(helpText('gpusort', 'examples')).not.toContain('\nOptions:\n');
  });

  it('stays within 80 columns', () => {
    const pages = [helpText('sort', 'common'), ...HELP_TOPICS.map((topic) => helpText('gpusort', topic))];
    expect(pages.flatMap((page) => page.split('\n')).filter((line) => line.length > 80)).toEqual([]);
  });

  it('prints to standard output and begins with the usage', () => {
    for (const [option, topic] of [
      ['--help', 'common'],
      ['--he=ke', 'keys'],
    ] as const) {
      const { status, stdout, stderr } = gpusort([option, '--nonsense']);
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(stdout).toBe(helpText('gpusort', topic));
      expect(stdout).toMatch(/^Usage: gpusort \[OPTION\]\.\.\. \[FILE\]\.\.\.\nSort the lines .*\.\n\n/);
    }
  });

  it('refuses other topics with a list', () => {
    const error = errorOf('--help=foo', { programName: 'gpusort' });
    expect(error).toMatchObject({ message: "invalid argument 'foo' for '--help'", exitCode: 2 });
    const list = HELP_TOPICS.map((topic) => `  - '${topic}'\n`).join('');
    expect(error.hint).toBe(`Valid arguments are:\n${list}Try 'gpusort --help' for more information.`);
  });

  it('under the name sort lists the options of GNU sort, and takes no topic', () => {
    const gnu = [...new Set(listed(gnuSort(['--help']).stdout))].sort();
    expect(gnu).toContain('--zero-terminated');
    expect(listed(helpText('sort', 'common')).sort()).toEqual(gnu);
    expect(ourVerdict(['--help=keys'])).toEqual(gnuVerdicts([['--help=keys']])[0]);
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

it('the manual page says where to report bugs, and who wrote it', () => {
  expect(manPage()).toMatch(
    /\.SH BUGS\n\.PP\nReport bugs in the issue tracker[\s\S]*\n\.SH AUTHORS\nThe gpusort authors/,
  );
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
