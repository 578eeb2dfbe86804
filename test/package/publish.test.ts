/** Packages that must not be published are refused, with the reason. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
// @ts-expect-error: plain JavaScript, because npm runs it without a build
import { problems } from '../../.github/scripts/ready-to-publish.mjs';

import { withDirectory } from '../cli/run.js';
import { withPrograms } from '../support/programs.js';
import { ROOT } from './packed.js';

const MANIFEST = {
  version: '1.2.0',
  repository: { type: 'git', url: 'git+https://github.com/someone/something.git' },
  bugs: 'https://github.com/someone/something/issues',
  homepage: 'https://github.com/someone/something#readme',
};
const CHANGELOG = '# Changelog\n\n## Unreleased\n\n## 1.2.0 - 2026-11-23\n\n- A change.\n\n## 1.1.0 - 2026-10-01\n';
const WORKFLOW = { GITHUB_REPOSITORY: 'someone/something', GITHUB_REF_TYPE: 'tag', GITHUB_REF_NAME: 'v1.2.0' };

describe('a version', () => {
  it('can be published by hand and by a workflow', () => {
    expect(problems(MANIFEST, CHANGELOG, {})).toEqual([]);
    expect(problems(MANIFEST, CHANGELOG, WORKFLOW)).toEqual([]);
    expect(problems(MANIFEST, CHANGELOG, { ...WORKFLOW, GITHUB_REF_TYPE: 'branch', GITHUB_REF_NAME: 'main' })).toEqual(
      [],
    );
  });

  it.each(['repository', 'bugs', 'homepage'])('is refused without %s', (field) => {
    expect(problems({ ...MANIFEST, [field]: undefined }, CHANGELOG, {})).toEqual([`package.json has no ${field}`]);
  });

  it('is refused from another repository, and under the tag of another version', () => {
    expect(problems(MANIFEST, CHANGELOG, { ...WORKFLOW, GITHUB_REPOSITORY: 'other/something' })).toEqual([
      'package.json names the repository someone/something, not other/something',
    ]);
    expect(problems(MANIFEST, CHANGELOG, { ...WORKFLOW, GITHUB_REF_NAME: 'v1.2' })).toEqual([
      'the tag v1.2 is not v1.2.0',
    ]);
  });

  it('is refused without its changes and their date', () => {
    expect(problems({ ...MANIFEST, version: '1.2' }, CHANGELOG, {})).toEqual([
      'CHANGELOG.md has no heading "## 1.2 - DATE"',
    ]);
    expect(problems(MANIFEST, CHANGELOG.replace(' - 2026-11-23', ''), {})).toEqual([
      'CHANGELOG.md has no date for 1.2.0',
    ]);
  });
});

it.skipIf(process.platform === 'win32')('a version is also checked through a link to the repository', () =>
  withDirectory((directory) => {
    symlinkSync(ROOT, join(directory, 'link'));
    const check = (root: string) => {
      const script = join(root, '.github/scripts/ready-to-publish.mjs');
      const env = { ...process.env, GITHUB_REF_TYPE: 'tag', GITHUB_REF_NAME: 'v0.0.0-none' };
      return spawnSync(process.execPath, [script], { encoding: 'utf8', env });
    };
    const { status, stderr } = check(join(directory, 'link'));
    expect({ status, stderr }).toEqual({ status: 1, stderr: check(ROOT).stderr });
    expect(stderr).toContain('not ready to publish: the tag v0.0.0-none is not v');
  }),
);

describe.skipIf(process.platform === 'win32')('publish.sh', () => {
  const PACKED = Buffer.from('the package');
  const INTEGRITY = `sha512-${createHash('sha512').update(PACKED).digest('base64')}`;

  /** Runs the script on a release of 1.2.0; npm's stand-in has `published` on the registry and logs its words. */
  async function publish(published: string, packed = PACKED) {
    return withPrograms(
      { npm: `echo "$*" >> "$0.log"; if [ "$1" = view ]; then test -n '${published}' && echo '${published}'; fi` },
      (directory) => {
        const release = join(directory, 'repository/dist/release');
        mkdirSync(release, { recursive: true });
        cpSync(join(ROOT, '.github/scripts'), join(directory, 'repository/.github/scripts'), { recursive: true });
        const files = { 'package.json': JSON.stringify(MANIFEST), 'CHANGELOG.md': CHANGELOG };
        for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, 'repository', name), text);
        writeFileSync(join(release, 'gpusort-1.2.0.tgz'), packed);
        const digest = createHash('sha256').update(PACKED).digest('hex');
        writeFileSync(join(release, 'SHA256SUMS'), `${digest}  gpusort-1.2.0.tgz\n`);
        const script = join(directory, 'repository/.github/scripts/publish.sh');
        const { status, stdout } = spawnSync('bash', [script, 'dist/release', '--dry-run'], { encoding: 'utf8' });
        const words = spawnSync('cat', [join(directory, 'npm.log')], { encoding: 'utf8' })
          .stdout.trim()
          .split('\n');
        return Promise.resolve({ status, said: stdout.trim().split('\n').at(-1), last: words.at(-1) });
      },
    );
  }

  it('publishes a version that the registry does not have', async () => {
    expect(await publish('')).toMatchObject({
      status: 0,
      last: 'publish ./dist/release/gpusort-1.2.0.tgz --access public --tag latest --dry-run',
    });
  });

  it('does nothing if the registry has the same bytes, and refuses other ones', async () => {
    expect(await publish(INTEGRITY)).toMatchObject({
      status: 0,
      said: 'gpusort@1.2.0 is on npm already, with the same bytes',
      last: 'view gpusort@1.2.0 dist.integrity',
    });
    expect(await publish('sha512-other')).toMatchObject({
      status: 1,
      said: 'gpusort@1.2.0 is on npm already, with other bytes: sha512-other',
    });
  });

  it('refuses a package that is not the one of SHA256SUMS', async () => {
    expect(await publish('', Buffer.from('another'))).toMatchObject({ status: 1, last: '' });
  });
});
