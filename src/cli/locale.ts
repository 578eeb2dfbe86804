/** The value of --locale: a language whose collation the runtime has. */
import { GpusortError } from '../report/errors.js';

/** A BCP 47 tag, as it was given. Throws where it is none, or names a language or a collation that the runtime does not know: it would quietly take another. */
export function parseLocale(text: string, spelling: string): string {
  const invalid = (reason: string, hint: string): GpusortError => new GpusortError('usage', `invalid ${spelling} argument '${text}': ${reason}`, { hint });
  let tag: Intl.Locale;
  try {
    tag = new Intl.Locale(text);
  } catch {
    throw invalid('it is no language tag', `A tag is like de, sv or en-US, for example ${spelling} de-u-co-phonebk. Without ${spelling} the order is that of bytes, as with LC_ALL=C.`);
  }
  if (Intl.Collator.supportedLocalesOf(text).length === 0) {
    throw invalid('its language has no collation in this runtime', `Node ${process.versions.node} has ICU ${process.versions['icu'] ?? 'with English only'}.`);
  }
  const { collation } = tag;
  if (collation !== undefined && !Intl.supportedValuesOf('collation').includes(collation)) {
    throw invalid(`there is no collation ${collation}`, `There are ${Intl.supportedValuesOf('collation').join(', ')}.`);
  }
  return text;
}
