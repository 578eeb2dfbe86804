/**
 * Where the ordered stream goes: standard output, or -o FILE through a temporary file beside it, so that FILE keeps its
 * contents until all is written. Knows bytes, not records.
 */
import * as fs from 'node:fs';
import type { FileName } from '../job.js';
import { atExit } from '../report/cleanup.js';
import { GpusortError, systemError } from '../report/errors.js';
import { displayName } from '../report/names.js';
import type { Recorder } from '../report/stats.js';

export interface Sink {
  /** Writes the next bytes; they may be reused once the promise resolves. */
  write(block: Uint8Array): Promise<void>;
  /** Starts the stream over: as many bytes as are written already are then skipped. */
  restart(): void;
  /** Completes the output; the file then has its name. */
  finish(): Promise<void>;
  /** Gives the output up: a file has what it had before. */
  abort(): void;
}

/** Opens the output; `temporaryDirectory` is for files whose own directory cannot be written. With -o it is checked here, before anything is read, that it can be written. */
export function openSink(output: FileName, temporaryDirectory: FileName, recorder: Recorder): Sink {
  if (output === null) return descriptorSink(1, "'standard output'", null, recorder);
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
      return descriptorSink(fd, label, null, recorder, { finish: () => { fs.closeSync(fd); } });
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
  const finish = (): void => {
    try {
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
  return descriptorSink(fd, label, 0, recorder, { finish, abort: () => { forget(); remove(); fs.closeSync(fd); } });
}

/** Writes to a descriptor: in order (`position` null) or, in a file of our own, by position. */
function descriptorSink(fd: number, label: string, position: number | null, recorder: Recorder,
  end: { finish?: () => void; abort?: () => void } = {}): Sink {
  let written = 0;
  let skip = 0;
  return {
    write: async (block) => {
      const skipped = Math.min(skip, block.length);
      skip -= skipped;
      const rest = block.subarray(skipped);
      if (rest.length === 0) return;
      const start = performance.now();
      await writeFully(fd, rest, position === null ? null : position + written, label);
      written += rest.length;
      recorder.span('write', start, rest.length);
      recorder.advance('writing', rest.length);
    },
    restart: () => { skip = written; },
    finish: async () => end.finish?.(),
    abort: () => end.abort?.(),
  };
}

function writeFully(fd: number, data: Uint8Array, position: number | null, label: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const attempt = (done: number): void => {
      fs.write(fd, data, done, data.length - done, position === null ? null : position + done, (error, count) => {
        if (error === null) {
          if (done + count < data.length) attempt(done + count); else resolve();
        } else if (error.code === 'EAGAIN' || error.code === 'EINTR') setTimeout(() => attempt(done), 1);
        else if (error.code === 'EPIPE') reject(new GpusortError('broken-pipe', `write failed: ${label}: Broken pipe`, { cause: error }));
        else reject(systemError('write-failed', 'write failed', label, error));
      });
    };
    attempt(0);
  });
}
