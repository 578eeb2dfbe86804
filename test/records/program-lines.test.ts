/** The lines of --pg. The chains of @PG are those that samtools 1.16 makes of the same headers. */
import { describe, expect, it } from 'vitest';
import { withCommand, withProgram } from '../../src/records/program-lines.js';
import { errorOf, jobOf } from '../cli/arguments.js';

const RUN = { version: '1.2.3', command: 'gpusort --pg\ta\nb' };
const REST = 'VN:1.2.3\tCL:gpusort --pg a b\n';
const lines = (...all: string[]): string => all.map((line) => `${line}\n`).join('');
const added = (header: string): string[] =>
  withProgram(Buffer.from(header), RUN)
    .toString()
    .split(/(?<=\n)/)
    .filter((line) => line.endsWith(REST))
    .map((line) => line.slice('@PG\t'.length, -REST.length - 1));

describe('@PG', () => {
  it.each([
    ['no program', [], ['ID:gpusort\tPN:gpusort']],
    ['programs without a chain', ['ID:b', 'ID:x'], ['ID:gpusort\tPN:gpusort\tPP:x']],
    [
      'two chains',
      ['ID:b', 'ID:c\tPP:b', 'ID:x', 'ID:y\tPP:x'],
      ['ID:gpusort\tPN:gpusort\tPP:c', 'ID:gpusort.1\tPN:gpusort\tPP:y'],
    ],
    [
      'a chain that divides',
      ['ID:b', 'ID:c\tPP:b', 'ID:d\tPP:b'],
      ['ID:gpusort\tPN:gpusort\tPP:c', 'ID:gpusort.1\tPN:gpusort\tPP:d'],
    ],
    ['a chain beside a program', ['ID:c\tPP:b', 'ID:b', 'ID:z'], ['ID:gpusort\tPN:gpusort\tPP:c']],
    ['an unknown predecessor', ['ID:c\tPP:none', 'ID:b', 'ID:z'], ['ID:gpusort\tPN:gpusort\tPP:z']],
    ['names that are taken', ['ID:gpusort', 'ID:gpusort.1', 'ID:x'], ['ID:gpusort.2\tPN:gpusort\tPP:x']],
    ['a line without ID', ['ID:x', 'PN:y'], ['ID:gpusort\tPN:gpusort\tPP:x']],
  ])('is chained as by samtools: %s', (_, programs, expected) => {
    expect(added(lines('@SQ\tSN:a\tLN:9', ...programs.map((program) => `@PG\t${program}`), '@CO\tx'))).toEqual(
      expected,
    );
  });

  it('follows the last @PG line, else all lines', () => {
    const line = `@PG\tID:gpusort\tPN:gpusort\t${REST}`;
    const chained = `@PG\tID:gpusort\tPN:gpusort\tPP:b\t${REST}`;
    expect(withProgram(Buffer.from('@PG\tID:b\n@CO\tx\n'), RUN).toString()).toBe(`@PG\tID:b\n${chained}@CO\tx\n`);
    expect(withProgram(Buffer.from('@HD\tVN:1.6\n@CO\tx'), RUN).toString()).toBe(`@HD\tVN:1.6\n@CO\tx\n${line}`);
    expect(withProgram(Buffer.from('@CO\tx\r\n'), RUN).toString()).toBe(`@CO\tx\r\n${line.replace('\n', '\r\n')}`);
  });
});

it('##gpusortCommand precedes the names of columns in VCF', () => {
  const header = lines('##fileformat=VCFv4.2', '##x', '#CHROM\tPOS');
  expect(withCommand(Buffer.from(header), RUN).toString()).toBe(
    lines('##fileformat=VCFv4.2', '##x', '##gpusortVersion=1.2.3', '##gpusortCommand=gpusort --pg a b', '#CHROM\tPOS'),
  );
});

describe('--pg', () => {
  it('takes the command line as it was given', () => {
    const { genomics } = jobOf('--format sam --pg -S 5M x', { programName: 'gpusort' }).input;
    expect(genomics!.program).toEqual({ version: '1.2.3', command: 'gpusort --format sam --pg -S 5M x' });
    expect(jobOf('--format sam x').input.genomics!.program).toBeNull();
  });

  it('is for formats whose headers name programs', () => {
    expect(errorOf('--format bed --pg x').message).toBe('--pg is not for bed');
    expect(errorOf('--pg x').message).toBe('--pg needs --format or --by');
    expect(errorOf('--format sam -c --pg x').message).toBe("options '--pg' and '-c' are incompatible");
  });
});
