/** Compresses what is written to a destination, and has an index written beside it. */
import type { OutputForm } from '../job.js';
import { compressing } from './compress.js';
import type { Destination } from './destination.js';
import type { IndexFile } from './index-file.js';
import type { Saving } from './saving.js';

/**
 * `threads` compress. The index is complete before the file is put in place, and put in place after it. `saving` is
 * given the sizes.
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
    file: null,
    expect: () => {},
    write: async (block) => {
      text += block.length;
      index?.text(block);
      await filter.write(block);
    },
    finish: async () => {
      await filter.finish();
      saving?.wrote(text, written);
      await index?.write();
      await inner.finish(written);
      await index?.finish();
    },
    abort: async () => {
      await filter.close();
      await inner.abort();
    },
  };
}
