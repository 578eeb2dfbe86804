/** Tasks that die, and files of the job directory that are damaged: the same bytes, or one clear message. */
import { cpSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Fault, Place } from './faulty.js';

describe('a task', () => {
  const dying: [string, Fault, RegExp][] = [
    ['kill -9 in the first phase', ['share-0001', 'kill', 1], /^gpusort: warning: share-0001 was ended by SIGKILL, as/],
    [
      'kill -9 in the second phase',
      ['range-0002', 'kill', 2],
      /^gpusort: warning: range-0002 was ended by SIGKILL, as/,
    ],
    ['running out of memory', ['share-0000', 'abort', 1], /^gpusort: warning: share-0000 was ended by SIGABRT; it is/],
    ['ending early', ['range-0000', 'exit', 1], /^gpusort: warning: range-0000 ended with status 9; it is started/],
  ];
  it.each(dying)('is started again after %s', (_, fault, warning) => {
    const place = new Place();
    const { status, stderr } = place.run([], fault);
    expect(stderr).toMatch(warning);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(status).toBe(0);
    place.expectSorted();
  });

  it('that always dies ends the sort after three attempts, and the same command goes on', async () => {
    const place = new Place();
    const { status, stderr } = place.run([], ['share-0002', 'exit']);
    const [warning, error, log, next, ...more] = stderr.split('\n');
    expect(warning).toBe('gpusort: warning: share-0002 ended with status 9; it is started again');
    expect(error).toBe('gpusort: share-0002 of this host ended with status 9: fell over');
    expect(log).toBe(`All that it printed is in ${place.job}/log/share-0002.`);
    expect(next).toMatch(/^The same command goes on where this one stopped; to give up: rm -r .*\.job .*\.sorted$/);
    expect(more).toEqual(['']);
    expect(status).toBe(2);
    expect(await place.happened(3)).toHaveLength(3);
    expect(existsSync(place.output)).toBe(false);
    expect(place.temporary()).toEqual([]);
    expect(place.run()).toMatchObject({ status: 0, stderr: '' });
    place.expectSorted();
  });
});

/** Flips a bit of the byte at `at`; counted from the end if negative. */
function flip(file: string, at: number): void {
  const bytes = readFileSync(file);
  bytes[at < 0 ? bytes.length + at : at] ^= 4;
  writeFileSync(file, bytes);
}

/** The byte of an index at which the list of all marks begins; before it is the sample, after it are checksums. */
function marksOf(index: string): number {
  const header = JSON.parse(readFileSync(index).subarray(9, 1024).toString('latin1')) as Record<string, number>;
  return 1024 + Math.ceil((header.marks - header.first) / header.step) * (48 + header.headBytes);
}

describe('damage', () => {
  // Each run has several marks.
  const place = new Place(50_000);
  const saved = `${place.job}.saved`;
  let text = '';

  const restore = (): void => {
    rmSync(place.job, { recursive: true, force: true });
    rmSync(place.output, { force: true });
    cpSync(saved, place.job, { recursive: true });
    writeFileSync(text, readFileSync(`${place.directory}.text`));
  };

  it('begins with a job of which two ranges are missing', () => {
    expect(place.prepare()).toMatchObject({ status: 0, stderr: '' });
    place.tasks('share-0000', 'share-0001', 'share-0002', 'splitters', 'range-0001');
    text = join(place.directory, place.names().find((name) => name.endsWith('.sorted'))!);
    cpSync(place.job, saved, { recursive: true });
    cpSync(text, `${place.directory}.text`);
  });

  const run = (name: string): string => join(place.job, 'shares', name);
  const cases: [string, () => void, RegExp][] = [
    ['nothing', () => {}, /^$/],
    ['a run cut short', () => truncateSync(run('0001.run'), 700), /cannot be read|is damaged/],
    ['a run without text', () => truncateSync(run('0002.run'), 0), /cannot be read|is damaged/],
    ['no run', () => rmSync(run('0000.run')), /cannot be read/],
    ['a bit of a run', () => flip(run('0000.run'), -100), /is damaged/],
    ['the header of an index', () => flip(run('0000.index'), 100), /is damaged/],
    ['a sample of an index', () => flip(run('0001.index'), 1024 + 20), /is damaged/],
    ['a mark of an index', () => flip(run('0001.index'), marksOf(run('0001.index')) + 25), /is damaged/],
    ['a checksum of an index', () => flip(run('0002.index'), -1), /is damaged|^$/],
    ['an index cut short', () => truncateSync(run('0002.index'), 1100), /cannot be read/],
    ['the splitters', () => flip(join(place.job, 'splitters.json'), 60), /^$/],
    ['splitters cut short', () => truncateSync(join(place.job, 'splitters.json'), 60), /^$/],
    ['the marker of a range', () => flip(join(place.job, 'ranges/0001.json'), 45), /0001\.json is damaged; it was/],
    ['the edges of a range', () => flip(join(place.job, 'ranges/0001.edges'), 500), /0001\.edges is damaged; it was/],
    ['no edges of a range', () => rmSync(join(place.job, 'ranges/0001.edges')), /0001\.edges is damaged; it was/],
    ['an error', () => writeFileSync(join(place.job, 'errors/range-0000.json'), 'x'), /^$/],
  ];
  it.each(cases)('of %s is repaired', (_, damage, message) => {
    restore();
    damage();
    const { status, stderr } = place.run();
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/internal error|undefined/);
    expect(status).toBe(0);
    expect(readFileSync(place.output, 'latin1') === place.sorted).toBe(true);
    expect(existsSync(place.job) || existsSync(text)).toBe(false);
  });

  it('of the job file is refused', () => {
    restore();
    flip(join(place.job, 'job.json'), 500);
    const { status, stderr } = place.run();
    expect(stderr).toBe(
      `gpusort: ${place.job}/job.json is damaged\nRemove it (rm ${place.job}/job.json) and run the same command again.\n`,
    );
    expect(status).toBe(2);
    expect(existsSync(place.output)).toBe(false);
    rmSync(join(place.job, 'job.json'));
    expect(place.run()).toMatchObject({ status: 0, stderr: '' });
    expect(readFileSync(place.output, 'latin1') === place.sorted).toBe(true);
  });
});
