/**
 * Turns the options for genomics data and compressed files into settings of a job. Refuses incompatible ones.
 */
import type {
  AlignmentFormat,
  CombinedIds,
  CompressedForm,
  DuplicatesFile,
  FileName,
  FormatName,
  Framing,
  Genomics,
  OutputCompression,
  ProgramRun,
  ToolName,
} from '../../job/job.js';
import { isByPlace, namedOrders, renamedOrders } from '../../job/order-list.js';
import type { Ordering } from '../../job/ordering.js';
import { partsOf } from '../../keys/orders.js';
import { COMPRESSED_SUFFIXES, FORMATS, suffixOf } from '../../records/formats.js';
import { quoteName } from '../../report/names.js';
import { GpusortError } from '../../system/errors.js';
import { toInput, toName } from './argv.js';
import { formOfDuplicates, formOfLines, refuseAlignmentForm, writtenForm } from './converted.js';
import { needsEqual, type Values } from './option-values.js';
import { remediesFor } from './other-tools.js';
import { incompatible, nearest } from './usage.js';
import { quoteLikeC } from './values.js';

/** The formats that each tool sorts. */
const TOOL_FORMATS: Readonly<Record<ToolName, readonly FormatName[]>> = {
  samtools: ['sam', 'bam'],
  picard: ['sam', 'bam'],
  'sort-bed': ['bed'],
  bcftools: ['vcf'],
};
/** The orders for --as picard. Picard always compares names by their bytes. */
const PICARD_ORDERS = ['coordinate', 'queryname', 'queryname-ascii'];
const TAG = /^tag:[A-Za-z][A-Za-z0-9]$/;
/** The formats for which --contigs is allowed. For other formats, the header gives the order. */
const INTERVALS: readonly FormatName[] = ['bed', 'vcf', 'gff'];
const READS: readonly FormatName[] = ['fastq', 'fasta'];
const ALIGNMENTS: readonly FormatName[] = ['sam', 'bam'];
/** The formats whose headers name programs. */
const WITH_PROGRAMS: readonly FormatName[] = [...ALIGNMENTS, 'vcf'];
const INDEXED: readonly FormatName[] = ['bam', 'bed', 'vcf', 'gff'];
/** The default level for BAM in samtools, which is the default of zlib. */
const BAM_LEVEL = 6;
const TEXT_LEVEL = 1;
const LEVELS = {
  gzip: { least: 0, most: 9 },
  bgzf: { least: 0, most: 9 },
  zstd: { least: 1, most: 19 },
  xz: { least: 0, most: 9 },
  bzip2: { least: 1, most: 9 },
  lz4: { least: 1, most: 12 },
} as const;

/** Whether the options ask for the format of the first input. */
export const mustGuess = ({ format, by, check }: Values): boolean =>
  format === undefined && (by !== undefined || check?.orders === true);

/** The values for genomics data: an output of `-` is standard output, as in other tools of this field. */
export const withStandardOutput = ({ output, ...values }: Values): Values =>
  output === undefined || (output === '-' && (values.format !== undefined || mustGuess(values)))
    ? values
    : { ...values, output };

/** The format and the order; null: records are plain. `guessed`: the format without --format. `run`: for --pg. */
export function genomicsOf(values: Values, guessed: FormatName | null, run: () => ProgramRun): Genomics | null {
  const format = values.format ?? guessed;
  if (format === null) {
    if (!mustGuess(values)) refuseWithoutFormat(values);
    return null;
  }
  const by = orderOf(format, values.by);
  const as = values.as ?? null;
  if (as !== null && !TOOL_FORMATS[as].includes(format))
    throw usage(`--as ${as} is not for ${format}`, `It is for ${TOOL_FORMATS[as].join(' and ')}.`);
  if (as === 'picard' && !PICARD_ORDERS.includes(by))
    throw usage(`Picard has no order ${by}`, 'Its orders are coordinate and queryname.');
  if (as !== null && !isWhole(format, by)) throw usage(`--as ${as} has no order ${by}`, 'Leave out --as.');
  if (values.contigs !== undefined && !INTERVALS.includes(format))
    throw usage(`--contigs is not for ${format}`, `It is for ${INTERVALS.join(', ')}.`);
  if (values.contigs !== undefined && !namedOrders(by).some(({ name }) => name === 'position' || name === 'contig'))
    throw usage(
      `--contigs has no effect on the order ${by}`,
      'Add contig to the list of --by, or leave out --contigs.',
    );
  if (values.count && !READS.includes(format))
    throw usage(`--count is not for ${format}`, `It is for ${READS.join(' and ')}.`);
  for (const name of ['combineRg', 'combinePg'] as const)
    if (values[name] && !ALIGNMENTS.includes(format))
      throw usage(`--${optionOf(name)} is not for ${format}`, `It is for ${ALIGNMENTS.join(' and ')}.`);
  if (values.unique && ALIGNMENTS.includes(format))
    throw usage(`-u is not for ${format}`, remediesFor('samtools', '-u')[0]);
  if (values.dupesOutput !== undefined && ALIGNMENTS.includes(format))
    throw usage(`--dupes-output is not for ${format}`, `It is for ${[...READS, ...INTERVALS].join(', ')}.`);
  for (const name of ['interleaved', 'mate'] as const)
    if (values[name] !== undefined && format !== 'fastq')
      throw usage(`--${name} is not for ${format}`, 'It is for fastq.');
  if (values.pg && !WITH_PROGRAMS.includes(format))
    throw usage(`--pg is not for ${format}`, `It is for ${WITH_PROGRAMS.join(', ')}.`);
  return { format, guessed: values.format === undefined, by, as, program: values.pg ? run() : null };
}

