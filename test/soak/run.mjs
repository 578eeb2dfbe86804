/** Runs one case of the soak test with gpusort and with GNU sort, and lists the promises that gpusort broke. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const BIN = fileURLToPath(new URL('../../bin/gpusort.cjs', import.meta.url));
const FAILING_CALLS = fileURLToPath(new URL('../support/failing-calls.cjs', import.meta.url));
const HANG_MS = 60_000;
const OLD = Buffer.from('old contents\n');
const ENVIRONMENT = { ...process.env, LC_ALL: 'C' };
const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** Creates the files of a case in an empty directory. */
function prepare({ inputs, mode, ordering, output }, directory) {
  mkdirSync(join(directory, 't'));
  // A signal may end the shell before it creates them.
  for (const name of ['stdout', 'stderr']) writeFileSync(join(directory, name), '');
  inputs.forEach((bytes, i) => {
    writeFileSync(join(directory, `in${i}`), bytes);
    if (mode === 'merge')
      spawnSync('sort', [...ordering, `in${i}`, '-o', `in${i}`], { cwd: directory, env: ENVIRONMENT });
  });
  if (output === 'old' || output === 'linked') writeFileSync(join(directory, 'out'), OLD);
  if (output === 'linked') linkSync(join(directory, 'out'), join(directory, 'second'));
}

/** The arguments of gpusort. */
export function wordsOf({ inputs, mode, ordering, output, piped, own }) {
  const names = inputs.map((_, i) => `in${i}`);
  if (piped) names[0] = '-';
  const file = output === 'input' ? 'in0' : 'out';
  return [
    ...own,
    '-T',
    't',
    ...(mode === 'merge' ? ['-m'] : mode === 'check' ? ['-c'] : []),
    ...ordering,
    ...names,
    ...(['stdout', 'none'].includes(output) ? [] : ['-o', file]),
  ];
}

/** The exit status and output of GNU sort on the inputs. */
function wanted({ inputs, mode, ordering }, directory) {
  const { status, stdout } = spawnSync(
    'sort',
    [...(mode === 'merge' ? ['-m'] : mode === 'check' ? ['-c'] : []), ...ordering, ...inputs.map((_, i) => `in${i}`)],
    { cwd: directory, env: ENVIRONMENT, maxBuffer: 1 << 30 },
  );
  return { status, bytes: stdout };
}

/** Runs gpusort; resolves to its exit status or signal, whether it hung, and its messages. */
function perform(test, directory) {
  const { fault, limits, piped } = test;
  const words = [
    process.execPath,
    ...(fault.kind === 'call' ? ['--require', FAILING_CALLS] : []),
    BIN,
    ...wordsOf(test),
  ]
    .map(quote)
    .join(' ');
  const command = `${limits.words === '' ? '' : `${limits.words}; `}exec ${words}${piped ? ' < in0' : ' < /dev/null'}${fault.kind === 'reader closes' ? '' : ' > stdout'} 2> stderr`;
  const env =
    fault.kind === 'call' ? { ...ENVIRONMENT, GPUSORT_TEST_FAULT: `${fault.number}:${fault.error}` } : ENVIRONMENT;
  return new Promise((resolveOutcome) => {
    const child = spawn('bash', ['-c', command], { cwd: directory, env, stdio: ['ignore', 'pipe', 'ignore'] });
    let hung = false;
    const timer = setTimeout(() => {
      hung = true;
      child.kill('SIGKILL');
    }, HANG_MS);
    if (fault.kind === 'signal')
      setTimeout(() => {
        child.kill(fault.signal);
      }, fault.ms);
    if (fault.kind === 'reader closes')
      child.stdout.once('data', () => {
        child.stdout.destroy();
      });
    child.on('close', (status, signal) => {
      clearTimeout(timer);
      resolveOutcome({ status, signal, hung, stderr: readFileSync(join(directory, 'stderr'), 'latin1') });
    });
  });
}

