/**
 * The rows of genomics: reads, alignments and intervals, beside the programs of Debian that people sort them with. Runs
 * nothing.
 */
import { CPU, line } from './row-makers.mjs';

/**
 * A row of genomics. Its programs other than gpusort are in `shells`: bash commands, with the input as `$1`, the output
 * as `$2`, and the input and output of mates as `$3` and `$4`.
 * @param {string} id
 * @param {string} title
 * @param {string} input a name of genomics-inputs.mjs
 * @param {number} records of simulated inputs
 * @param {number} bytes approximately
 * @param {string} format of the records, for the check
 * @param {readonly string[]} by options of the order
 * @param {object} more of Row, and: `form`, options of the output's form; `becomes`, an input that has the records of
 *   the output, if these are converted; `equal`, whether the output must be the first peer's, byte for byte; `mates`,
 *   whether there are two files
 */
function genomics(id, title, input, records, bytes, format, by, more = {}) {
  const { equal = true, mates = false, form = [], own = TWO_CORES, shells = {}, becomes = null, ...rest } = more;
  return {
    ...line(id, 'genomics', title, undefined, bytes, [...own, '--format', format, ...form], 2),
    order: by,
    programs: [...Object.keys(shells), 'gpusort'],
    format: 'genomics',
    shells,
    genomics: { format, by, input, records, becomes, equal, mates },
    ...rest,
  };
}
const TWO_CORES = [...CPU, '--parallel', '2'];

const ALIGNMENTS = 1_766_796;
const by = (order) => ['--by', order];
/** samtools with two threads; @PG would hold its command line. */
const samtools = (options) => ({ samtools: `exec samtools sort -@ 1 --no-PG ${options} -o "$2" "$1"` });
const alignments = (id, what, form, order, options, more = {}) =>
  genomics(
    id,
    `1.77 M alignments, ${what}, CPU`,
    `alignments.${form}`,
    ALIGNMENTS,
    form === 'sam' ? 300e6 : 81e6,
    form,
    by(order),
    { shells: samtools(`-O ${more.becomes ? 'bam' : form} ${options}`), ...more },
  );

const SEQKIT = (options) => ({ seqkit: `exec seqkit sort --quiet -j 2 ${options} -o "$2" "$1"` });
/** The order of reads by sequence with tools that every system has. */
const PASTE = `paste - - - - < "$1" | $SORT -t "$(printf '\\t')" -k2,2 -s | tr '\\t' '\\n'`;
const bySequence = (id, title, records, more = {}) =>
  genomics(id, `${title}, by sequence, CPU`, 'reads', records, records * 367, 'fastq', by('seq'), {
    shells: SEQKIT('-s'),
    shell: PASTE,
    programs: ['gnu shell', 'seqkit', 'gpusort'],
    ...more,
  });

/** FASTQ.gz to FASTQ.gz by similarity. The figure of interest is the size of the output. */
const SIMILAR = 'gpusort --output-format bgzf --level 1';
const bySimilarity = (id, title, input, bytes, more = {}) => {
  const gzip = ['gzip -dc "$1" | gzip -6 > "$2"', ...(more.mates ? ['gzip -dc "$3" | gzip -6 > "$4"'] : [])];
  return genomics(id, `${title}, by similarity, CPU`, input, 200_000, bytes, 'fastq', by('similar'), {
    equal: false,
    shells: { 'gzip -6': gzip.join(' && ') },
    once: ['gzip -6'],
    programs: ['gzip -6', SIMILAR, 'gpusort --output-format gzip --level 6', 'gpusort recompress'],
    ...more,
  });
};

const ON_GPU = {
  group: 'genomics-gpu',
  own: ['--engine', 'gpu'],
  programs: ['gpusort', 'cp'],
  equal: false,
  threads: 16,
};

