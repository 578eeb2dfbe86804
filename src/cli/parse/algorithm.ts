/** Parses the tunings that follow an algorithm's name in the value of --algorithm. */
import { type Algorithm, type Tuning, tuningRow, tuningsOf } from '../../job/algorithm-table.js';
import { GpusortError } from '../../system/errors.js';
import { quoteLikeC } from './values.js';

/** The tunings of `algorithm` in `text`, which are separated by commas. Throws `usage`. */
export function parseTunings(algorithm: Algorithm, text: string): Tuning[] {
  const known = tuningsOf(algorithm);
  const given = [...new Set(text.split(','))];
  const unknown = given.find((word) => !known.some((tuning) => tuning === word));
  if (unknown !== undefined)
    throw new GpusortError(
      'usage',
      `invalid tuning ${quoteLikeC(unknown)}: --algorithm ${algorithm} ` +
        (known.length === 0 ? 'has no tunings' : `has ${known.join(', ')}`),
    );
  const tunings = given as Tuning[];
  for (const [i, tuning] of tunings.entries()) {
    const { step } = tuningRow(algorithm, tuning);
    const other = tunings
      .slice(0, i)
      .find((earlier) => step !== undefined && tuningRow(algorithm, earlier).step === step);
    if (other !== undefined)
      throw new GpusortError(
        'usage',
        `tunings '${other}' and '${tuning}' of --algorithm ${algorithm} are incompatible`,
      );
  }
  return tunings;
}
