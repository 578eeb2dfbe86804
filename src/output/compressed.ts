/** Compresses what is written to a destination, and has an index written beside it. */
import type { OutputForm } from '../job/job.js';
import { compressing } from './compress.js';
import type { Destination } from './destination.js';
import type { IndexFile } from './index-file.js';
import { placeAll, withOthers } from './place-all.js';
import type { Saving } from './saving.js';

/**
 * `threads` compress. The file and its index are complete before either is put in place. `saving` is given the sizes.
 */
export function compressedDestination(
  inner: Destination,
  form: OutputForm & { readonly threads: number },
  index: IndexFile | null,
  saving: Saving | null,
): Destination {
  let text = 0;
  let written = 0;
  const filter = compressing(
    {
      ...form,
      ...(index !== null && { onBlock: (text, compressed) => index.block(text, compressed) }),
    },
    async (block) => {
      written += block.length;
      await inner.write(block);
    },
  );
  return {
    label: inner.label,
    file: null,
    expect: () => {},
    write: async (block) => {
      text += block.length;
      index?.text(block);
      await filter.write(block);
    },
    complete: async () => {
      await filter.finish();
      saving?.wrote(text, written);
      await inner.complete(written);
      try {
        await index?.complete();
      } catch (error) {
        throw withOthers(error, [], [inner]);
      }
    },
    check: () => inner.check(),
    place: () => (index === null ? inner.place() : placeAll([inner, index.file])),
    keep: () => inner.keep(),
    abort: async () => {
      await filter.close();
      await inner.abort();
      await index?.file.abort();
    },
  };
}
