/** The problems that the options select, and their order. Runs nothing. */
import { ALGORITHMS } from './algorithms.mjs';

/** The numbers in `20,24` or `20..24`. */
export function sizesOf(list) {
  const range = /^(\d+)\.\.(\d+)$/.exec(list);
  const sizes =
    range === null
      ? list.split(',').map(Number)
      : Array.from({ length: Math.max(0, range[2] - range[1] + 1) }, (_, i) => Number(range[1]) + i);
  if (sizes.length === 0 || sizes.some((size) => !Number.isInteger(size) || size < 1 || size > 31))
    throw new Error(`bad sizes: '${list}'`);
  return sizes.sort((a, b) => a - b);
}

/**
 * The problems of the chosen algorithms, in groups that share a process and in which algorithms take turns on the same
 * input. An algorithm of fixed keys and its variants are a group; so are all merges, and all sorts of strings, which
 * take longer to make than to sort. `only`: the chosen algorithms; null: all but variants of fixed-key sorts.
 */
export function problemsOf(sizes, only, cases) {
  const unknown = only?.filter((name) => !ALGORITHMS.some((algorithm) => algorithm.name === name)) ?? [];
  if (unknown.length > 0)
    throw new Error(
      `unknown algorithms: ${unknown.join(', ')}; there are ${ALGORITHMS.map(({ name }) => name).join(', ')}`,
    );
  const chosen = ALGORITHMS.filter(({ name, kind, beside }) =>
    only === null ? kind === 'strings' || beside === undefined : only.includes(name),
  );
  const wanted = (name) => cases === null || cases.some((part) => name.includes(part));
  const groupOf = ({ name, kind, beside }) => (kind === 'strings' || kind === 'merge' ? kind : (beside ?? name));
  return [...new Set(chosen.map(groupOf))]
    .map((group) =>
      problemsOfGroup(
        chosen.filter((algorithm) => groupOf(algorithm) === group),
        sizes,
        wanted,
      ),
    )
    .filter((group) => group.length > 0);
}

/** The problems of these algorithms, by case and size. */
function problemsOfGroup(algorithms, sizes, wanted) {
  const cases = [...new Set(algorithms.flatMap((algorithm) => algorithm.cases.map(({ name }) => name)))];
  return cases
    .filter(wanted)
    .flatMap((name) =>
      sizes.flatMap((size) =>
        algorithms
          .filter(
            (algorithm) => size <= (algorithm.most ?? Infinity) && algorithm.cases.some((one) => one.name === name),
          )
          .map((algorithm) => ({ algorithm: algorithm.name, case: name, size })),
      ),
    );
}

/** `rows`, with `added` in place of rows with the same id, in the order of the registry. */
export function merged(rows, added) {
  const all = [...rows.filter((row) => !added.some(({ id }) => id === row.id)), ...added];
  const place = (row) => {
    const algorithm = ALGORITHMS.findIndex(({ name }) => name === row.algorithm);
    return [algorithm, ALGORITHMS[algorithm]?.cases.findIndex(({ name }) => name === row.case) ?? 0, row.size];
  };
  return all
    .map((row) => ({ row, at: place(row) }))
    .sort((a, b) => a.at[0] - b.at[0] || a.at[1] - b.at[1] || a.at[2] - b.at[2])
    .map(({ row }) => row);
}
