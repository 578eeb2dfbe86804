/**
 * Finds the format and the compression that --output-format and the suffix of -o request for an output of alignments.
 * Refuses a name that contradicts what would be written.
 */
import type { AlignmentFormat, CompressedForm, FormatName, Genomics } from '../../job/job.js';
import { COMPRESSED_SUFFIXES, formatOfName, suffixOf } from '../../records/formats.js';
import { quoteName } from '../../report/names.js';
import { GpusortError } from '../../system/errors.js';
import { toName } from './argv.js';
import type { AlignmentForm, Values } from './option-values.js';

/** The format and the compression that each word of --output-format for alignments means. */
const ALIGNMENTS = {
  sam: { format: 'sam', form: 'plain' },
  'sam.gz': { format: 'sam', form: 'bgzf' },
  bam: { format: 'bam', form: 'bgzf' },
} as const satisfies Record<AlignmentForm, object>;

type PlainOrCompressed = 'plain' | CompressedForm;

/** The output: the format of its records, and how they are compressed. */
interface WrittenForm {
  readonly format: FormatName;
  readonly form: PlainOrCompressed;
}

const isAlignmentForm = (word: string): word is AlignmentForm => word in ALIGNMENTS;
const isAlignments = (format: FormatName | null): format is AlignmentFormat => format === 'sam' || format === 'bam';

/**
 * Throws if --output-format names a format of alignments and the records are not alignments. `genomics` is null for
 * lines.
 */
export function refuseAlignmentForm({ outputFormat }: Values, genomics: Genomics | null): void {
  if (outputFormat === undefined || !isAlignmentForm(outputFormat)) return;
  if (genomics === null)
    throw usage(`--output-format ${outputFormat} needs --format or --by`, 'Add --format sam or --format bam.');
  if (!isAlignments(genomics.format))
    throw usage(
      `--output-format ${outputFormat} is not for ${genomics.format}`,
      'Alignments are converted: sam to bam, and bam to sam.',
    );
}

/** The form in which the records of a format are written. */
export function writtenForm(values: Values, { format }: Genomics): WrittenForm {
  const { outputFormat, output, check } = values;
  const suffix = suffixOf(output ?? '');
  const named = output === undefined || check !== undefined ? null : formatOfName(output);
  if (suffix === 'bcf') throw refusedBcf(output!);
  if (suffix === 'cram' && isAlignments(format) && check === undefined) throw refusedCram(output!);
  const asked = outputFormat !== undefined && isAlignmentForm(outputFormat) ? ALIGNMENTS[outputFormat] : null;
  const written = asked?.format ?? (isAlignments(format) && isAlignments(named) ? named : format);
  const usual = written === 'bam' ? 'bgzf' : (COMPRESSED_SUFFIXES[suffix] ?? 'plain');
  const form = asked?.form ?? (outputFormat as PlainOrCompressed | undefined) ?? usual;
  if (named !== null && (isAlignments(named) || isAlignments(format)))
    refuseName(output!, suffix, named, { format: written, form });
  return { format: written, form };
}

/**
 * The form of the file of --dupes-output, whose records are not alignments. `recognizes`: its suffix decides for lines
 * too.
 */
export function formOfDuplicates(
  file: string,
  values: Values,
  genomics: Genomics | null,
  recognizes: boolean,
): PlainOrCompressed {
  if (genomics === null || values.outputFormat !== undefined) return formOfLines(values, recognizes ? file : undefined);
  const suffix = suffixOf(file);
  if (suffix === 'bcf') throw refusedBcf(file);
  return COMPRESSED_SUFFIXES[suffix] ?? 'plain';
}

/** The form of an output of plain lines. `named`: its name, if the suffix decides without --output-format. */
export function formOfLines({ outputFormat }: Values, named = ''): PlainOrCompressed {
  const form = outputFormat ?? COMPRESSED_SUFFIXES[suffixOf(named)] ?? 'plain';
  return isAlignmentForm(form) ? 'plain' : form;
}

/** Throws if the name of the output contradicts its content. */
function refuseName(output: string, suffix: string, named: FormatName, { format, form }: WrittenForm): void {
  const name = quoteName(toName(output));
  if (named !== format)
    throw usage(
      `-o ${name} is a name for ${named}, but the output is ${format}`,
      isAlignments(format) && isAlignments(named)
        ? `Leave out --output-format: the suffix of ${name} decides.`
        : `Name the output as ${format}.`,
    );
  if (!isAlignments(format)) return;
  const fitting: readonly PlainOrCompressed[] = format === 'bam' ? ['bgzf', 'plain'] : formsOf(suffix);
  if (fitting.includes(form)) return;
  const nearest = fitting[0] === 'plain' ? 'uncompressed' : fitting[0];
  throw usage(
    `-o ${name} is a name for ${nearest} ${format}, but the output is ${form}`,
    `Leave out --output-format: the suffix of ${name} decides.`,
  );
}

/** The compressions that the suffix of a SAM file can mean. */
function formsOf(suffix: string): readonly PlainOrCompressed[] {
  const form = COMPRESSED_SUFFIXES[suffix];
  if (form === undefined) return ['plain'];
  return form === 'bgzf' ? ['bgzf', 'gzip'] : [form];
}

function refusedBcf(output: string): GpusortError {
  const file = quoteName(toName(output));
  return usage(`gpusort does not write BCF: ${file}`, `Convert it: gpusort ... | bcftools view -O b -o ${file}`);
}

function refusedCram(output: string): GpusortError {
  const name = quoteName(toName(output));
  return usage(
    'gpusort does not write CRAM',
    `Use a pipeline: gpusort --output-format bam --level 0 ... | samtools view -C -T genome.fa -o ${name} -`,
  );
}

function usage(message: string, hint: string): GpusortError {
  return new GpusortError('usage', message, { hint });
}
