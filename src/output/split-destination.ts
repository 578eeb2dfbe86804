/**
 * Writes reads and their mates to one file each. Either all files are put in place or, if one cannot be completed,
 * none.
 */
import type { Destination } from './destination.js';
import { splitMates } from './mates.js';
import { placeAll } from './place-all.js';

/** The destination of records of as many reads as there are files; the file itself if there is one. */
export function splitDestination(files: readonly Destination[]): Destination {
  if (files.length === 1) return files[0];
  const written = files.map(() => 0);
  /** The last write to each file. */
  const writing: Promise<void>[] = files.map(() => Promise.resolve());
  let isOver = false;
  const filter = splitMates(
    files.map((file, i) => (block) => {
      if (isOver) return Promise.reject(new Error('the output is abandoned'));
      written[i] += block.length;
      return (writing[i] = file.write(block));
    }),
  );
  return {
    label: files[0].label,
    file: null,
    expect: () => {},
    write: (block) => filter.write(block),
    complete: async () => {
      await filter.finish();
      for (const [i, file] of files.entries()) await file.complete(written[i]);
    },
    check: () => {
      for (const file of files) file.check();
    },
    place: () => placeAll(files),
    keep: () => null,
    abort: async () => {
      isOver = true;
      await Promise.allSettled(writing);
      for (const file of files) await file.abort();
    },
  };
}
