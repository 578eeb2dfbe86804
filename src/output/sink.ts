/**
 * Where the ordered stream goes: standard output, or -o FILE through a temporary file beside it, so that FILE keeps its
 * contents until all is written. Knows bytes, not records.
 */
import * as fs from 'node:fs';
import type { BlockWriter } from '../engine.js';
import type { FileName } from '../job.js';
import { atExit } from '../report/cleanup.js';
import { systemError } from '../report/errors.js';
import { displayName } from '../report/names.js';
import type { Recorder } from '../report/stats.js';
import { readyPages } from './ready-pages.js';
import { orderedWriter, positionalWriter } from './writers.js';

export interface Sink {
  /** Announces, before the first write, that so many bytes will come and that there is time until they do; 0: no time any more. */
  expect(bytes: number): void;
  /** Writes the next bytes; they may be reused once the promise resolves. Calls need not wait for each other. */
  write(block: Uint8Array): Promise<void>;
  /** Starts the stream over, once no write is under way: as many bytes as are written already are then skipped. */
  restart(): void;
  /** Completes the output; the file then has its name. */
  finish(): Promise<void>;
  /** Gives the output up: a file has what it had before. */
  abort(): Promise<void>;
}

/** Opens the output; `temporaryDirectory` is for files whose own directory cannot be written. With -o it is checked here, before anything is read, that it can be written. */
export function openSink(output: FileName, temporaryDirectory: FileName, recorder: Recorder): Sink {
  if (output === null) return blockSink(orderedWriter(1, "'standard output'", recorder), recorder);
  const label = displayName(output);
  let stat: fs.Stats | undefined;
  let target: Buffer = output;
  try {
    stat = fs.statSync(output, { throwIfNoEntry: false });
    if (stat?.isFile()) {
      fs.accessSync(output, fs.constants.W_OK);
      target = fs.realpathSync(output, 'buffer') as unknown as Buffer;
    }
    // Devices and pipes are written in place.
    if (stat !== undefined && !stat.isFile()) {
      const fd = fs.openSync(output, 'w');
      return blockSink(orderedWriter(fd, label, recorder), recorder, { finish: async () => { fs.closeSync(fd); } });
    }
  } catch (error) {
    throw systemError('cannot-write', 'open failed', label, error);
  }
  return replacingSink(target, label, stat, temporaryDirectory ?? Buffer.from('/tmp'), recorder);
}

/**
 * Writes a temporary file and puts it in the target's place at the end: by renaming, or, where that would part the target from its
 * other names or its directory cannot be written, by copying. The temporary file stays if the copy fails.
 */
function replacingSink(target: Buffer, label: string, stat: fs.Stats | undefined, temporaryDirectory: Buffer, recorder: Recorder): Sink {
  const beside = Buffer.concat([target, Buffer.from(`.gpusort-${process.pid}`)]);
  const elsewhere = Buffer.concat([temporaryDirectory, Buffer.from(`/gpusort-output-${process.pid}`)]);
  let temporary = beside;
  let fd: number;
  try {
    // A new file gets the mode it will have; the contents of an old one are its owner's business until its mode is known.
    fd = fs.openSync(beside, 'wx', stat === undefined ? 0o666 : 0o600);
  } catch (error) {
    if (stat === undefined) throw systemError('cannot-write', 'open failed', label, error);
    temporary = elsewhere;
    try { fd = fs.openSync(elsewhere, 'wx', 0o600); } catch (other) { throw systemError('cannot-write', 'open failed', displayName(elsewhere), other); }
  }
  const remove = (): void => { fs.unlinkSync(temporary); };
  const forget = atExit(remove);
  const finish = (written: number): void => {
    try {
      if (fs.fstatSync(fd).size > written) fs.ftruncateSync(fd, written);
      if (stat === undefined || (stat.nlink === 1 && temporary === beside)) {
        if (stat !== undefined) {
          fs.fchmodSync(fd, stat.mode & 0o7777);
          // Only a privileged user can give a file away; for others it is theirs already or becomes so.
          try { fs.fchownSync(fd, stat.uid, stat.gid); } catch { /* kept as our own */ }
        }
        fs.renameSync(temporary, target);
        forget();
      } else {
        forget();
        fs.copyFileSync(temporary, target);
        remove();
      }
      fs.closeSync(fd);
    } catch (error) {
      const hint = fs.existsSync(temporary) ? `the sorted output is in ${displayName(temporary)}` : undefined;
      forget();
      throw systemError('write-failed', 'write failed', label, error, hint);
    }
  };
  const writeBlock = positionalWriter(fd, label, recorder);
  /** Ends the readying of pages; it is over when the first block is written. */
  let endReadying: (() => Promise<void>) | undefined;
  return blockSink(async (block) => { await endReadying?.(); await writeBlock(block); }, recorder, {
    expect: (bytes) => {
      if (bytes > 0) endReadying ??= readyPages(fd, temporary, bytes);
      else void endReadying?.();
    },
    finish: async (written) => { await endReadying?.(); finish(written); },
    abort: async () => {
      await endReadying?.();
      forget();
      remove();
      fs.closeSync(fd);
    },
  });
}

interface Ends {
  expect?(bytes: number): void;
  finish?(written: number): Promise<void>;
  abort?(): Promise<void>;
}

/** A sink over `writeBlock`. */
function blockSink(writeBlock: BlockWriter, recorder: Recorder, ends: Ends = {}): Sink {
  let written = 0;
  let skip = 0;
  return {
    expect: (bytes) => ends.expect?.(bytes),
    write: async (block) => {
      const skipped = Math.min(skip, block.length);
      skip -= skipped;
      const rest = block.subarray(skipped);
      if (rest.length === 0) return;
      written += rest.length;
      await writeBlock(rest);
      recorder.advance('writing', rest.length);
    },
    restart: () => { skip = written; },
    finish: async () => ends.finish?.(written),
    abort: async () => ends.abort?.(),
  };
}
