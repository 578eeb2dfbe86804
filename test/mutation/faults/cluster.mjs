/** Faults of distributed sorts, of the library and of the release's archives. */
const faultsOf = (tests) => (file, name, from, to) => ({ file, name, from, to, tests: `--gpu none ${tests}` });

const inMatrix = faultsOf('test/cluster/matrix.test.ts');
const inStoredShare = faultsOf('test/cluster/stored-share.test.ts test/cluster/splitters.test.ts');
const inDamage = faultsOf('test/cluster/faults.test.ts');
const inClient = faultsOf('test/cluster/client.test.ts');
const inOutput = faultsOf('test/cluster/end-to-end.test.ts');
const inPhase = faultsOf('test/cluster/phase.test.ts');
const inExplain = faultsOf('test/cluster/explain.test.ts');
const inParts = faultsOf('test/cluster/range-writer.test.ts test/cluster/slurm-jobs.test.ts');
const inDevices = faultsOf('test/cluster/devices.test.ts');
const _inBytes = faultsOf('test/library/bytes.test.ts');
const inStreams = faultsOf('test/library/streams.test.ts test/library/abort.test.ts');
const inSortStreams = faultsOf('test/library/sort-streams.test.ts');
const inKeyObjects = faultsOf('test/library/key-objects.test.ts');
const inOptions = faultsOf('test/library/options.test.ts');
const inResults = faultsOf('test/library/results.test.ts');
const inProcess = faultsOf('test/library/process.test.ts');
const inArchives = faultsOf('test/release/archives.test.ts');
const inRecipes = faultsOf('test/release/recipes.slow.test.ts');
const inLauncher = faultsOf('test/release/launcher.test.ts');

