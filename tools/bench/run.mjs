/**
 * `npm run bench`: makes files, times interleaved runs of gpusort and its peers on them, checks the outputs, prints the
 * tables, and writes the figures and plots into docs/. Needs only Node, the built dist/ and the package's dependencies.
 * --help lists the options.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { commandOf, engineOf, missingPrograms, root } from './commands.mjs';
import { baseOf, documentBases, earlierRows, isGrowth, readRows, writePlots, writeRows } from './documents.mjs';
import { generate } from './generate.mjs';
import { genomicsVerdict, scanGenomics, writtenFormat } from './genomics-check.mjs';
import { genomicsInputs } from './genomics-inputs.mjs';
import { inOrder, machine, median, sameFiles, timeCommand } from './measure.mjs';
import { bytesAtOnce, touchMemory } from './memory.mjs';
import { programName } from './plots/programs.mjs';
import { orderOfCommand } from './record-keys.mjs';
import { growthTable, machineLine, rowTable } from './report.mjs';
import { chooseRows, ROWS } from './rows.mjs';
import { scanFile, validate } from './validate.mjs';

const HELP = `Usage: npm run bench -- [OPTION]...
Times gpusort and other programs on generated files. Prints a table for each row.
  --rows LIST     rows or groups, separated by commas (default a,b,c)
  --scale X       multiply the sizes by X (default 1)
  --runs N        runs of each program (default 3; row c: seven times as many)
  --peers LIST    other programs to run, of gnu,cp,cat,hold,duckdb,uutils,node,pipe,samtools,seqkit,sort-bed,gzip
                  (default: all of the row; programs that are not installed are left out)
  --parallel N    threads of the other programs (default: the row's)
  --option X      one more option for gpusort; may be repeated
  --alignments F  SAM or BAM for rows of genomics (default: that of Debian's lumpy-sv-examples)
  --reads F,F     FASTQ of pairs for rows of genomics (default: that of Debian's unicycler-data)
  --limit S       stop a command after S seconds (default 600)
  --dir DIR       make the files in DIR (default /dev/shm, else the temporary directory)
  --docs NAME     write docs/plots/NAME.json, NAME.svg and, for rows n, NAME-growth.svg (default latest). NAME may be a
                  path. Rows of an existing NAME.json stay until they are measured again
  --plots         measure nothing: draw the plots of all docs/plots/*.json again, those of kernels too
Rows:
${ROWS.map((row) => `  ${row.id.padEnd(4)}${row.title}`).join('\n')}`;

/** Verdicts on wrong outputs. */
const FAULTS = ['WRONG', 'DIFFERS'];

/** The verdict on an output of binary records: their order, and whether they are those of the input. */
async function recordsVerdict(row, files) {
  const order = orderOfCommand([...row.own, ...row.order], row.ties);
  files.given ??= await scanFile(files.input, order);
  const { faults } = await validate(files.output, order, { given: files.given });
  for (const fault of faults) console.error(`${row.id}: ${fault}`);
  return faults.length === 0 ? 'in order' : 'WRONG';
}

/** The same of genomics. The first peer's output becomes the reference, unless other records are in it. */
async function verdictOfGenomics(name, row, files) {
  const { outputs } = files;
  const references = outputs.map((path) => `${path}.reference`);
  files.given ??= scanGenomics(writtenFormat(row), files.holds);
  const hasReference = existsSync(references[0]);
  const found = await genomicsVerdict(name, row, { outputs, references, given: files.given, hasReference });
  if (hasReference || found !== 'same records') return found;
  for (const [i, path] of outputs.entries()) renameSync(path, references[i]);
  return 'reference';
}

/**
 * The verdict on an output. GNU sort's output is the reference for all others. If there is none, only the order is
 * checked.
 */
async function verdict(name, row, files) {
  const { inputs, output, reference } = files;
  if (row.format === 'genomics') return verdictOfGenomics(name, row, files);
  if (name.startsWith('gnu')) {
    renameSync(output, reference);
    return 'reference';
  }
  if (existsSync(reference)) return sameFiles(output, reference) ? 'same' : 'DIFFERS';
  if (row.format === 'records') return recordsVerdict(row, files);
  // These outputs do not hold all lines of the input.
  if (row.shell !== undefined || row.order.some((option) => option === '-c' || option === '-u')) return 'not checked';
  return inOrder(inputs, output, row) ? 'in order' : 'WRONG';
}

