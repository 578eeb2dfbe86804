/**
 * Recognizes inputs that are not lines as they are, by their names and first bytes. A compressed input is decompressed
 * if its suffix says the same, or if it is standard input. Files such as Parquet and ZIP are refused, with the command
 * that makes lines of them. `--decompress=never` keeps all bytes. Knows no options.
 */
import {
  detectCompression,
  isUndecided,
  type KnownCompression,
  type PackedForm,
  packedForm,
} from '../codecs/detect.js';
import { checkDecompressor, needsProgram, type ProgramCompression } from '../codecs/programs.js';
import type { SortJob } from '../job/job.js';
import { mayInflatePipes } from '../plan/device-codec.js';
import { whyNoGpu } from '../plan/facts.js';
import { suffixOf } from '../records/formats.js';
import { withFirst } from '../system/byte-source.js';
import { GpusortError } from '../system/errors.js';
import { asBuffer } from '../system/memory.js';
import { readWhile } from './decompress.js';
import { firstBytes, type InputFile } from './files.js';
import { withReplay } from './framed.js';
import { agrees, knownCompression, namedForm } from './misnamed.js';
import { readDescriptor } from './read-descriptor.js';

/** Bytes of an input that are examined: enough for the first lines of indented JSON. */
const HEAD_BYTES = 4096;
/** With more inputs, only those with the suffix of a compression are examined: each takes some 50 us. */
const MOST_EXAMINED = 1000;
const STANDARD_INPUT = 0;

/** The part of a job that says what its inputs may be. */
type Recognizing = Pick<SortJob, 'input' | 'ordering' | 'resources'>;

/** A file with what its first bytes show; others unchanged. `threads` is called only for compressed files. */
export function recognizedFile(input: InputFile, job: Recognizing, threads: () => number): InputFile {
  const { name, extent } = input;
  if (extent === null) return input;
  const named = namedForm(name, null);
  // The first bytes of binary records may be any, so only a name can say more.
  const isAny = isBinary(job) || job.input.files.length > MOST_EXAMINED;
  if (isAny && named === null) return input;
  // A file that cannot be read is reported when it is opened.
  const head = firstBytes(name, extent.begin, HEAD_BYTES);
  if (head === null) return input;
  const found = knownCompression(head, named);
  if (!isBinary(job)) refuse(input, head, job);
  const isCertain = name === null || (named !== null && !named.isBam && agrees(found, named));
  return found !== null && isCertain ? { ...decompressed(input, found, job, threads), compressed: true } : input;
}

/** Standard input, open, with what its first bytes show. */
export async function recognizedPipe(input: InputFile, job: SortJob, threads: () => number): Promise<InputFile> {
  if (isBinary(job)) return input;
  const { label } = input;
  const reader = input.source ?? readDescriptor(STANDARD_INPUT, label, { owned: false });
  // Records may come slowly: only bytes that may belong to such a form wait for others.
  const head = asBuffer(await readWhile(reader, isUndecided));
  refuse(input, head, job);
  const open = { ...input, source: withFirst(head, reader) };
  const compression = detectCompression(head);
  if (compression === null) return open;
  if (needsProgram(compression)) checkDecompressor(compression, label);
  const known = decompressed(open, compression, job, threads);
  return compression === 'bgzf' && mayInflatePipes(job, whyNoGpu() === null) ? withReplay(known) : known;
}

/** Throws `compress-failed` if a program that must decompress a file is missing, before anything is read. */
export function requirePrograms(inputs: readonly InputFile[]): void {
  const needed = new Map<ProgramCompression, string>();
  for (const { name, label, extent, format, compressed } of inputs.flatMap((input) => [input, ...input.mates])) {
    // Asking which forms need programs loads the codecs.
    const head = compressed ? firstBytes(name, extent!.begin) : null;
    if (head === null) continue;
    const form = knownCompression(head, namedForm(name, format));
    if (needsProgram(form) && !needed.has(form)) needed.set(form, label);
  }
  for (const [program, label] of needed) checkDecompressor(program, label);
}

const isBinary = ({ ordering }: Recognizing): boolean => ordering.format.kind === 'fixed';

