/** Compresses what is written to a destination, and has an index written beside it. */
import type { OutputForm } from '../job.js';
import { compressing } from './compress.js';
import type { Destination } from './destination.js';
import type { IndexFile } from './index-file.js';

/** `threads` compress. The index is complete before the file is put in place, and put in place after it. */
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
    file: null,
    expect: () => {},
    write: async (block) => {
      index?.text(block);
      await filter.write(block);
    },
    finish: async () => {
      await filter.finish();
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