/** Runs and times a command once. The first time, also checks its output. */
async function runOnce(command, row, files, limitSeconds) {
  for (const path of files.outputs) rmSync(path, { force: true });
  const onMemory = (peak) => {
    command.memory = Math.max(command.memory ?? 0, peak);
  };
  try {
    const watched = row.format === 'genomics' && { onMemory };
    const time = await timeCommand(command.argv, { stdout: command.stdout, limitSeconds, ...watched });
    if (row.format === 'genomics') command.written = files.outputs.reduce((sum, path) => sum + statSync(path).size, 0);
    if (command.seconds.length === 0 && command.sorts !== false) {
      if (command.proof) await timeCommand(command.proof, { limitSeconds });
      command.output = await verdict(command.name, row, files);
    }
    command.seconds.push(time);
  } catch (error) {
    command.error = error.message;
  }
  // Report progress only of long runs: short ones end before anyone could read it.
  if (command.error || command.seconds.at(-1) > 1)
    process.stderr.write(
      `${row.id}: ${programName(command.name)}: ${command.error ?? `${command.seconds.at(-1).toFixed(2)} s`}\n`,
    );
}

/** Turns the generated file into the row's inputs. Returns these, and all files that were made. */
function prepare({ edit, parts, sorted, listed }, input) {
  if (edit) execFileSync('bash', ['-c', `(${edit}) < "$1" > "$1.edited" && mv "$1.edited" "$1"`, 'bash', input]);
  let names = [input];
  if (parts) {
    execFileSync('split', ['-n', `l/${parts}`, '-a', '4', '-d', input, `${input}.`]);
    rmSync(input);
    names = Array.from({ length: parts }, (_, i) => `${input}.${String(i).padStart(4, '0')}`);
  }
  if (sorted)
    for (const name of names)
      execFileSync(process.execPath, [join(root, 'bin/gpusort.cjs'), '--engine', 'cpu', ...sorted, '-o', name, name]);
  if (!listed) return { inputs: names, made: names };
  writeFileSync(`${input}.names`, names.map((name) => `${name}\0`).join(''));
  return { inputs: [`--files0-from=${input}.names`], made: [...names, `${input}.names`] };
}

/** Makes the inputs of a row of lines or binary records. */
function openLines(row, directory, scale) {
  const input = join(directory, 'input');
  const { bytes, lines } = generate(row.kind, input, { bytes: Math.max(1024, Math.round(row.bytes * scale)) });
  const { inputs, made } = prepare(row, input);
  const close = () => {
    for (const path of [input, ...made]) rmSync(path, { force: true });
  };
  return { input, inputs, made: { bytes, lines, close } };
}

/** The same of genomics. */
function openGenomics({ genomics }, inputs, scale) {
  const opened = inputs.open(genomics.input, genomics.records, scale);
  const bytes = opened.inputs.reduce((sum, path) => sum + statSync(path).size, 0);
  const held = genomics.becomes === null ? opened : inputs.open(genomics.becomes, genomics.records, scale);
  const close = () => {
    opened.close();
    held.close();
  };
  const made = { bytes, lines: genomics.records, close };
  return { input: opened.inputs[0], inputs: opened.inputs, holds: held.inputs, made };
}

/**
 * Makes a row's file and runs its programs, except for `missing` ones. Their runs are interleaved: a slowdown of the
 * machine then affects all of them.
 */