/** Runs a case in an empty directory; resolves to the list of broken promises and to how gpusort ended. */
export async function runCase(test, directory) {
  prepare(test, directory);
  const { output, fault, limits, mode } = test;
  const before = test.inputs.map((_, i) => readFileSync(join(directory, `in${i}`)));
  const gnu = wanted(test, directory);
  const { status, signal, hung, stderr } = await perform(test, directory);
  const broken = [];
  const expect = (holds, sentence) => {
    if (!holds) broken.push(sentence);
  };
  const read = (name) => (existsSync(join(directory, name)) ? readFileSync(join(directory, name)) : null);

  expect(!hung, `not finished after ${HANG_MS / 1000} s`);
  before.forEach((bytes, i) => {
    if (output !== 'input' || i > 0) expect(read(`in${i}`).equals(bytes), `input in${i} has changed`);
  });
  const ended =
    signal !== null
      ? signal
      : status > 128
        ? Object.keys(constants.signals).find((name) => constants.signals[name] === status - 128)
        : null;
  if (ended === null) expect([0, 1, 2].includes(status), `exit status ${status}`);
  else
    expect(
      ended === fault.signal ||
        (fault.kind === 'reader closes' && ended === 'SIGPIPE') ||
        (/ulimit -f/.test(limits.words) && ended === 'SIGXFSZ'),
      `ended by ${ended}`,
    );
  const free = fault.kind === 'none' && limits.strict;
  if (free) expect(status === gnu.status, `exit status ${status}, GNU sort ${gnu.status}`);
  if (status === 0 && fault.kind !== 'call') expect(stderr === '', 'exit status 0, but messages on standard error');
  if (status === 2)
    expect(
      /^gpusort: [^\n]+\n/.test(stderr) && !/unexpected error|internal error|\n {4}at /.test(stderr),
      'no clear error message',
    );
  // A message about disorder ends with the line.
  expect(!/(^|[ :(])E[A-Z]{3,}\b/m.test(stderr.replace(/disorder: .*/s, '')), 'a raw error code in a message');

  const kept = [...readdirSync(directory), ...readdirSync(join(directory, 't')).map((name) => join('t', name))].filter(
    (name) => name.includes('gpusort'),
  );
  for (const name of kept) {
    const isSorted = name.includes('gpusort-sorted-');
    if (isSorted) expect(read(name).equals(gnu.bytes), `${name} is not the complete output`);
    if (ended !== 'SIGKILL') expect(stderr.includes(name), `${name} was left behind and no message names it`);
  }
  const isKept = kept.some((name) => name.includes('gpusort-sorted-'));
  if (output === 'stdout' && fault.kind !== 'reader closes') {
    const bytes = read('stdout');
    if (status === 0) expect(bytes.equals(gnu.bytes), 'the output differs from that of GNU sort');
    else
      expect(
        gnu.bytes.subarray(0, bytes.length).equals(bytes),
        'the partial output is not a prefix of that of GNU sort',
      );
  } else if (output !== 'none' && output !== 'stdout') {
    const bytes = read(output === 'input' ? 'in0' : 'out');
    const old = output === 'new' ? null : output === 'input' ? before[0] : OLD;
    const complete = bytes?.equals(gnu.bytes);
    const unchanged = bytes === null ? old === null : old !== null && bytes.equals(old);
    if (status === 0) expect(complete, 'the output file differs from that of GNU sort');
    else
      expect(
        complete || unchanged || isKept,
        'the output file is neither unchanged nor complete, and no complete output was kept',
      );
    if (output === 'linked')
      expect(
        statSync(join(directory, 'second')).ino === statSync(join(directory, 'out')).ino,
        'the hard links of the output file no longer share a file',
      );
  }
  if (mode === 'check' && status !== 2 && ended === null)
    expect(status === gnu.status, `-c: exit status ${status}, GNU sort ${gnu.status}`);
  return { broken, ended: ended ?? `status ${status}`, stderr, at: resolve(directory) };
}
