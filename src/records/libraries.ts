/** The libraries of read groups, from the @RG lines of a SAM header. */
import type { Libraries, Ordering } from '../job/ordering.js';

/** The ordering with `libraries` for its parts that need them and have none. */
export function withLibraries(ordering: Ordering, libraries: () => Libraries): Ordering {
  const { key } = ordering;
  if (!('parts' in key) || !key.parts.some(({ order }) => order === 'template-coordinate')) return ordering;
  const found = libraries();
  return {
    ...ordering,
    key: {
      ...key,
      parts: key.parts.map((part) =>
        part.order === 'template-coordinate' && part.libraries === undefined ? { ...part, libraries: found } : part,
      ),
    },
  };
}

/**
 * Libraries are ranked by the bytes of their names. If several lines have one ID, the first one with a library counts.
 */
export function librariesOf(header: Uint8Array): Libraries {
  const groups = Buffer.from(header)
    .toString('latin1')
    .split(/\r?\n/)
    .filter((line) => line.startsWith('@RG\t'))
    .map((line) => ({ id: field(line, 'ID'), library: field(line, 'LB') }))
    .filter(
      (group): group is { id: string; library: string } => (group.id ?? '') !== '' && group.library !== undefined,
    );
  const names = [...new Set(groups.map(({ library }) => library))].sort();
  const ranks = Buffer.alloc(4 * groups.length);
  groups.forEach(({ library }, i) => ranks.writeUInt32LE(names.indexOf(library), 4 * i));
  return { groups: Buffer.from(groups.map(({ id }) => `${id}\n`).join(''), 'latin1'), ranks };
}

const field = (line: string, name: string): string | undefined =>
  line
    .split('\t')
    .find((word) => word.startsWith(`${name}:`))
    ?.slice(name.length + 1);
