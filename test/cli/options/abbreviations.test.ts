/** Abbreviations of long options that users may have in scripts. None may ever change its meaning. */
import { expect, it } from 'vitest';
import { OPTION_NAMES, OPTIONS } from '../../../src/cli/options/table.js';
import { splitArguments } from '../../../src/cli/parse/getopt.js';
import { SURROUNDINGS } from '../arguments.js';

/**
 * The abbreviations accepted before --cluster was added: the letters before the bracket, with any number of those
 * inside. Options that came later are not in the list. Add to it, but change nothing.
 */
const ACCEPTED = `
  ad[apters] al[gorithm] ba[tch-size] bo[ttom] bu[ffer-size] ch[eck] chu[nk-size] co[mpress-program] col[or]
  cou[nt] cs[v] de[bug] di[ctionary-order] en[gine] ex[plain] fie[ld-separator] fil[es0-from]
  g[eneral-numeric-sort] gp[u-memory] he[lp] header header-[prefix] hu[man-numeric-sort] ignore-c[ase]
  ignore-l[eading-blanks] ignore-n[onprinting] j[son] k[ey] l[ocale] me[rge] mo[nth-sort] n[umeric-sort] o[utput]
  p[arallel] pr[ogress] random-sor[t] random-sou[rce] re[verse] rec[ord-size] segment-[by] segments so[rt]
  st[able] stat[s] sy[nc] t[emporary-directory] to[p] ts[v] u[nique] veri[fy] version version-[sort]
  z[ero-terminated]
  ar[ray] as by compl[etions] con[tigs] dec[ompress] fo[rmat] ind[ex] int[erleaved] le[vel] mate mate-[out]
  output-[format]
`;

/** Each accepted word with the option that it means. */
const ABBREVIATIONS = ACCEPTED.trim()
  .split(/\s+/)
  .flatMap((entry) => {
    const [shortest, rest = ''] = entry.replace(']', '').split('[');
    return Array.from({ length: rest.length + 1 }, (_, more) => [shortest + rest.slice(0, more), shortest + rest]);
  });

/** The option that `--word` means, or the error. */
function meaningOf(word: string): string {
  const { options, problem } = splitArguments([`--${word}`, 'value'], OPTION_NAMES, SURROUNDINGS);
  return problem === null ? options[0].row.long : problem.message;
}

it('are 421 words, each of which keeps its meaning', () => {
  expect(ABBREVIATIONS.length).toBe(421);
  expect(ABBREVIATIONS.map(([word]) => [word, meaningOf(word)])).toEqual(ABBREVIATIONS);
});

it('are ambiguous if they are ambiguous to GNU sort', () => {
  for (const word of ['b', 'c', 'd', 'f', 'h', 'i', 'm', 'r', 'ra', 's', 'v'])
    expect(meaningOf(word)).toContain(`option '--${word}' is ambiguous`);
});

it('include the whole name of every option', () => {
  for (const { long } of OPTIONS) expect(meaningOf(long)).toBe(long);
});
