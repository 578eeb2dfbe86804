/** Compresses what is written to a destination, and has an index written beside it. */
import type { OutputForm } from '../job.js';
import { compressing } from './compress.js';
import type { Destination } from './destination.js';
import type { IndexFile } from './index-file.js';
import { placeAll, withOthers } from './place-all.js';

/** `threads` compress. The file and its index are complete before either is put in place. */
export function compressedDestination(
  inner: Destination,
  form: OutputForm & { readonly threads: number },
  index: IndexFile | null,
): Destination {
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
      index?.text(block);
      await filter.write(block);
    },
    complete: async () => {
      await filter.finish();
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
