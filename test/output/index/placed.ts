/** Records of BED, VCF and GFF whose places are known. */
import type { RandomBelow } from '../../support/random.js';

export const PRESETS = ['bed', 'vcf', 'gff'] as const;
export type Preset = (typeof PRESETS)[number];

/** A record as a line, and the positions that it covers, counted from 0, the end exclusive. */
export interface Placed {
  readonly line: string;
  readonly contig: string;
  readonly begin: number;
  readonly end: number;
}

function placed(preset: Preset, contig: string, begin: number, below: RandomBelow): Placed {
  const span = [1, 1 + below(10), 1 + below(30_000), 1 + below(2_000_000)][below(4)];
  const end = begin + span;
  const note = 'x'.repeat(below(60));
  if (preset === 'bed') return { line: `${contig}\t${begin}\t${end}\t${note}`, contig, begin, end };
  if (preset === 'gff') {
    return { line: `${contig}\tsim\texon\t${begin + 1}\t${end}\t.\t+\t.\tID=${note}`, contig, begin, end };
  }
  const head = `${contig}\t${begin + 1}\t.`;
  if (span > 50) return { line: `${head}\tA\t<DEL>\t.\tPASS\tAC=1;END=${end};NOTEND=1`, contig, begin, end };
  const reference = 'A'.repeat(span);
  return { line: `${head}\t${reference}\tC\t.\tPASS\tAC=${note.length};XEND=9`, contig, begin, end };
}

export const HEADERS: Readonly<Record<Preset, string>> = {
  bed: '#one\n#two\n',
  vcf: '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n',
  gff: '##gff-version 3\n',
};

/** Records of a few contigs in order. */
export function sorted(preset: Preset, count: number, below: RandomBelow): Placed[] {
  return ['chr1', 'chr10', 'chr2'].flatMap((contig, i) => {
    const places = Array.from({ length: i === 1 ? 3 : count }, () =>
      below(5) === 0 ? 16384 * (1 + below(300)) - below(3) : below(i === 0 ? 200_000_000 : 3_000_000),
    );
    return places.sort((a, b) => a - b).map((begin) => placed(preset, contig, begin, below));
  });
}
