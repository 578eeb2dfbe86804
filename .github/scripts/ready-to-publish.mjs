/**
 * `prepublishOnly`, and the first step of a release: refuses what must not be published. Prints each reason.
 */
import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
/**
 * Fields that npm's provenance and its page for the package need. They are unknown until there is a public repository.
 */
const ADDRESSES = ['repository', 'bugs', 'homepage'];

const addressOf = (field) => (typeof field === 'string' ? field : (field?.url ?? ''));
const repositoryOf = (url) => /github\.com[/:]([\w.-]+\/[\w.-]+?)(?:\.git)?$/.exec(url)?.[1];

/**
 * The reasons why this version cannot be published.
 * @param {Readonly<Record<string, any>>} manifest package.json
 * @param {string} changelog CHANGELOG.md
 * @param {NodeJS.ProcessEnv} env of a workflow: GITHUB_REPOSITORY, GITHUB_REF_TYPE and GITHUB_REF_NAME
 * @returns {string[]}
 */
export function problems(manifest, changelog, env) {
  const found = [];
  const { version } = manifest;
  for (const field of ADDRESSES)
    if (!/^(?:git\+)?https:\/\//.test(addressOf(manifest[field]))) found.push(`package.json has no ${field}`);
  const repository = repositoryOf(addressOf(manifest.repository));
  if (env.GITHUB_REPOSITORY && repository !== undefined && repository !== env.GITHUB_REPOSITORY)
    found.push(`package.json names the repository ${repository}, not ${env.GITHUB_REPOSITORY}`);
  if (env.GITHUB_REF_TYPE === 'tag' && env.GITHUB_REF_NAME !== `v${version}`)
    found.push(`the tag ${env.GITHUB_REF_NAME} is not v${version}`);
  const heading = changelog.split('\n').find((line) => `${line} `.startsWith(`## ${version} `));
  if (heading === undefined) found.push(`CHANGELOG.md has no heading "## ${version} - DATE"`);
  else if (!/ - \d{4}-\d\d-\d\d$/.test(heading)) found.push(`CHANGELOG.md has no date for ${version}`);
  return found;
}

// A path through a link to the repository must not skip the checks.
if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const found = problems(manifest, readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'), process.env);
  for (const problem of found) console.error(`not ready to publish: ${problem}`);
  if (found.length > 0) console.error('docs/releasing.md lists what a release needs.');
  process.exitCode = found.length > 0 ? 1 : 0;
}