/** BAM beside samtools with 16 threads. */
const manyAlignments = (id, what, level, own, more = {}) =>
  genomics(id, `10 M alignments, BAM, by coordinate, ${what}`, 'bam', 10e6, 1.5e9, 'bam', by('coordinate'), {
    ...ON_GPU,
    own,
    shells: { samtools: `exec samtools sort -@ 16 -l ${level} --no-PG -o "$2" "$1"` },
    form: ['--level', String(level)],
    programs: ['samtools', 'gpusort', 'cp'],
    ...more,
  });

/** @type {readonly import('./row-makers.mjs').Row[]} */
export const GENOMICS_ROWS = [
  alignments('g1', 'SAM, by coordinate', 'sam', 'coordinate', ''),
  alignments('g16', 'SAM to BAM, by coordinate, level 1', 'sam', 'coordinate', '-l 1', {
    form: ['--output-format', 'bam', '--level', '1'],
    becomes: 'alignments.bam',
  }),
  alignments('g2', 'SAM, by queryname', 'sam', 'queryname', '-n', { equal: false }),
  alignments('g3', 'BAM, by coordinate, level 0', 'bam', 'coordinate', '-l 0', { form: ['--level', '0'] }),
  alignments('g4', 'BAM, by coordinate, level 1', 'bam', 'coordinate', '-l 1', { form: ['--level', '1'] }),
  alignments('g5', 'BAM, by coordinate, default level', 'bam', 'coordinate', ''),
  alignments('g6', 'BAM, by queryname, default level', 'bam', 'queryname', '-n', { equal: false }),
  genomics('g7', '200,000 reads, natural by name, CPU', 'reads', 200_000, 73.5e6, 'fastq', by('natural'), {
    shells: SEQKIT('-N -n'),
    once: ['seqkit'],
  }),
  genomics('g8', '200,000 alignments, SAM, natural by name, CPU', 'sam', 200_000, 79.6e6, 'sam', by('queryname'), {
    shells: samtools('-O sam -n'),
    equal: false,
  }),
  genomics(
    'g9',
    '200,000 reads without comments, natural by name, CPU',
    'reads without comments',
    200_000,
    68e6,
    'fastq',
    by('natural'),
    {
      shells: {
        samtools: 'samtools import -u -0 "$1" | samtools sort -n -@ 1 -u - | samtools fastq -0 "$2" - > /dev/null',
      },
    },
  ),
  bySequence('g10', '200,000 reads', 200_000),
  // Some names occur twice, which seqkit refuses.
  bySequence('g11', '2 M reads', 2_000_000, { programs: ['gnu shell', 'gpusort'] }),
  genomics('g12', '2 M intervals of BED, CPU', 'bed', 2_000_000, 82e6, 'bed', by('position'), {
    shells: { 'sort-bed': 'exec sort-bed "$1" > "$2"' },
  }),
  bySimilarity('g13', '200,000 reads (14x), FASTQ.gz', 'reads.gz', 73.5e6),
  bySimilarity('g14', '200,000 pairs (14x each), FASTQ.gz', 'pairs.gz', 147e6, { mates: true }),
  bySimilarity('g15', '50,000 pairs of unicycler-data, FASTQ.gz', 'package pairs.gz', 30e6, { mates: true }),
  genomics('g20', '20 M reads of 150 bases, by sequence, GPU', 'reads', 20e6, 7.35e9, 'fastq', by('seq'), ON_GPU),
  genomics('g21', '20 M alignments, SAM, by coordinate, GPU', 'sam', 20e6, 7.96e9, 'sam', by('coordinate'), ON_GPU),
  manyAlignments('g22', 'level 1, 16 cores', 1, [...CPU], {
    programs: ['samtools', 'gpusort', 'gpusort recompress', 'cp'],
  }),
  manyAlignments('g23', 'level 1, GPU', 1, []),
  manyAlignments('g24', 'level 0, GPU', 0, []),
  manyAlignments('g25', 'default level, GPU', 6, []),
];
