/**
 * The page: its form, and what happens when it is sent. The sorts are in algorithms.js, their order in measure.js.
 */
import { ALGORITHMS } from './algorithms.js';
import { DemoError, describeDevice, openDevice } from './device.js';
import { KINDS } from './generate.js';
import { KEY_TYPES } from './keys.js';
import { measure } from './measure.js';
import { showRows } from './results.js';
import { startWorker } from './worker.js';

const $ = (id) => document.getElementById(id);
const form = $('form');
const field = (name) => form.elements[name];

const CONTENTS = {
  lines: 'lines of text',
  ...Object.fromEntries(Object.entries(KEY_TYPES).map(([type, { label }]) => [type, label])),
};
const NOTES = {
  lines:
    'Lines are sorted by their bytes, as by LC_ALL=C sort. The GPU sorts the first 8 bytes of each line; lines that ' +
    'are equal in these are then ordered on the CPU. The whole file has to fit into memory.',
  keys: 'The file is an array of little-endian numbers, without a header.',
};
/** A software GPU sorts this many keys in a moment. */
const SOFTWARE_COUNT = 65536;

/** The file that was dropped or chosen. */
let file;
/** The sorted result: an address and a name for it. */
let download;
let stopping = false;
/** Why the device was lost; all that fails afterwards fails for this reason. */
let lost;

function fillForm() {
  const options = (select, entries) => select.append(...entries.map(([value, label]) => new Option(label, value)));
  options(
    field('type'),
    Object.entries(KEY_TYPES).map(([type, { label }]) => [type, label]),
  );
  options(field('kind'), Object.entries(KINDS));
  options(field('contents'), Object.entries(CONTENTS));
  const sorts = { ...ALGORITHMS, cpu: { label: 'CPU', note: "the browser's own sort, on one thread" } };
  for (const [name, { label, note }] of Object.entries(sorts)) {
    const line = document.createElement('label');
    const box = Object.assign(document.createElement('input'), { type: 'checkbox', name: 'sort', value: name });
    box.checked = true;
    line.append(box, ` ${label}`);
    if (note) line.append(Object.assign(document.createElement('small'), { textContent: note }));
    $('algorithms').append(line);
  }
}

/** Shows the fields that the chosen source has, and turns off the sorts that it excludes. */
function adaptForm() {
  const fromFile = field('source').value === 'file';
  const lines = fromFile && field('contents').value === 'lines';
  $('generated').hidden = fromFile;
  $('file').hidden = !fromFile;
  field('count').disabled = fromFile;
  $('contents-note').textContent = lines ? NOTES.lines : NOTES.keys;
  for (const box of field('sort')) {
    const { input, result } = ALGORITHMS[box.value] ?? {};
    box.disabled = lines && (input !== undefined || result !== undefined);
  }
}

function takeFile(taken) {
  file = taken;
  $('file-name').textContent = `${taken.name}, ${taken.size.toLocaleString('en')} bytes`;
  field('source').value = 'file';
  if (/\.(?:u32|i32|f32|u64|i64|f64)$/.test(taken.name)) field('contents').value = taken.name.slice(-3);
  adaptForm();
}

function listenToFiles() {
  field('file').addEventListener('change', () => {
    if (field('file').files.length > 0) takeFile(field('file').files[0]);
  });
  // Anywhere on the page: a file dropped beside the field would replace the page.
  addEventListener('dragover', (event) => {
    event.preventDefault();
    $('drop').classList.add('over');
  });
  addEventListener('dragleave', () => $('drop').classList.remove('over'));
  addEventListener('drop', (event) => {
    event.preventDefault();
    $('drop').classList.remove('over');
    if (event.dataTransfer.files.length > 0) takeFile(event.dataTransfer.files[0]);
  });
}

/** Shows the step that runs. Until the visitor's request to stop is met, that is what is shown. */
function say(step) {
  $('status').textContent = stopping ? 'Stopping after this step' : step;
}

