/** Writing all of what is asked: a write may take a part only. */
import { writev } from 'node:fs';

/**
 * Writes all bytes of `blocks` to a descriptor, from `position` on or (null) where it is; tries again where a full pipe takes none.
 * Rejects with the system's error.
 */
export function writeFully(fd: number, blocks: readonly Uint8Array[], position: number | null): Promise<void> {
  return new Promise((resolve, reject) => {
    let rest = blocks;
    let at = position;
    const attempt = (): void => {
      writev(fd, rest, at, (error, count) => {
        if (error === null) {
          rest = after(rest, count);
          if (at !== null) at += count;
          if (rest.length > 0) attempt(); else resolve();
        } else if (error.code === 'EAGAIN' || error.code === 'EINTR') setTimeout(attempt, 1);
        else reject(error);
      });
    };
    attempt();
  });
}

/** What is left of `blocks` after their first `count` bytes. */
function after(blocks: readonly Uint8Array[], count: number): readonly Uint8Array[] {
  let left = count;
  let first = 0;
  while (first < blocks.length && left >= blocks[first]!.length) left -= blocks[first++]!.length;
  if (first === blocks.length) return [];
  return [blocks[first]!.subarray(left), ...blocks.slice(first + 1)];
}
