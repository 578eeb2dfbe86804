/**
 * Figures as a table for the terminal (and for docs/benchmarks.md: it is Markdown) and as a picture. It measures nothing.
 */

/** A duration in three figures. */
const seconds = (value) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value >= 1 ? value.toFixed(2) : value.toFixed(3));
const rate = (bytes, value) => (bytes < 1e6 ? '' : `${(bytes / 1e6 / value).toFixed(0)} MB/s`);

/** The machine in one line. */
export function machineLine(machine) {
  const { cpu, cores, memoryGB, adapter, system, node, sort, date } = machine;
  return `${cpu}, ${cores} cores, ${memoryGB} GB; adapter ${adapter}; ${system}; Node ${node}; ${sort}; ${date}`;
}

/** One row's figures as lines of a Markdown table. A ratio is the program's time over gpusort's: above 1, gpusort is faster. */
export function rowTable(row) {
  const lines = [`### ${row.id}: ${row.title}${row.scale === 1 ? '' : ` x ${row.scale}`} (${row.bytes} bytes, ${row.lines} lines)`, '', '| program | median s | runs | rate | time / gpusort\'s | output |', '| --- | --- | --- | --- | --- | --- |'];
  const own = row.commands.find((command) => command.name === 'gpusort');
  for (const command of row.commands) {
    if (command.error) {
      lines.push(`| ${command.name} | failed: ${command.error.replaceAll('\n', ' ').replaceAll('|', '/')} | | | | |`);
      continue;
    }
    const spread = `${seconds(Math.min(...command.seconds))} to ${seconds(Math.max(...command.seconds))} (${command.seconds.length})`;
    const ratio = own?.median ? (command.median / own.median).toFixed(2) : '';
    lines.push(`| ${command.name} | ${seconds(command.median)} | ${spread} | ${rate(row.bytes, command.median)} | ${ratio} | ${command.output} |`);
  }
  return [...lines, ''].join('\n');
}

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** A bar plot of all rows, one group of bars each, its longest bar as wide as the plot. Readable on light and dark ground. */
export function svgPlot(rows, machine) {
  const left = 130;
  const width = 520;
  const step = 22;
  const parts = [];
  let y = 46;
  for (const row of rows) {
    const good = row.commands.filter((command) => !command.error);
    if (good.length === 0) continue;
    const longest = Math.max(...good.map((command) => command.median));
    parts.push(`<text x="10" y="${y}" class="title">${escaped(row.title)}</text>`);
    y += 12;
    for (const command of good) {
      const bar = Math.max(1, (command.median / longest) * width);
      parts.push(`<text x="${left - 8}" y="${y + 12}" text-anchor="end">${escaped(command.name)}</text>`,
        `<rect x="${left}" y="${y}" width="${bar.toFixed(1)}" height="16" rx="2" class="${command.name === 'gpusort' ? 'own' : 'peer'}"/>`,
        `<text x="${(left + bar + 6).toFixed(1)}" y="${y + 12}">${seconds(command.median)} s</text>`);
      y += step;
    }
    y += 26;
  }
  const style = 'text{font:12px system-ui,sans-serif;fill:#24292f}.title{font-weight:600}.small{font-size:10px}.own{fill:#1a7f64}.peer{fill:#9aa4af}'
    + '@media(prefers-color-scheme:dark){text{fill:#d8dee4}.own{fill:#3fb950}.peer{fill:#6e7681}}';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${left + width + 80} ${y}" role="img" aria-label="Benchmark: seconds, shorter is better">
<style>${style}</style>
<text x="10" y="20" class="small">Seconds, median, shorter is better. ${escaped(machineLine(machine))}</text>
${parts.join('\n')}
</svg>
`;
}
