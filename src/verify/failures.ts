/** The errors for output that is not what it must be. */
import { type Digest, hashText } from '../report/digest.js';
import { GpusortError } from '../system/errors.js';

/** Makes the error for a sentence. Its second line depends on the job. */
export type Fail = (what: string) => GpusortError;

/** `isMerge`: the inputs themselves may be out of order. `toFile`: -o was given. */
export function failing(isMerge: boolean, toFile: boolean): Fail {
  const written = toFile
    ? 'A file of -o keeps its contents; discard what was written to a pipe or device.'
    : 'Discard what was written to standard output.';
  const remedy = isMerge
    ? 'Check each input with gpusort -c.'
    : 'Sort again, with another --engine if there is one, and please report this error.';
  return (what) => new GpusortError('verify-failed', `verification failed: ${what}`, { hint: `${remedy} ${written}` });
}

/** A record that must not follow the previous one. `records` and `bytes` precede it. */
export function disorderSentence(unique: boolean, records: number, bytes: number): string {
  const place = unique ? 'is not after' : 'is before';
  return `record ${records + 1} of the output, at byte ${bytes}, ${place} record ${records}`;
}

/** How the digests of output and input differ; null if they do not. */
export function differenceSentence(input: Digest, output: Digest): string | null {
  if (input.records !== output.records)
    return `the input has ${count(input.records, 'record')}, the output ${output.records}`;
  if (input.bytes !== output.bytes)
    return `the records of the input have ${count(input.bytes, 'byte')}, those of the output ${output.bytes}`;
  if (input.hash !== output.hash) {
    const sums = `${hashText(output.hash)}, not ${hashText(input.hash)}`;
    return `the records of the output differ from those of the input: the sum of their hashes is ${sums}`;
  }
  return null;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
