/**
 * The lines of a header that name a program and its command line: @PG of SAM and BAM, chained as by samtools (SAM
 * specification, section 1.3), and ##gpusortVersion and ##gpusortCommand of VCF. Pure functions of bytes; strings have
 * one character per byte.
 */
import type { ProgramRun } from '../job/job.js';

const NAME = 'gpusort';

/**
 * A SAM header with lines for this program after its last @PG line, otherwise at its end: one line for each program at
 * the end of a chain of several or, if there is no chain, one for the last program.
 */
export function withProgram(header: Uint8Array, { version, command }: ProgramRun): Buffer {
  const lines = linesOf(header);
  const programs = lines.filter((line) => line.startsWith('@PG\t')).map(fieldsOf);
  const ids = new Set(programs.map(({ ID }) => ID));
  const added = lastPrograms(programs, ids).map((previous) => {
    const id = newId(ids);
    ids.add(id);
    const chain = previous === null ? [] : [`PP:${previous}`];
    return ['@PG', `ID:${id}`, `PN:${NAME}`, ...chain, `VN:${version}`, `CL:${inOneField(command)}`].join('\t');
  });
  const last = lines.findLastIndex((line) => line.startsWith('@PG\t'));
  return inserted(lines, last < 0 ? lines.length : last + 1, added);
}

/** A VCF header with lines for this program before the line of column names. */
export function withCommand(header: Uint8Array, { version, command }: ProgramRun): Buffer {
  const lines = linesOf(header);
  const at = lines.findIndex((line) => line.startsWith('#CHROM'));
  const added = [`##${NAME}Version=${version}`, `##${NAME}Command=${inOneField(command)}`];
  return inserted(lines, at < 0 ? lines.length : at, added);
}

type Fields = Readonly<Record<string, string>>;

/** The IDs of the programs to chain to; null: there is none. */
function lastPrograms(programs: readonly Fields[], ids: ReadonlySet<string | undefined>): readonly (string | null)[] {
  const previous = new Set(programs.map(({ PP }) => PP));
  const ends = programs.filter(
    ({ ID, PP }) => ID !== undefined && ids.has(PP) && PP !== undefined && !previous.has(ID),
  );
  if (ends.length > 0) return ends.map(({ ID }) => ID);
  return [programs.findLast(({ ID }) => ID !== undefined)?.ID ?? null];
}

function newId(ids: ReadonlySet<string | undefined>): string {
  for (let number = 0; ; number++) {
    const id = number === 0 ? NAME : `${NAME}.${number}`;
    if (!ids.has(id)) return id;
  }
}

/** The fields of a header line by their names. */
function fieldsOf(line: string): Fields {
  const fields = line.trimEnd().split('\t').slice(1);
  return Object.fromEntries(fields.map((field) => [field.slice(0, 2), field.slice(3)]));
}

const inOneField = (text: string): string => text.replace(/[\t\n\r]/g, ' ');

/** The lines of a header with their ends. */
function linesOf(header: Uint8Array): string[] {
  return Buffer.from(header)
    .toString('latin1')
    .split(/(?<=\n)/)
    .filter((line) => line !== '');
}

/** The lines with `added` inserted before line number `at`. Added lines get the line end of the first line. */
function inserted(lines: readonly string[], at: number, added: readonly string[]): Buffer {
  const end = lines[0]?.endsWith('\r\n') ? '\r\n' : '\n';
  const before = lines.slice(0, at).map((line) => (line.endsWith('\n') ? line : `${line}\n`));
  return Buffer.from([...before, ...added.map((line) => line + end), ...lines.slice(at)].join(''), 'latin1');
}
