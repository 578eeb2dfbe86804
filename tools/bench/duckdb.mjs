/**
 * DuckDB as a peer. It runs as a process of its own: node duckdb.mjs MODULE_PATH THREADS STATEMENT IN OUT. The names of
 * the files replace IN and OUT in the statement.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * The path of DuckDB's package, if it is installed beside gpusort or in the current directory; else null.
 * @param {string} root
 * @returns {string | null}
 */
export function findDuckdb(root) {
  for (const from of [root, process.cwd()]) {
    try {
      return createRequire(join(from, 'x.js')).resolve('@duckdb/node-api');
    } catch {
      /* not here */
    }
  }
  return null;
}

/**
 * Lines in, lines out. A line is one column without quotes; its separator is byte 1, which does not occur in the
 * benchmark files.
 * @param {'VARCHAR' | 'BIGINT'} type of a line: sorted by bytes or by value
 * @param {string} select what is selected: all lines or, with DISTINCT, different ones
 */
export const sortLines = (type, select = 'line') => `COPY (
  SELECT ${select} FROM read_csv(IN, columns = {'line': '${type}'}, auto_detect = false, header = false,
                                 delim = '\x01', quote = '', escape = '', new_line = '\\n')
  ORDER BY line
) TO OUT (FORMAT csv, HEADER false, DELIMITER '\x01', QUOTE '', ESCAPE '')`;

/**
 * CSV in, CSV out, with a header.
 * @param {Record<string, string>} columns their names and types
 * @param {string} order the ORDER BY
 */
export const sortCsv = (columns, order) => `COPY (
  SELECT * FROM read_csv(IN, columns = ${JSON.stringify(columns).replaceAll('"', "'")}, auto_detect = false, header = true)
  ORDER BY ${order}
) TO OUT (FORMAT csv, HEADER true)`;

async function main([modulePath, threads, statement, input, output]) {
  const { DuckDBInstance } = (await import(pathToFileURL(modulePath).href)).default;
  const connection = await (await DuckDBInstance.create(':memory:', { threads })).connect();
  const quoted = (path) => `'${path.replaceAll("'", "''")}'`;
  await connection.run(statement.replace(/\b(IN|OUT)\b/g, (name) => quoted(name === 'IN' ? input : output)));
}

if (process.argv[1]?.endsWith('duckdb.mjs')) await main(process.argv.slice(2));
