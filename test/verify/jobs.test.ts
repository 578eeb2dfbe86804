/**
 * --verify end to end on the CPU engine, with options read as on the command line. battery.gpu.test.ts runs the jobs of
 * the GPU engine.
 */
import { describe, expect, it } from 'vitest';
import { surroundings } from '../../src/cli/parse/environment.js';
import { parseArguments } from '../../src/cli/request.js';
import { digestOf } from '../support/digests.js';
import { FILES, file, NEWLINE, recordsOf, verified, verify, verifyInputs } from './cases.js';

verifyInputs();

describe('the CPU engine', () => verified('cpu', ['4K', '1M']));

describe('a language', () => {
  it.each(['--locale de', '--locale sv -k2,2 -s', '--locale de -u', '--locale en --segments blank'])(
    'computes the same hash of input and output in a language: %s',
    async (options) => {
      const { verified } = await verify(['--chunk-size=4K', ...options.split(' '), file('lines')]);
      expect(verified!.input).toEqual(digestOf(recordsOf(FILES.lines.text, NEWLINE)));
    },
  );
});

it('adds up the counts of reads under --verify', async () => {
  const { verified, output } = await verify(['--by', 'seq', '--format', 'fastq', '-u', '--count', file('reads')]);
  expect(verified!.input.records).toBe(600);
  const counts = [...output.toString().matchAll(/^@\d+ count=(\d+)\n[ACGT]{2}\n\+\n@@\n/gm)].map(([, n]) => Number(n));
  expect([counts.length, counts.reduce((a, b) => a + b)]).toEqual([16, 600]);
});

it('rejects --verify with -c and -C', () => {
  for (const letter of ['c', 'C']) {
    expect(() => parseArguments([`-${letter}`, '--verify', 'x'], { ...surroundings(), programName: 'sort' })).toThrow(
      `options '-${letter}' and '--verify' are incompatible`,
    );
  }
});

it('fails with a remedy under --verify if inputs of -m are not in order', async () => {
  await expect(verify(['-m', file('lines')])).rejects.toMatchObject({
    code: 'verify-failed',
    exitCode: 2,
    hint: expect.stringContaining('gpusort -c'),
  });
});