function refuseWithoutFormat(values: Values): void {
  const needy = (['as', 'contigs', 'mate', 'interleaved', 'combineRg', 'combinePg', 'index', 'pg'] as const).find(
    (name) => values[name] !== undefined,
  );
  if (needy !== undefined) throw usage(`--${optionOf(needy)} needs --format or --by`, 'Add --format FORMAT.');
}

/** The long name of the option whose value is called `name`. */
const optionOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** How headers of several inputs are united; null: they must be equal. */
export function combinedOf({ combineRg, combinePg }: Values, genomics: Genomics | null): CombinedIds | null {
  if (genomics === null || !ALIGNMENTS.includes(genomics.format)) return null;
  return { readGroups: combineRg ?? false, programs: combinePg ?? false };
}

/** The orders of --by, with synonyms replaced by the orders' own names. */
function orderOf(format: FormatName, by: string | undefined): string {
  const { orders, fieldOrders, synonyms } = FORMATS[format];
  if (by === undefined) return orders[0];
  const known = [...orders, ...fieldOrders];
  const nameOf = (name: string): string => (Object.hasOwn(synonyms, name) ? synonyms[name] : name);
  const unknown = namedOrders(by).find(({ name }) => !isKnown(known, nameOf(name)));
  if (unknown === undefined) return renamedOrders(by, nameOf);
  const similar = nearest(unknown.name, [...known, ...Object.keys(synonyms)]);
  const meant = similar === undefined ? undefined : nameOf(similar);
  throw usage(
    `invalid order ${quoteLikeC(unknown.name)} for ${format}`,
    `The orders of ${format} are ${known.join(', ')}.${meant === undefined ? '' : ` Did you mean '${meant}'?`}`,
  );
}

const isKnown = (orders: readonly string[], name: string): boolean =>
  orders.includes(name) ? name !== 'tag:XX' || TAG.test(name) : orders.includes('tag:XX') && TAG.test(name);

/** Whether --by is a single order of whole records, not reversed. Only such orders exist in other tools. */
const isWhole = (format: FormatName, by: string): boolean => isKnown(FORMATS[format].orders, by);

/** How records of a format are ordered; always stable. */
export function orderingOfFormat(genomics: Genomics, values: Values): Ordering {
  const reverse = (values as { reverse?: true }).reverse === true;
  const { contigs } = values;
  const listed = contigs === undefined ? null : contigs === 'natural' ? 'natural' : 'list';
  const parts = partsOf(genomics, listed).map((part) =>
    part.order === 'comment' ? part : { ...part, reverse: part.reverse !== reverse },
  );
  const endsInNul = framingOf(genomics, values)?.kind.startsWith('fast') === true;
  return {
    format: { kind: 'lines', delimiter: endsInNul ? 0 : 10 },
    key: { kind: 'normalized', parts, seed: null },
    reverse,
    unique: (values.unique ?? false) && !needsEqual(values),
    lastResort: false,
  };
}

export function framingOf({ format }: Genomics, { interleaved, mate = [] }: Values): Framing | null {
  return format === 'fastq' ? { kind: 'fastq', reads: interleaved ? 2 : 1 + mate.length } : FORMATS[format].framing;
}

/** --mate and --mate-out, in pairs. */
export function matesOf({
  mate = [],
  mateOut = [],
  check,
}: Values): readonly { readonly input: FileName; readonly output: FileName }[] {
  if (check !== undefined && mateOut.length === 0)
    return mate.map((input) => ({ input: toInput(input), output: null }));
  if (mate.length !== mateOut.length)
    throw usage(
      `${mate.length} --mate but ${mateOut.length} --mate-out`,
      'Give one --mate-out for each --mate, in the same order.',
    );
  return mate.map((input, i) => ({ input: toInput(input), output: toName(mateOut[i]) }));
}

