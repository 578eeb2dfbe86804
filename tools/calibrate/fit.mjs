/** Non-negative least squares, for main.mjs. Knows nothing of sorts. */

/** The maximum number of rounds of coordinate descent. A dozen constants settle in far fewer. */
const SWEEPS = 20_000;
const SETTLED = 1e-9;
/** Ridge penalty: if inputs hardly distinguish two terms, neither of them gets the whole weight. */
const RIDGE = 0.002;

/**
 * Finds constants c >= 0 that minimize the sum over rows of (terms . c / value - 1)^2. Errors are relative to the
 * value, so that small and large inputs have the same weight.
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
      column.forEach((x, i) => {
        rest[i] -= step * x;
      });
      constants[k] = next;
      moved = Math.max(moved, Math.abs(step) * Math.sqrt(squares[k]));
    });
    if (moved < SETTLED) break;
  }
  return Object.fromEntries(names.map((name, k) => [name, constants[k]]));
}
