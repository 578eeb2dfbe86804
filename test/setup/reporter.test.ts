/** The report of a run: files that break the rule of `npm test`, and the state of a late run. */
import { mkdtempSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
// @ts-expect-error: no types
import Reporter from './reporter.mjs';

/** A finished file as vitest reports it. */
const finished = (file: string, processorSeconds: number, state = 'passed') => ({
  moduleId: resolve(file),
  meta: () => ({ processorSeconds }),
  state: () => state,
});

let said = '';
let notes = '';

beforeEach(() => {
  said = '';
  notes = join(mkdtempSync(join(process.env.GPUSORT_TEST_TMP!, 'reporter-')), 'notes.json');
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    said += text;
    return true;
  });
  vi.stubEnv('GPUSORT_TEST_NOTES', notes);
  vi.stubEnv('GPUSORT_TEST_TIER', 'quick');
  vi.stubEnv('GPUSORT_TEST_SLOW', '');
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

it('lists slow files without .slow in their names, slowest first', () => {
  const reporter = new Reporter();
  reporter.onTestModuleEnd(finished('test/a.test.ts', 5.5));
  reporter.onTestModuleEnd(finished('test/b.test.ts', 4.9));
  reporter.onTestModuleEnd(finished('test/c.test.ts', 12));
  reporter.onTestModuleEnd(finished('test/d.slow.test.ts', 20));
  reporter.onTestRunEnd();
  expect(said).toMatch(
    /2 files took over 5 s[\s\S]*\n {4}12\.0 s {2}test\/c\.test\.ts\n {5}5\.5 s {2}test\/a\.test\.ts\n$/,
  );
});

it('prints nothing if all files follow the rule', () => {
  const reporter = new Reporter();
  reporter.onTestModuleEnd(finished('test/b.test.ts', 4.9));
  reporter.onTestRunEnd();
  expect(said).toBe('');
});

it('notes which files passed', () => {
  const reporter = new Reporter();
  reporter.onTestModuleEnd(finished('test/a.test.ts', 1, 'failed'));
  reporter.onTestModuleEnd(finished('test/b.test.ts', 2));
  reporter.onTestModuleEnd(finished('test/c.test.ts', 3, 'skipped'));
  reporter.onTestRunEnd();
  expect(JSON.parse(readFileSync(notes, 'utf8'))).toEqual({
    files: {
      'test/a.test.ts': { seconds: 1, passed: false },
      'test/b.test.ts': { seconds: 2, passed: true },
      'test/c.test.ts': { seconds: 3, passed: true },
    },
  });
});

it('reports at the end of a late run which files ran, waited or took long, and how to continue', () => {
  vi.useFakeTimers();
  vi.stubEnv('GPUSORT_TEST_LIMIT_S', '60');
  const send = vi.fn();
  vi.stubGlobal('process', Object.create(process, { send: { value: send } }));
  const reporter = new Reporter();
  reporter.onInit();
  const [a, b, c] = ['a', 'b', 'c'].map((name) => finished(`test/${name}.test.ts`, 7));
  reporter.onTestRunStart([a, b, c]);
  reporter.onTestModuleQueued(a);
  reporter.onTestModuleQueued(b);
  reporter.onTestModuleEnd(a);
  vi.advanceTimersByTime(59_000);
  expect(said).toBe('');
  vi.advanceTimersByTime(1000);
  expect(send).toHaveBeenCalledExactlyOnceWith('late');
  expect(said).toContain('not finished after 60 s');
  expect(said).toContain('Running: test/b.test.ts\n');
  expect(said).toContain('Not started: 1 file\n  test/c.test.ts\n');
  expect(said).toContain('     7.0 s  test/a.test.ts\n');
  expect(said).toContain(`npm run test -- --after ${notes}\n`);
});
