/** Compares a variant of an algorithm with that algorithm, problem by problem. Measures nothing. */
import { seconds, table } from '../report.mjs';
import { count, isMeasured, timeOf } from './figures.mjs';

/** Device times of both, and the variant's by that of the algorithm; null: they have no problem in common. */
export function variantTable({ name, title, beside }, rows) {
  const own = rows.filter((row) => row.algorithm === name && row.leftOut === undefined);
  const lines = own.flatMap((row) => {
    const base = rows.find((one) => one.algorithm === beside && one.case === row.case && one.size === row.size);
    if (base === undefined || !isMeasured(base)) return [];
    const time = isMeasured(row) ? `${seconds(timeOf(row))} ms` : 'failed';
    const ratio = isMeasured(row) ? (timeOf(row) / timeOf(base)).toFixed(2) : '';
    return [[row.case, count(row), `${seconds(timeOf(base))} ms`, time, ratio]];
  });
  if (lines.length === 0) return null;
  return `### ${title} (\`${name}\`)\n\n${table(['case', 'n', beside, name, 'ratio'], ...lines)}\n`;
}
