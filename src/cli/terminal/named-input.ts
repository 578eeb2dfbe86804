/** Notes that the name of the input was probably given as a key: --json log.jsonl sorts standard input by that path. */
import type { SortJob } from '../../job/job.js';
import { displayName } from '../../report/names.js';
import { warn } from '../../report/warnings.js';
import { fileSystem, isTerminal } from '../../system/file-system.js';

const STANDARD_INPUT = 0;
/** Names that are those of files rather than of values. */
const LIKE_FILE = /\/|\.(?:jsonl?|ndjson|csv|tsv)$/;

/**
 * Warns if standard input is the only input and a key has the name of a file. If standard input is no terminal, the
 * name must also look like one of a file.
 */
export function noteNamedInput({ input, ordering }: SortJob): void {
  if (input.files.length !== 1 || input.files[0] !== null || !('parts' in ordering.key)) return;
  for (const { path, name } of ordering.key.parts) {
    const [option, word] =
      path === undefined
        ? ['-k', Buffer.from(name ?? [])]
        : ['--json', Buffer.from(path.map((one) => Buffer.from(one).toString('latin1')).join('.'), 'latin1')];
    if (!(LIKE_FILE.test(word.toString('latin1')) || isTerminal(STANDARD_INPUT)) || !isFile(word)) continue;
    const file = displayName(word);
    warn(`reading standard input: ${file} is the key, not the input; use ${option} KEY ${file}`);
  }
}

function isFile(name: Buffer): boolean {
  try {
    return name.length > 0 && fileSystem.statSync(name).isFile();
  } catch {
    return false;
  }
}