async function measureRow(row, options, directory, missing, inputs) {
  const scale = Number(options.scale);
  const output = join(directory, 'output');
  const { made, ...opened } = row.genomics ? openGenomics(row, inputs, scale) : openLines(row, directory, scale);
  const files = { ...opened, output, mateOutput: `${output}.mates`, reference: join(directory, 'reference') };
  files.outputs = row.genomics?.mates ? [output, files.mateOutput] : [output];
  const threads = Number(options.parallel ?? row.threads ?? availableParallelism());
  const engine = engineOf(row, files.inputs, options.option);
  const programs = row.programs
    .filter((name) => !missing.has(name))
    .map((name) => ({ name, ...commandOf(name, row, files, { threads, own: options.option }) }))
    .map((command) => ({ ...command, seconds: [], output: '', error: null }));
  for (let run = 0; run < Number(options.runs) * row.repeat; run++) {
    for (const command of programs) {
      if (command.error === null && (run === 0 || !row.once.includes(command.name)))
        await runOnce(command, row, files, Number(options.limit));
    }
  }
  made.close();
  for (const path of [...files.outputs, files.reference, ...files.outputs.map((path) => `${path}.reference`)])
    rmSync(path, { force: true });
  const commands = programs.map(({ name, version, seconds, output, error, memory, written }) => ({
    name,
    ...(version && { version }),
    seconds,
    median: error === null ? median(seconds) : null,
    output,
    error,
    ...(memory && { memory }),
    ...(written && { written }),
  }));
  return {
    id: row.id,
    group: row.group,
    title: row.title,
    scale,
    options: options.option,
    bytes: made.bytes,
    lines: (await files.given)?.records ?? made.lines,
    engine,
    commands,
  };
}

/** The figures under the name that --docs gives. Figures of earlier runs stay until they are measured again. */
function openDocs(name) {
  const base = baseOf(name);
  let rows = earlierRows(`${base}.json`);
  return {
    base,
    growth: () => rows.filter(isGrowth),
    add(figures) {
      const all = [...rows.filter((row) => row.id !== figures.id), figures];
      rows = ROWS.flatMap(({ id }) => all.filter((row) => row.id === id));
      writeRows(`${base}.json`, rows);
      writePlots(base, rows);
    },
  };
}

async function main() {
  const text = { type: 'string' };
  const { values: options } = parseArgs({
    options: {
      help: { type: 'boolean', short: 'h' },
      plots: { type: 'boolean' },
      rows: { ...text, default: 'a,b,c' },
      scale: { ...text, default: '1' },
      runs: { ...text, default: '3' },
      docs: { ...text, default: 'latest' },
      dir: text,
      parallel: text,
      peers: text,
      limit: { ...text, default: '600' },
      alignments: text,
      reads: text,
      option: { ...text, multiple: true, default: [] },
    },
  });
  if (options.help) return console.log(HELP);
  if (options.plots) {
    const paths = documentBases().flatMap((base) => writePlots(base, readRows(`${base}.json`)));
    return console.log(paths.join('\n'));
  }
  if (!existsSync(join(root, 'dist'))) throw new Error('dist/ is missing: run npm run build');
  const rows = chooseRows(options.rows, options.peers);
  const docs = openDocs(options.docs);
  const parent = options.dir ?? (existsSync('/dev/shm') ? '/dev/shm' : tmpdir());
  mkdirSync(parent, { recursive: true });
  const directory = mkdtempSync(join(parent, 'gpusort-bench-'));
  const end = () => rmSync(directory, { recursive: true, force: true });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => {
      end();
      process.exit(130);
    });
  const here = machine(root);
  console.log(`${machineLine(here)}; files in ${parent}`);
  const missing = missingPrograms(rows);
  for (const [name, reason] of missing) console.log(`Without ${programName(name)}: ${reason}`);
  try {
    const touched = touchMemory(directory, bytesAtOnce(rows, Number(options.scale)));
    console.log(`${touched}\n`);
    const inputs = genomicsInputs(directory, options);
    for (const row of rows) {
      const reason = row.genomics ? inputs.missing(row.genomics.input) : null;
      if (reason !== null) {
        console.log(`Without row ${row.id}: ${reason}\n`);
        continue;
      }
      const figures = { ...(await measureRow(row, options, directory, missing, inputs)), machine: here };
      console.log(rowTable(figures));
      if (
        figures.commands.some(
          ({ name, output, error }) => name.startsWith('gpusort') && (error !== null || FAULTS.includes(output)),
        )
      )
        process.exitCode = 1;
      // Written after every row: a long run that is stopped early keeps its measurements.
      docs.add(figures);
    }
  } finally {
    end();
  }
  if (rows.some(isGrowth)) console.log(growthTable(docs.growth()));
  console.log(`Figures and plots: ${docs.base}.json, ${docs.base}*.svg`);
}

try {
  await main();
} catch (error) {
  console.error(`bench: ${error.message}`);
  process.exitCode = 2;
}
