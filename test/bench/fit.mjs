/** Least squares with constants that are not negative, for calibrate.mjs. Knows nothing of sorts. */

/** Rounds of coordinate descent: a dozen constants settle in far fewer. */
const SWEEPS = 20_000;
const SETTLED = 1e-9;
/** Weight of a constant's size beside the errors: of terms that inputs hardly tell apart none is to take all. */
const RIDGE = 0.002;

/**
 * Constants c >= 0 that make sum over rows of (terms . c / value - 1)^2 least: errors count by their share of the value, so that small
 * inputs and large ones weigh the same.
 * @param {{ terms: Readonly<Record<string, number>>, value: number }[]} rows
 * @returns {Record<string, number>}
 */
export function fit(rows) {
  const names = [...new Set(rows.flatMap(({ terms }) => Object.keys(terms)))];
  const columns = names.map((name) => rows.map(({ terms, value }) => (terms[name] ?? 0) / value));
  const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
  const squares = columns.map((column) => dot(column, column));
  const constants = names.map(() => 0);
  const rest = rows.map(() => 1);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    let moved = 0;
    columns.forEach((column, k) => {
      if (squares[k] === 0) return;
      const next = Math.max(0, (constants[k] * squares[k] + dot(column, rest)) / (squares[k] * (1 + RIDGE)));
      const step = next - constants[k];
      if (step === 0) return;
      column.forEach((x, i) => { rest[i] -= step * x; });
      constants[k] = next;
      moved = Math.max(moved, Math.abs(step) * Math.sqrt(squares[k]));
    });
    if (moved < SETTLED) break;
  }
  return Object.fromEntries(names.map((name, k) => [name, constants[k]]));
}
