/** Reads the language tag of --locale. */
import { GpusortError } from '../../system/errors.js';
import { GNU_NAME } from './argv.js';

/**
 * The extensions of language tags that concern collation (Unicode's CLDR), besides `co`. The runtime ignores most of
 * them.
 */
const COLLATION_EXTENSIONS: readonly string[] = ['ka', 'kb', 'kc', 'kf', 'kh', 'kk', 'kn', 'kr', 'ks', 'kv', 'vt'];

/** The extensions of a tag: `kn` and `co` of de-u-kn-co-phonebk. */
function extensionsOf(tag: string): string[] {
  const [, extensions = ''] = /-u((?:-[a-z0-9]{2,8})+)/.exec(tag) ?? [];
  return extensions.split('-').filter((word) => word.length === 2);
}

/**
 * A BCP 47 tag, as given. Throws `usage` if it is invalid, or if the runtime does not know its language or collation or
 * ignores one of its extensions: the runtime would silently use another order.
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
  const applied = extensionsOf(new Intl.Collator(text).resolvedOptions().locale);
  const ignored = extensionsOf(tag.toString()).find(
    (extension) => COLLATION_EXTENSIONS.includes(extension) && !applied.includes(extension),
  );
  if (ignored !== undefined) {
    throw invalid(
      `its extension ${ignored} has no effect`,
      'Leave it out: a tag may choose co (a collation), kn (numbers by value), kf-upper and kf-lower (the case that ' +
        'comes first).',
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
