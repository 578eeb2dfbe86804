/** Checks the value of --locale: a language that the runtime has a collation for. */
import { GpusortError } from '../../system/errors.js';
import { GNU_NAME } from './usage.js';

/**
 * A BCP 47 tag, as it was given. Throws `usage` if it is invalid, or if the runtime does not know its language or
 * collation: the runtime would silently use another.
 */
export function parseLocale(text: string, spelling: string, programName: string): string {
  const invalid = (reason: string, hint: string): GpusortError =>
    new GpusortError('usage', `invalid ${spelling} argument '${text}': ${reason}`, { hint });
  let tag: Intl.Locale;
  try {
    tag = new Intl.Locale(text);
  } catch {
    const meant = programName === GNU_NAME ? null : tagOf(text);
    if (meant !== null) throw invalid('it is not a language tag', `Did you mean '${meant}'?`);
    throw invalid(
      'it is not a language tag',
      `Give a tag, for example de, sv, en-US or de-u-co-phonebk, or omit ${spelling} for the order of bytes, ` +
        'as with LC_ALL=C.',
    );
  }
  if (Intl.Collator.supportedLocalesOf(text).length === 0) {
    throw invalid(
      'this runtime has no collation for its language',
      `Give another language: Node ${process.versions.node} has ICU ${process.versions.icu ?? 'with English only'}.`,
    );
  }
  const { collation } = tag;
  if (collation !== undefined && !Intl.supportedValuesOf('collation').includes(collation)) {
    throw invalid(
      `there is no collation ${collation}`,
      `Give one of these: ${Intl.supportedValuesOf('collation').join(', ')}.`,
    );
  }
  return text;
}

/** The tag for a locale as LANG names it, for example sv_SE.UTF-8, or null. */
function tagOf(text: string): string | null {
  const tag = text.replace(/[.@].*$/s, '').replaceAll('_', '-');
  try {
    return Intl.Collator.supportedLocalesOf(tag).length > 0 ? tag : null;
  } catch {
    return null;
  }
}
