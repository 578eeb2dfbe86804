/** Versions of Node that are refused, and the messages. node-version.slow.test.ts runs such versions. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, it } from 'vitest';

const { problemOf } = createRequire(import.meta.url)('../../bin/node-version.cjs') as {
  problemOf(version: string, path: string): string | null;
};

it.each(['20.15.0', '20.20.2', '22.2.0', '22.23.2', '23.0.0', '24.1.0', '26.10.0', '27.0.0-nightly20261101'])(
  'Node %s can run gpusort',
  (version) => {
    expect(problemOf(version, '/bin/node')).toBe(null);
  },
);

it.each(['0.12.18', '12.22.12', '18.20.4', '19.9.0', '20.0.0', '20.14.0', '21.7.3', '22.0.0', '22.1.0'])(
  'Node %s cannot',
  (version) => {
    expect(problemOf(version, '/bin/node')).toBe(
      `needs Node 20 (20.15 or later), or Node 22.2 or later; this is Node ${version}, /bin/node`,
    );
  },
);

it('the check agrees with package.json', () => {
  const { engines } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  expect(engines).toEqual({ node: '^20.15.0 || >=22.2.0' });
});

it('the check runs before the program is loaded, and old versions can parse it', () => {
  const text = (name: string): string => readFileSync(new URL(`../../bin/${name}`, import.meta.url), 'utf8');
  const [program] = text('gpusort.cjs').split("require('./node-version.cjs')");
  expect(program).not.toContain('require(');
  // Node 14 lacks these assignments, Node 12 the other two.
  for (const name of ['gpusort.cjs', 'node-version.cjs']) expect(text(name)).not.toMatch(/\|\|=|&&=|\?\?|\?\./);
});