export const CLUSTER = [
  // Phases and schedulers
  inPhase(
    'src/cluster/phase.ts',
    'a task whose node is lost three times ends the sort',
    'task.attempts - task.losses >= MOST_ATTEMPTS',
    'task.attempts >= MOST_ATTEMPTS',
  ),
  inPhase(
    'src/cluster/phase.ts',
    'a damaged share is made again for each range that met it',
    'const isOld = share !== null && task.startedAt < (redo?.redone.get(share) ?? -1);',
    'const isOld = false;',
  ),
  inPhase(
    'src/cluster/phase.ts',
    'progress counts the bytes of repeated shares twice',
    'if (this.finished.delete(number)) this.advance(-bytes[number]);',
    'this.finished.delete(number);',
  ),
  inPhase(
    'src/cluster/directory.ts',
    'submitting a task removes the temporary files of tasks that run',
    '(numbers?.has(Number.parseInt(name, 10)) ?? true)',
    'true',
  ),
  inParts(
    'src/cluster/slurm-commands.ts',
    'only the first quote of a file name is quoted for sh',
    `text.replaceAll("'", "'\\\\''")`,
    `text.replace("'", "'\\\\''")`,
  ),
  inParts(
    'src/cluster/slurm-commands.ts',
    'a preempted task counts as a failed attempt',
    "...(state === 'PREEMPTED' && { isLost: true })",
    '',
  ),
  inParts(
    'src/cluster/slurm.ts',
    'an earlier attempt of a task replaces a later one',
    'if (attempt.job >= (this.latest.get(attempt.task)?.job ?? 0)) this',
    'this',
  ),
  inDevices(
    'src/cluster/devices.ts',
    'the second round of processes sees every GPU',
    'host.cards.filter((card) => card !== equal[index % spread])',
    'host.cards.filter((card) => index < spread && card !== equal[index])',
  ),
  // Clients and the job directory
  inClient(
    'src/cluster/client-lock.ts',
    'the lock of a client on another host is taken over',
    'if (host !== hostname()) return false;',
    'if (host !== hostname()) return true;',
  ),
  inClient(
    'src/cluster/prepare.ts',
    'a sort goes on in the directory of one with another --header',
    'decompress, header, combined, compression, count, limit },',
    'decompress, combined, compression, count, limit },',
  ),
  inClient(
    'src/cluster/finish.ts',
    'the output of another program is taken for that of a finished sort',
    'return exists(output) && identityAt(output) === finished.identity;',
    'return exists(output);',
  ),
  inClient(
    'src/cluster/share-task.ts',
    'an input that changes while a task reads it is not noticed',
    'for (const file of used) refuseChanged(file, job.mode);',
    '',
  ),
  inOutput(
    'src/cluster/locate.ts',
    'a long output name makes a job directory with too long a name',
    'const MOST_NAME_BYTES = 240;',
    'const MOST_NAME_BYTES = 250;',
  ),
  inOutput(
    'src/cluster/local.ts',
    'a job directory whose name is not UTF-8 is not found by its tasks',
    'if (Buffer.from(name.toString()).equals(name)) return',
    'if (name.length > 0) return',
  ),
  inParts(
    'src/cluster/range-writer.ts',
    'a range is done although its output was replaced while it was synced',
    'await fileSystem.fsync(fd);\n        refuseReplaced();',
    'await fileSystem.fsync(fd);',
  ),
  // Runs, cuts and ranges
  inStoredShare(
    'src/cluster/stored-share.ts',
    'equal records of different shares change places between ranges',
    '!whole && this.number < share ? upper : lower',
    '!whole && this.number > share ? upper : lower',
  ),
  inStoredShare(
    'src/cluster/stored-share.ts',
    'a long record that begins at a cut is in both ranges',
    'if (byte >= to) break;',
    'if (byte > to) break;',
  ),
  inStoredShare(
    'src/cluster/run-index.ts',
    'the index knows only the length of the last long record',
    'longest = Math.max(longest, checkpoint.bytes);',
    'longest = checkpoint.bytes;',
  ),
  inStoredShare(
    'src/cluster/splitters.ts',
    'splitters with equal keys are in reverse order',
    '|| a.share - b.share || a.byte - b.byte);',
    '|| b.share - a.share || b.byte - a.byte);',
  ),
  inStoredShare(
    'src/cluster/run-writer.ts',
    'a share that starts again after a failed GPU writes its first records twice',
    'this.output.restart();',
    '',
  ),
  inParts(
    'src/cluster/range-writer.ts',
    'a task writes the block that it shares with its neighbor',
    'const from = Math.ceil(begin / edgeBytes) * edgeBytes;',
    'const from = Math.floor(begin / edgeBytes) * edgeBytes;',
  ),
  inMatrix(
    'src/cluster/merge-range.ts',
    'every range writes the header',
    'number === 0 && header.length > 0 ? () => header : null',
    'header.length > 0 ? () => header : null',
  ),
  inMatrix(
    'src/cluster/finish.ts',
    'a BGZF output has no end marker',
    "if (compression === null || (at > 0 && compression.kind !== 'bgzf')) return 0;",
    'if (compression === null || at > 0) return 0;',
  ),
  inMatrix(
    'src/cluster/sorted-input.ts',
    '-m joins the last line of an input without a newline to the next',
    'Number(end > begin && delimiter !== null && last[0] !== delimiter)',
    '0',
  ),
  inMatrix(
    'src/cluster/sorted-input.ts',
    '-m -s swaps equal lines of different inputs between ranges',
    '!whole && this.number < share ? upper : lower',
    '!whole && this.number > share ? upper : lower',
  ),
  // Damage
  inDamage(
    'src/cluster/merge-range.ts',
    'damaged keys of a run are not noticed',
    'const showsDamage = ({ ordering, output: { limit } }: SortJob): boolean =>\n  !isKeyed(ordering) &&',
    'const showsDamage = ({ ordering, output: { limit } }: SortJob): boolean =>\n ',
  ),
  inDamage(
    'src/cluster/finish.ts',
    'the records of the ranges are not compared with those of the shares',
    "compare('the ranges of the output', sumOf(results), runs);",
    '',
  ),
  inDamage(
    'src/cluster/job-file.ts',
    'a changed file of the job directory is believed',
    'if (text !== `${opening(json)}${json}${CLOSING}`)',
    'if (text.length === 0)',
  ),
  inDamage(
    'src/cluster/range-writer.ts',
    'the checksum of edges is not compared',
    'bytes.readUInt32LE(length) !== crc32(edges)',
    'false',
  ),
  // --explain
  inExplain(
    'src/cluster/sizes.ts',
    'merging more runs costs nothing',
    'mergeRate / Math.max(1, Math.log2(runs) / Math.log2(mergeRateRuns))',
    'mergeRate',
  ),
  inExplain('src/cluster/explain.ts', '--explain forgets a file', 'const FILES_OF_JOB = 4;', 'const FILES_OF_JOB = 3;'),
  inClient(
    'src/cluster/tasks.ts',
    'a task that is done is done again',
    'if (kind !== undefined && directory.isDone(kind as TaskKind, number)) return;',
    '',
  ),
  // The library
  inStreams(
    'src/library/streams.ts',
    'a character that is cut between two blocks becomes two replacement characters',
    'isFirstHalf(text.charCodeAt(text.length - 1)) ? text.length - 1 : text.length',
    'text.length',
  ),
  faultsOf('test/codecs/threads.test.ts')(
    'src/engines/worker.ts',
    'workers cannot compress',
    '=> openCodecWorker()',
    '=> undefined',
  ),
  faultsOf('test/cli/limits.test.ts')(
    'src/engines/worker.ts',
    'workers cannot make CPU sorts',
    '=> openCpuWorker(data)',
    '=> undefined',
  ),
  inStreams(
    'src/library/streams.ts',
    'blocks are given to a full stream',
    'if (stream.write(Buffer.from(block.buffer))) return;',
    'stream.write(Buffer.from(block.buffer));\n      if (failure === undefined) return;',
  ),
  inStreams(
    'src/library/streams.ts',
    'the output of a sort that failed stays open',
    'if (!stays) stream.destroy(error instanceof Error ? error : undefined);',
    '',
  ),
  inStreams(
    'src/library/streams.ts',
    'an input that nobody reads any more is not destroyed',
    "if (!stream.readableEnded) stream.on('error', () => undefined).destroy();",
    '',
  ),
  inStreams(
    'src/library/run.ts',
    'an aborted sort rejects with an error of its own',
    'if (signal.aborted) return error;',
    '',
  ),
  inSortStreams(
    'src/library/sort-streams.ts',
    'a sort writes to a stream that has no room',
    'if (stream.push(block)) done();',
    'if (stream.push(block) !== undefined) done();',
  ),
  inSortStreams(
    'src/library/sort-streams.ts',
    'a sort goes on after its stream is destroyed',
    'this.controller.abort(error ?? closed(null));',
    '',
  ),
  inSortStreams(
    'src/library/sort-streams.ts',
    'a stream is closed before its sort is over',
    'this.result.then(isOver, isOver);',
    'isOver();',
  ),
  inSortStreams(
    'src/library/sort-streams.ts',
    'a sort that needs no more input blocks its pipeline',
    'if (this.isOver) this.end(done);',
    'if (this.isOver) return;',
  ),
  inSortStreams(
    'src/library/sort-streams.ts',
    'text in another encoding is read as UTF-8',
    '? Buffer.from(chunk, encoding) : chunk',
    '? chunk : chunk',
  ),
  inResults(
    'src/library/callbacks.ts',
    'a sort ends before a promise of a callback rejects',
    'if (this.pending.size > 0 && !this.signal.aborted)',
    'if (this.pending.size < 0)',
  ),
  inResults(
    'src/library/callbacks.ts',
    'a promise of a callback that rejects does not end the sort',
    'this.controller.abort(callerError(error));',
    '',
  ),
  inResults('src/output/restored.ts', 'newlines inside quotes are counted as records', ' && !tallied', ''),
  inResults(
    'src/library/tally.ts',
    'bytes are counted as records',
    '? this.counted / this.format.size :',
    '? this.counted :',
  ),
  faultsOf('test/cli/request.test.ts')(
    'src/cli/parse/ordering.ts',
    'a key is kept that equals an earlier one in the other direction',
    'JSON.stringify({ ...part, reverse: false, isGroup: undefined })',
    'JSON.stringify({ ...part, isGroup: undefined })',
  ),
  inKeyObjects(
    'src/library/key-objects.ts',
    'a key that is an object goes on to the end of the record',
    'endField = field, endByte',
    "endField = 'last', endByte",
  ),
  inKeyObjects('src/library/key-objects.ts', 'a name with a comma is a list of names', '/[\\\\:,]/g', '/[\\\\:]/g'),
  inKeyObjects(
    'src/library/key-objects.ts',
    'a key to the end of the record loses its letters',
    "if (endField === 'last') return begin + letters;",
    "if (endField === 'last') return begin;",
  ),
  inKeyObjects(
    'src/library/options.ts',
    'an error of a key does not say which one',
    'Array.isArray(value) ? `${name}[${i}]` : name',
    'name',
  ),
  inOptions(
    'src/library/options.ts',
    'a bufferSize of bytes is one of kibibytes',
    "row.long === 'buffer-size' ? 'b' : ''",
    "''",
  ),
  inProcess(
    'src/library/run.ts',
    "the command's presets in the environment change the library",
    'posixlyCorrect: false, presets: undefined }',
    'posixlyCorrect: false }',
  ),
  inProcess('src/library/sorter.ts', 'a sorter closes while it sorts', 'await Promise.all(running);', ''),
  inOptions('src/library/sorter.ts', 'sortFile takes streams', '    refuseStreams(input, output);\n', ''),
  inOptions('src/library/sorter.ts', 'settings of a sorter are not checked', '  refuseCommon({ ...settings });\n', ''),
  inOptions('src/library/options.ts', 'a number is the name of a file', ' && isOfName(row)) throw', ' && false) throw'),
  inOptions(
    'src/library/options.ts',
    'settings of a sorter must be complete',
    "isKeyOption(name) || name === 'segmentBy' ? [] : text",
    'text',
  ),
  inProcess(
    'src/library/sorter.ts',
    'the settings of a sorter override those of one sort',
    'united(settings, own);',
    'united(own, settings);',
  ),
  inProcess(
    'src/library/run.ts',
    "times of statistics count from the process's start",
    'start: span.start - begin, end: span.end - begin',
    'start: span.start, end: span.end',
  ),
  {
    file: 'src/library/sorter.ts',
    name: 'a device on which a sort failed is used again',
    from: 'if (succeeded && !this.isClosed && this.idle === null)',
    to: 'if (!this.isClosed && this.idle === null)',
    tests: 'test/library/gpu.test.ts',
  },
  inProcess(
    'src/library/run.ts',
    'a sort of the library changes the options of V8',
    'ownsProcess: false,',
    'ownsProcess: true,',
  ),
  // The release
  inArchives(
    'tools/release/tar.mjs',
    'a file of whole blocks is followed by an empty block',
    'Buffer.alloc(-content.length & (BLOCK - 1))',
    'Buffer.alloc(BLOCK - (content.length & (BLOCK - 1)))',
  ),
  inArchives('tools/release/tar.mjs', 'folders are added for each file', 'if (folders.has(folder)) continue;', ''),
  inArchives(
    'tools/release/zip.mjs',
    'the directory of a zip has wrong offsets',
    'at += part.length;',
    'at += packed.length;',
  ),
  inArchives(
    'tools/release/packages.mjs',
    'a changed download is used',
    'if (existsSync(file) && integrityOf(file) === integrity) return file;',
    'if (existsSync(file)) return file;',
  ),
  inArchives(
    'tools/release/sbom.mjs',
    'the list of components names no dependencies',
    ', dependsOn: components.map((component) => purl(component.name, component.version))',
    '',
  ),
  inArchives(
    'tools/release/bundled.mjs',
    'a component without a license is published',
    'if (texts.length === 0) throw',
    'if (texts.length < 0) throw',
  ),
  inArchives(
    'tools/release/stage.mjs',
    'the archive lacks the library of webgpu',
    "'LICENSE.md', ...names]",
    "'LICENSE.md']",
  ),
  inRecipes(
    'tools/release/recipes.mjs',
    'a misspelt name stays in a recipe',
    'if (values[key] === undefined) throw',
    'if (key === undefined) throw',
  ),
  inLauncher(
    'tools/release/launcher.sh',
    'a newline at the end of a link is lost',
    'link=$(readlink "$path" && echo /)\n  link=${link%??}',
    'link=$(readlink "$path")',
  ),
  inLauncher(
    'tools/release/launcher.sh',
    'signals end the launcher and not the program',
    'exec "$node" --disable-sigusr1 "$program" "$@"\n',
    '"$node" --disable-sigusr1 "$program" "$@"\nexit\n',
  ),
];