/** The keys to sort, as the form says. */
async function readSource(cpu) {
  if (field('source').value === 'generated') {
    const [type, kind, count] = [field('type').value, field('kind').value, field('count').valueAsNumber];
    say('Generating keys');
    const keys = await cpu.call('generate', { type, kind, count });
    return { type, keys, lines: false, name: `sorted.${type}`, text: `${KINDS[kind]}, ${type}` };
  }
  if (file === undefined) throw new DemoError('Choose a file first, or drop one on the page.');
  const contents = field('contents').value;
  const size = contents === 'lines' ? 1 : KEY_TYPES[contents].Keys.BYTES_PER_ELEMENT;
  if (file.size === 0) throw new DemoError(`${file.name} is empty.`);
  if (file.size % size !== 0)
    throw new DemoError(`${file.name} has ${file.size} bytes, which is no multiple of ${size}: choose another type.`);
  say(`Reading ${file.name}`);
  const buffer = await file.arrayBuffer().catch(() => {
    throw new DemoError(`${file.name} cannot be read, or is too large for this browser's memory.`);
  });
  const name = `sorted-${file.name}`;
  if (contents !== 'lines')
    return {
      type: contents,
      keys: await cpu.call('read', { type: contents, buffer }, [buffer]),
      lines: false,
      name,
      text: `${file.name}, ${contents}`,
    };
  return { type: 'u64', keys: await cpu.call('readLines', { buffer }, [buffer]), lines: true, name, text: file.name };
}

async function sortAndShow(gpu, cpu) {
  const names = [...field('sort')].filter((box) => box.checked && !box.disabled).map((box) => box.value);
  if (names.length === 0) throw new DemoError('Choose at least one sort.');
  const source = await readSource(cpu);
  const rows = [];
  const job = {
    device: gpu.device,
    cpu,
    source,
    names,
    runs: Number(field('runs').value),
    say,
    stopped: () => stopping,
  };
  for await (const row of measure(job)) {
    rows.push(row);
    await offerDownload(cpu, source, row);
    showRows(rows, source, describeDevice(gpu).timestamps);
  }
  $('status').textContent = stopping ? 'Stopped' : 'Done';
}

/** The first sorted result becomes the download. */
async function offerDownload(cpu, source, row) {
  if (!$('download').hidden || row.output === undefined) return;
  const bytes = source.lines ? await cpu.call('join', { order: row.output }) : row.output;
  download = { href: URL.createObjectURL(new Blob([bytes])), download: source.name };
  $('download').hidden = false;
}

/** Runs `action`; an error becomes one sentence on the page. */
async function explained(action) {
  $('problem').hidden = true;
  try {
    await action();
  } catch (error) {
    showProblem(lost ?? sentenceOf(error));
  }
}

function sentenceOf(error) {
  if (error instanceof DemoError) return error.message;
  // What arrays that are too large throw, here and in the worker.
  if (error instanceof RangeError) return 'This browser has too little memory: choose fewer keys or a smaller file.';
  return `This page failed: ${error.message}`;
}

function showProblem(sentence) {
  $('problem').textContent = sentence;
  $('problem').hidden = false;
  $('status').textContent = '';
  $('problem').scrollIntoView({ block: 'nearest' });
}

function showGpu(gpu) {
  const { name, software, rows } = describeDevice(gpu);
  $('gpu-name').textContent = name;
  $('gpu-software').hidden = !software;
  $('gpu-details').hidden = false;
  for (const [term, text] of rows)
    $('gpu-rows').append(
      Object.assign(document.createElement('dt'), { textContent: term }),
      Object.assign(document.createElement('dd'), { textContent: text }),
    );
  if (software) field('count').value = SOFTWARE_COUNT;
}

fillForm();
adaptForm();
listenToFiles();
form.addEventListener('change', adaptForm);
$('download').addEventListener('click', () => Object.assign(document.createElement('a'), download).click());
$('stop').addEventListener('click', () => {
  stopping = true;
  say();
});
await explained(async () => {
  const gpu = await openDevice((sentence) => {
    lost = sentence;
    $('start').disabled = true;
    showProblem(sentence);
  });
  const cpu = startWorker();
  showGpu(gpu);
  // From here on problems are those of requests, and are shown beside the button.
  $('form').after($('problem'));
  $('start').disabled = false;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    stopping = false;
    // A button that is disabled or hidden loses the focus.
    const byButton = document.activeElement === $('start');
    $('start').disabled = true;
    $('stop').hidden = false;
    if (byButton) $('stop').focus();
    $('results').hidden = true;
    $('download').hidden = true;
    if (download !== undefined) URL.revokeObjectURL(download.href);
    await explained(() => sortAndShow(gpu, cpu));
    const onButton = document.activeElement === $('stop');
    $('stop').hidden = true;
    $('start').disabled = lost !== undefined;
    if (onButton) $('start').focus({ preventScroll: true });
  });
});
if ($('start').disabled) $('gpu').hidden = true;