function decompressed(
  input: InputFile,
  compression: KnownCompression,
  job: Recognizing,
  threads: () => number,
): InputFile {
  const program = compression === 'bgzf' ? 'gzip' : compression;
  return {
    ...input,
    ...{ decompress: true, threads: threads(), warnsOfCompression: false },
    ...(!isBinary(job) && {
      examines: (head: Buffer) => refuse(input, head, job, program),
    }),
  };
}

/** A form that is no text: its name in messages, and the command that makes lines of a file. */
interface Unpacking {
  readonly title: string;
  readonly command: (file: string) => string;
}

const QUERY = (file: string): string => `duckdb -csv -c "FROM '${file}'" | gpusort --csv ...`;
/** `format`: the end of the function of pandas that reads such a file. */
const PANDAS = (format: string) => (file: string) =>
  `python3 -c "import pandas; print(pandas.read_${format}('${file}').to_csv(index=False), end='')" | gpusort --csv ...`;

const UNPACKING: Readonly<Record<PackedForm, Unpacking>> = {
  parquet: { title: 'Parquet', command: QUERY },
  zip: { title: 'a ZIP archive', command: (file) => `unzip -p ${file} | gpusort ...` },
  arrow: { title: 'Arrow IPC (Feather)', command: PANDAS('feather') },
  cram: { title: 'CRAM', command: (file) => `samtools view -h ${file} | gpusort --format sam` },
  bcf: { title: 'BCF', command: (file) => `bcftools view ${file} | gpusort --format vcf` },
  bam: { title: 'BAM', command: (file) => `gpusort --by coordinate -o SORTED.bam ${file}` },
  avro: {
    title: 'Avro',
    command: (file) => `duckdb -csv -c "INSTALL avro; LOAD avro; FROM read_avro('${file}')" | gpusort --csv ...`,
  },
  orc: { title: 'ORC', command: PANDAS('orc') },
  sqlite: {
    title: 'a SQLite database',
    command: (file) => `sqlite3 -csv -header ${file} 'SELECT * FROM TABLE' | gpusort --csv ...`,
  },
  tar: { title: 'a tar archive', command: (file) => `tar -xOf ${file} | gpusort ...` },
};

/** The name of an input in commands, if a shell takes it as it is. */
const fileIn = ({ name, label }: InputFile): string => (name === null || label.includes("'") ? 'FILE' : label);

/**
 * Throws `bad-records` if an input that begins with `head` cannot be sorted as lines. `program` decompresses it, if it
 * is compressed.
 */
function refuse(input: InputFile, head: Buffer, job: Recognizing, program?: string): void {
  const { name, label } = input;
  const file = fileIn(input);
  const form = packedForm(head) ?? formOfName(name, head);
  if (form !== null) {
    const { title, command } = UNPACKING[form];
    throw new GpusortError('bad-records', `${label}: this is ${title}, which has no lines to sort`, {
      hint: `Sort its records: ${command(file)}; or sort its bytes as lines: --decompress=never.`,
    });
  }
  const { key } = job.ordering;
  const isJson = 'parts' in key && key.parts.some(({ path }) => path !== undefined);
  const filter = isJson ? linesFilter(head.toString('latin1', 0, HEAD_BYTES)) : null;
  if (filter === null) return;
  const jq = program === undefined ? `jq -c ${filter} ${file}` : `${program} -dc ${file} | jq -c ${filter}`;
  throw new GpusortError('bad-records', `${label}: this is indented JSON, not one value per line`, {
    hint: `Make lines of it: ${jq} | gpusort --json ...`,
  });
}

/** The form of BGZF that only its name shows. */
function formOfName(name: InputFile['name'], head: Uint8Array): PackedForm | null {
  const suffix = suffixOf(name?.toString('latin1') ?? '');
  return (suffix === 'bam' || suffix === 'bcf') && detectCompression(head) === 'bgzf' ? suffix : null;
}

/** The filter of jq that makes lines of JSON that begins with `text`; null: its first line is a value, or too long. */
function linesFilter(text: string): string | null {
  const [, first, open] = /^\s*(([[{]).*?)[ \t\r]*\n/.exec(text) ?? [];
  if (first === undefined) return null;
  try {
    JSON.parse(first);
    return null;
  } catch {
    // A line that is no value may also be damaged. A line of an indented value ends where the value goes on.
    if (!/[[{,]$/.test(first)) return null;
    return open === '[' ? `'.[]'` : '.';
  }
}
