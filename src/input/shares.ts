/** Cuts the inputs into shares. */
import type { SortJob } from '../job.js';
import { recordFinder } from '../records/format.js';
import { lastRecordEnd } from './boundary.js';
import { closeInput, type InputFile, openInput } from './files.js';

export interface SharePart {
  readonly input: number;
  readonly begin: number;
  readonly end: number;
}

export async function cutShares(
  inputs: readonly InputFile[],
  { ordering }: Pick<SortJob, 'ordering' | 'framing'>,
  count: number,
): Promise<readonly (readonly SharePart[])[]> {
  const finder = recordFinder(ordering.format);
  const total = inputs.reduce((sum, { extent }) => sum + (extent === null ? 0 : extent.end - extent.begin), 0);
  const shares: SharePart[][] = [[]];
  let [room] = [Math.ceil(total / count)];
  const each = room;
  for (const [input, file] of inputs.entries()) {
    if (file.extent === null) continue;
    const fd = await openInput(file);
    for (let at = file.extent.begin; at < file.extent.end; ) {
      let end = file.extent.end;
      if (end - at > room) {
        end = await lastRecordEnd({ fd, label: file.label, end }, finder, at, at + room);
        if (end < 0) end = file.extent.end;
      }
      shares.at(-1)!.push({ input, begin: at, end });
      room -= end - at;
      at = end;
      if (room <= 0 || at < file.extent.end) {
        shares.push([]);
        room = each;
      }
    }
    closeInput(file, fd);
  }
  return shares.filter((share) => share.length > 0);
}

export function shareInputs(inputs: readonly InputFile[], parts: readonly SharePart[]): InputFile[] {
  return parts.map(({ input, begin, end }) => ({ ...inputs[input], extent: { begin, end }, headerStripped: true }));
}
