/** Turns the parts of a share into inputs, which are read as if each were a file. */
import type { InputFile } from './files.js';
import type { SharePart } from './shares.js';

/** The inputs of a share: `inputs` are all inputs of the job, with or without their headers. */
export function shareInputs(inputs: readonly InputFile[], parts: readonly SharePart[]): InputFile[] {
  return parts.map(({ input, begin, end }) => {
    const whole = inputs[input];
    const { extent, framing, label } = whole;
    if (extent !== null && extent.begin === begin && extent.end === end) return whole;
    const isFirst = extent?.begin === begin;
    return {
      ...whole,
      // Messages about framed records count lines from the beginning of the part.
      label: framing === null || isFirst ? label : `${label} after byte ${begin}`,
      extent: { begin, end },
      // Then nothing looks at the first bytes, either: those of lines may resemble a compressed file.
      headerStripped: whole.headerStripped || !isFirst,
    };
  });
}