/** Throws if reads of --mate would belong to several inputs, or two inputs are standard input. */
export function refuseInputsOfMates(inputs: readonly FileName[], mates: readonly FileName[]): void {
  if (mates.length === 0) return;
  if (inputs.length > 1)
    throw usage(
      `extra operand ${quoteName(inputs[1] ?? Buffer.from('-'))} not allowed with --mate`,
      'Sort one file with its mates, or concatenate the files of each mate first.',
    );
  if ([...inputs, ...mates].filter((name) => name === null).length > 1)
    throw usage('standard input cannot be both the input and its mate', 'Name a file for one of them.');
}

/** How the output is compressed; null: it is not compressed. `recognizes`: the suffix of -o decides for lines too. */
export function compressionOf(
  values: Values,
  genomics: Genomics | null,
  recognizes: boolean,
): OutputCompression | null {
  const { level, output, outputFormat } = values;
  // The rest loads the tables of formats.
  if (genomics === null && level === undefined && outputFormat === undefined && !(recognizes && isCompressed(output)))
    return null;
  // Before a format has been guessed, nothing is refused.
  if (genomics !== null || !mustGuess(values)) refuseAlignmentForm(values, genomics);
  const written = genomics === null ? null : writtenForm(values, genomics);
  const isBam = written?.format === 'bam';
  const kind = written?.form ?? formOfLines(values, recognizes ? output : undefined);
  if (kind !== 'plain') return compressed(kind, level, isBam ? BAM_LEVEL : TEXT_LEVEL);
  const isForOthers = (duplicatesOf(values, genomics, recognizes)?.compression ?? null) !== null;
  if (level === undefined || (genomics === null && mustGuess(values)) || isForOthers) return null;
  throw usage('--level needs compressed output', 'Add --output-format gzip, bgzf or zstd.');
}

const isCompressed = (output = ''): boolean => COMPRESSED_SUFFIXES[suffixOf(output)] !== undefined;

/** The file of --dupes-output; null without the option. `recognizes`: its suffix decides for lines too. */
export function duplicatesOf(values: Values, genomics: Genomics | null, recognizes: boolean): DuplicatesFile | null {
  const { dupesOutput, level } = values;
  if (dupesOutput === undefined) return null;
  const kind = formOfDuplicates(dupesOutput, values, genomics, recognizes);
  return {
    file: toName(dupesOutput),
    compression: kind === 'plain' ? null : compressed(kind, level, TEXT_LEVEL),
  };
}

/**
 * The output's compression. `usual`: the level if none was given. Throws `usage` if the compression has no such level.
 */
function compressed(kind: CompressedForm, level: number | undefined, usual: number): OutputCompression {
  const { least, most } = LEVELS[kind];
  if (level !== undefined && (level > most || level < least))
    throw usage(`invalid --level argument '${level}'`, `Levels of ${kind} are ${least} to ${most}.`);
  return { kind, level: level ?? usual };
}

/** The format that alignments are converted to; null: they are not converted. */
export function conversionOf(values: Values, genomics: Genomics | null): AlignmentFormat | null {
  if (genomics === null || values.check !== undefined) return null;
  const { format } = writtenForm(values, genomics);
  if (format === genomics.format) return null;
  if (values.cluster !== undefined)
    throw usage(
      `--cluster does not convert ${genomics.format} to ${format}`,
      `Convert the sorted file: gpusort -m --format ${genomics.format} --output-format ${format} FILE`,
    );
  return format as AlignmentFormat;
}

/** Throws if --index is given and no index can be written. */
export function refuseIndex(values: Values, genomics: Genomics | null, form: OutputCompression | null): void {
  if (values.index === undefined || genomics === null) return;
  const { by } = genomics;
  const { format } = writtenForm(values, genomics);
  if (!INDEXED.includes(format)) throw usage(`--index is not for ${format}`, `It is for ${INDEXED.join(', ')}.`);
  if (!isByPlace(by))
    throw usage(`--index needs the order coordinate, not ${by}`, 'Leave out --by, or leave out --index.');
  if (values.output === undefined) throw usage('--index needs -o FILE', 'The index is written beside FILE.');
  if (form?.kind !== 'bgzf') throw usage('--index needs bgzf output', 'Add --output-format bgzf.');
  if ((values as { reverse?: true }).reverse) throw incompatible('--index', '-r');
}

function usage(message: string, hint: string): GpusortError {
  return new GpusortError('usage', message, { hint });
}
