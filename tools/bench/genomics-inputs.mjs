/**
 * The inputs of the rows of genomics: simulated ones, and data of Debian packages if these are installed. An input that
 * several rows share is made once.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './commands.mjs';
import { generateGenomics, shuffleAlignments } from './genomics-data.mjs';

/** A BAM in gzip, as Debian compresses documents. */
const ALIGNMENTS = '/usr/share/doc/lumpy-sv/examples/data/pe.pos_sorted.bam.gz';
const READS = [1, 2].map((mate) => `/usr/share/unicycler-data/sample_data/short_reads_${mate}.fastq.gz`).join(',');

const bash = (script, ...files) => execFileSync('bash', ['-o', 'pipefail', '-c', script, 'bash', ...files]);
const RECOMPRESS = join(root, 'tools/bench/recompress.mjs');

/** Text as the archives have it: one gzip stream of level 6. */
const compress = (path) => bash('gzip -6 < "$1" > "$1.6" && mv "$1.6" "$1"', path);

/**
 * Each input: the function that makes it, from the number of records, or from the data of a package. `mates`: it has
 * two files.
 */
const INPUTS = {
  reads: { make: ([path], records) => generateGenomics('reads', path, { records }) },
  'reads without comments': {
    make: ([path], records) => {
      generateGenomics('reads', path, { records });
      bash(`sed -i '1~4s/ .*//' "$1"`, path);
    },
  },
  'reads.gz': {
    make: ([path], records) => {
      generateGenomics('reads', path, { records });
      compress(path);
    },
  },
  'pairs.gz': {
    mates: true,
    make: (paths, records) => {
      for (const [i, kind] of ['reads', 'mates'].entries()) {
        generateGenomics(kind, paths[i], { records });
        compress(paths[i]);
      }
    },
  },
  'package pairs.gz': {
    mates: true,
    from: 'reads',
    make: (paths, _records, _scale, from) => {
      for (const [i, path] of from.split(',').entries()) bash('gzip -dcf "$1" | gzip -6 > "$2"', path, paths[i]);
    },
  },
  sam: { make: ([path], records) => generateGenomics('sam', path, { records }) },
  bam: {
    make: ([path], records) => {
      generateGenomics('bam', `${path}.plain`, { records });
      bash(`exec "${process.execPath}" "$3" 1 16 "$1" "$2"`, `${path}.plain`, path, RECOMPRESS);
      rmSync(`${path}.plain`);
    },
  },
  bed: { make: ([path], records) => generateGenomics('bed', path, { records }) },
  'alignments.sam': {
    from: 'alignments',
    needs: 'samtools',
    shared: true,
    make: ([path], _records, scale, from) => {
      bash('gzip -dcf "$1" | samtools view --no-PG -h -o "$2.sam" -', from, path);
      shuffleAlignments(`${path}.sam`, path, 1, Math.min(1, scale));
      rmSync(`${path}.sam`);
    },
  },
  'alignments.bam': {
    from: 'alignments',
    needs: 'samtools',
    shared: true,
    make: ([path], _records, scale, _from, open) =>
      bash('samtools view --no-PG -b -o "$2" "$1"', open('alignments.sam', 0, scale).inputs[0], path),
  },
};

/** The names of all inputs. */
export const INPUT_NAMES = Object.keys(INPUTS);

/** The files needed from a package, and how to get them. */
const SOURCES = {
  alignments: { standard: ALIGNMENTS, remedy: 'install lumpy-sv-examples, or give --alignments' },
  reads: { standard: READS, remedy: 'install unicycler-data, or give --reads' },
};

/**
 * Opens inputs in `folder`.
 * @param {string} folder
 * @param {{ alignments?: string, reads?: string }} given files instead of those of packages: SAM or BAM; two files of
 *   FASTQ, separated by a comma
 */
export function genomicsInputs(folder, given) {
  const made = new Map();
  const sourceOf = ({ from }) => from && (given[from] ?? SOURCES[from].standard);
  const open = (name, records, scale) => {
    const known = made.get(name);
    if (known !== undefined) return known;
    const input = INPUTS[name];
    const base = join(folder, name.replaceAll(' ', '-'));
    const inputs = input.mates ? [`${base}.1`, `${base}.2`] : [base];
    input.make(inputs, Math.max(10, Math.round(records * scale)), scale, sourceOf(input), open);
    const one = {
      inputs,
      /** Removes files that no later row needs. */
      close: () => {
        if (!input.shared) for (const path of inputs) rmSync(path, { force: true });
      },
    };
    if (input.shared) made.set(name, one);
    return one;
  };
  return {
    open,
    /** Why an input cannot be made here; null: it can. */
    missing: (name) => {
      const input = INPUTS[name];
      const absent = (sourceOf(input) ?? '').split(',').filter((path) => path !== '' && !existsSync(path));
      if (absent.length > 0) return `${absent[0]} is missing: ${SOURCES[input.from].remedy}`;
      if (input.needs && spawnSync(input.needs, ['--version']).error) return `${input.needs} is not installed`;
      return null;
    },
  };
}
