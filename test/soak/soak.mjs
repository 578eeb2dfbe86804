/**
 * `npm run soak -- MINUTES [SEED]`: sorts random data with random options under random limits and faults until the
 * time is up, and compares with GNU sort. It prints how the cases ended. It stops at the first case that breaks a
 * promise of docs/reliability.md, describes it, keeps its files, and exits with 1. The reference is GNU sort 9.1: later
 * versions order some names differently under -V. `npm run soak -- 0 SEED` repeats one case.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { caseOf } from './cases.mjs';
import { runCase, wordsOf } from './run.mjs';

const [minutes = '1', first = '1'] = process.argv.slice(2);
const engines = (process.env.GPUSORT_SOAK_ENGINES ?? 'cpu').split(',');
if (!/^[0-9.]+$/.test(minutes) || !/^[0-9]+$/.test(first)) {
  console.error('Usage: npm run soak -- MINUTES [SEED]');
  process.exit(2);
}

const root = mkdtempSync(join(tmpdir(), 'gpusort-soak-'));
const end = Date.now() + Number(minutes) * 60_000;
const ends = new Map();
let cases = 0;
let failed = false;
for (let seed = Number(first); !failed && (cases === 0 || Date.now() < end); seed++, cases++) {
  const directory = mkdtempSync(join(root, `${seed}-`));
  const test = caseOf(seed, engines);
  const { broken, ended, stderr, at } = await runCase(test, directory);
  const key = `${test.fault.kind}${test.limits.words === '' ? '' : `, ${test.limits.words}`}: ${ended}`;
  ends.set(key, (ends.get(key) ?? 0) + 1);
  if (broken.length > 0) {
    failed = true;
    console.log(
      `case ${seed} breaks a promise: ${broken.join('; ')}\n  gpusort ${wordsOf(test).join(' ')}\n  fault ${JSON.stringify(test.fault)}, limits '${test.limits.words}'` +
        `\n  ended with ${ended}\n  ${stderr.replaceAll('\n', '\n  ')}\n  its files are in ${at}; to repeat it: npm run soak -- 0 ${seed}`,
    );
  } else rmSync(directory, { recursive: true });
}
for (const [key, count] of [...ends].sort()) console.log(`${String(count).padStart(6)}  ${key}`);
console.log(`${cases} cases, seeds ${first} to ${Number(first) + cases - 1}`);
if (!failed) rmSync(root, { recursive: true });
process.exitCode = failed ? 1 : 0;
