/**
 * Shows measured rows: the table of rates, the sentence that says how they were timed, and the timeline.
 */
import { drawTimeline, formatMs } from './timeline.js';

const $ = (id) => document.getElementById(id);

/** Rows as measure() yields them. `timestamps`: whether the device timed the passes. */
export function showRows(rows, source, timestamps) {
  const count = source.keys.length;
  const unit = source.lines ? 'lines' : 'keys';
  $('unit').textContent = `M ${unit}/s`;
  $('summary').textContent = `${count.toLocaleString('en')} ${unit}: ${source.text}.`;
  const best = Math.max(...rows.map((row) => rate(count, row.sort.median) ?? 0));
  $('rows').replaceChildren(...rows.map((row) => tableRow(row, count, best)));
  $('timing').textContent = [
    `Rates are ${unit} per second of the sort alone, without upload and read-back; ` +
      '"All" adds these, of the median run.',
    timestamps
      ? 'Sorts are timed on the GPU, from the first compute pass to the last, by timestamps that browsers may round ' +
        'to 0.1 ms.'
      : 'This GPU has no timestamps, so a sort is timed from submitting it until the queue is done.',
    'Compiling is not counted, nor is the first run. In gaps of the timeline the page waited for the GPU.',
    source.lines ? 'Lines with equal first 8 bytes are ordered on the CPU; that counts in "All" alone.' : '',
  ].join(' ');
  $('results').hidden = false;
  drawTimeline($('timeline'), rows, Math.max($('timeline').clientWidth, 280));
}

/** Millions per second; undefined if the clock was too coarse. */
function rate(count, ms) {
  return ms > 0 ? count / ms / 1000 : undefined;
}

function tableRow(
  { name, label, note, runs, sort, uploadMs, readBackMs, totalMs, verified, tied, compileMs },
  count,
  best,
) {
  const row = document.createElement('tr');
  row.dataset.sort = name;
  const perSecond = rate(count, sort.median);
  const range = runs > 1 ? `${formatMs(sort.least)} to ${formatMs(sort.most)}, ${runs} runs` : '1 run';
  const head = cell('th', label, [note, compiled(compileMs)]);
  head.scope = 'row';
  const rateCell = cell(
    'td',
    perSecond === undefined ? 'too short to time' : Number(perSecond.toPrecision(3)).toLocaleString('en'),
  );
  rateCell.className = 'rate';
  if (perSecond !== undefined) {
    const bar = Object.assign(document.createElement('span'), { className: name === 'cpu' ? 'bar cpu' : 'bar' });
    bar.style.width = `${(100 * perSecond) / best}%`;
    rateCell.append(bar);
  }
  row.append(
    head,
    rateCell,
    cell('td', formatMs(sort.median), [range]),
    cell('td', uploadMs === undefined ? '' : formatMs(uploadMs)),
    cell('td', readBackMs === undefined ? '' : formatMs(readBackMs)),
    cell('td', formatMs(totalMs)),
    cell('td', verified ? 'verified' : 'reference', [tied ? `${tied.toLocaleString('en')} lines tied` : '']),
  );
  return row;
}

/** Sorts share kernels. */
function compiled(ms) {
  if (ms === undefined) return '';
  return ms < 2 ? 'compiled before' : `compiled in ${formatMs(ms)}`;
}

/** A cell with a text and smaller lines below it. */
function cell(name, text, small = []) {
  const element = document.createElement(name);
  element.append(text);
  for (const line of small.filter(Boolean))
    element.append(Object.assign(document.createElement('small'), { textContent: line }));
  return element;
}
