/** Writes reads and their mates to one file each. */
import type { Destination } from './destination.js';
import { splitMates } from './mates.js';

/** The destination of records of as many reads as there are files; the file itself if there is one. */
export function splitDestination(files: readonly Destination[]): Destination {
  if (files.length === 1) return files[0];
  const written = files.map(() => 0);
  const filter = splitMates(
    files.map((file, i) => async (block) => {
      written[i] += block.length;
      await file.write(block);
    }),
  );
  return {
    file: null,
    expect: () => {},
    write: (block) => filter.write(block),
    finish: async () => {
      await filter.finish();
      for (const [i, file] of files.entries()) await file.finish(written[i]);
    },
    abort: async () => {
      for (const file of files) await file.abort();
    },
  };
}
