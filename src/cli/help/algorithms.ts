/**
 * The names of --algorithm for the manual, each with a description, the inputs that it sorts on each engine, and its
 * tunings.
 */
import {
  ALGORITHMS,
  algorithmRow,
  type InputKind,
  requestText,
  tuningRow,
  tuningsOf,
} from '../../job/algorithm-table.js';

/** The name of each kind of input, in a word or two. */
const KIND_NAMES: Readonly<Record<InputKind, string>> = {
  lines: 'lines',
  longKeys: 'long keys',
  shortKeys: 'short keys',
  segments: 'segments',
};

/** Each algorithm's name with its meaning. */
export function algorithmItems(): readonly (readonly [name: string, meaning: string])[] {
  return ALGORITHMS.filter((name) => name !== 'auto').map((name) => {
    const { summary, gpu, cpu } = algorithmRow(name);
    const on = (engine: string, kinds: readonly InputKind[]): string =>
      kinds.length === 0 ? '' : ` ${engine}: ${kinds.map((kind) => KIND_NAMES[kind]).join(', ')}.`;
    return [name, `${summary}.${on('On a GPU', gpu)}${on('On the CPU', cpu)}`];
  });
}

/** Each tuning with its meaning, as it is written after --algorithm. */
export function tuningItems(): readonly (readonly [name: string, meaning: string])[] {
  return ALGORITHMS.flatMap((algorithm) =>
    tuningsOf(algorithm).map((tuning) => {
      const { summary, kinds } = tuningRow(algorithm, tuning);
      const only = kinds === undefined ? '' : ` For ${kinds.map((kind) => KIND_NAMES[kind]).join(', ')}.`;
      return [requestText({ algorithm, tunings: [tuning] }), `${summary}.${only}`] as const;
    }),
  );
}
