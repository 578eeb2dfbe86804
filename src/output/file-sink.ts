/**
 * -o FILE: writes the ordered stream to a temporary file (sorted-text.ts), which becomes FILE when it is complete
 * (put-in-place.ts). Until then FILE keeps its old contents.
 */

import { displayName } from '../report/names.js';
import type { Recorder } from '../report/recorder.js';
import { GpusortError, systemError, systemText } from '../system/errors.js';
import { fileSystem } from '../system/file-system.js';
import { directoryOf } from '../system/links.js';
import { quiet } from '../system/promises.js';
import { PRIVATE, removeAbandoned, temporaryRemedy } from '../system/temporary-files.js';
import { carryAttributes, checkName, isReplaceable, putInPlace } from './put-in-place.js';
import { readyPages } from './ready-pages.js';
import { SortedText } from './sorted-text.js';
import type { FileTarget, NewTarget } from './target.js';
import { type Destination, positionalWriter } from './writers.js';

/**
 * `temporaryDirectories`: used if the directory of FILE takes no temporary file. `text`: the temporary file. Throws
 * `cannot-write` or `no-temporary-space`.
 */
export function fileDestination(
  target: FileTarget | NewTarget,
  temporaryDirectories: readonly Buffer[],
  { sync, recorder }: { readonly sync: boolean; readonly recorder: Recorder },
  text: SortedText = openSortedText(target, temporaryDirectories),
): Destination {
  const carried = target.kind === 'file' ? carrying(target, text) : async () => false;
  const writeBlock = positionalWriter(text.fd, target.label, recorder, text.whenFull);
  /** Settles once the file may be written. */
  let ready: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    text.close();
    // A FILE written in place is already closed. The descriptor of a replaced FILE no longer matters.
    if (target.kind === 'file') await quiet(target.close());
  };
  let bytes = 0;
  /** Whether the temporary file has all attributes of FILE. */
  let isLikeTarget = false;
  let isPlacing = false;
  return {
    label: target.label,
    file: text.reading,
    regularFile: text.fd,
    expect: (bytes) => {
      ready ??= readyPages(text.fd, bytes);
    },
    write: async (block) => {
      await ready;
      await writeBlock(block);
    },
    complete: async (written) => {
      await ready;
      const hasAttributes = await carried().catch(() => false);
      bytes = written;
      try {
        isLikeTarget = (await text.complete(bytes, sync)) && hasAttributes;
      } catch (error) {
        throw systemError('write-failed', 'write failed', target.label, error);
      }
    },
    check: () => checkName(target, text),
    place: async () => {
      isPlacing = true;
      await putInPlace(target, text, bytes, { carried: isLikeTarget, sync });
      await close();
    },
    keep: () => text.keep(`sorted output for ${target.label}`),
    abort: async () => {
      await ready;
      if (!isPlacing && !text.isKept && !text.isAdopted) text.remove();
      await close();
    },
  };
}

/**
 * A new FILE has the mode and access control lists that the system gives to new files there. The text of an existing
 * FILE is readable only by its owner until the mode of FILE is known.
 */
function openSortedText(target: FileTarget | NewTarget, temporaryDirectories: readonly Buffer[]): SortedText {
  const { label } = target;
  if (target.kind === 'new') {
    try {
      return tidied(new SortedText([directoryOf(target.path)], temporaryDirectories, 0o666));
    } catch (error) {
      throw systemError('cannot-write', 'open failed', label, error);
    }
  }
  const directories = [...(target.path === null ? [] : [directoryOf(target.path)]), ...temporaryDirectories];
  try {
    return tidied(new SortedText(directories, [], PRIVATE));
  } catch (error) {
    throw new GpusortError(
      'no-temporary-space',
      `cannot create temporary file in '${displayName(directories.at(-1)!)}': ${systemText(error)}`,
      { cause: error, ...temporaryRemedy(error) },
    );
  }
}

/** Also begins to remove temporary files that killed processes have left beside the file. */
function tidied(text: SortedText): SortedText {
  void removeAbandoned(text.directory);
  return text;
}

/**
 * Starts to copy the attributes of FILE while the process is idle. The returned function resolves to whether the
 * temporary file has them. If they have changed by then, it copies them again.
 */
function carrying(target: FileTarget, text: SortedText): () => Promise<boolean> {
  const { fd } = target;
  try {
    if (!isReplaceable(target)) return async () => false;
    const changed = fileSystem.fstatSync(fd).ctimeNs;
    const first = carryAttributes(fd, text.fd).catch(() => false);
    return async () => {
      await first;
      return fileSystem.fstatSync(fd).ctimeNs === changed ? first : carryAttributes(fd, text.fd);
    };
  } catch {
    return async () => false;
  }
}
