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
 * @param {{ select?: string, order?: string, group?: boolean, limit?: number }} [query] what is selected, in which
 *   order; whether equal lines are grouped; the number of lines wanted
 */
export const sortLines = (type, { select = 'line', order = 'line', group = false, limit } = {}) => `COPY (
  SELECT ${select} FROM read_csv(IN, columns = {'line': '${type}'}, auto_detect = false, header = false,
                                 delim = '\x01', quote = '', escape = '', new_line = '\\n')
  ${group ? 'GROUP BY line ' : ''}ORDER BY ${order}${limit === undefined ? '' : ` LIMIT ${limit}`}
) TO OUT (FORMAT csv, HEADER false, DELIMITER '\x01', QUOTE '', ESCAPE '')`;

/**
 * CSV in, CSV out.
 * @param {Record<string, string>} columns their names and types
 * @param {string} order the ORDER BY
 * @param {{ header?: boolean }} [file] whether its first line has the names
 */
export const sortCsv = (columns, order, { header = true } = {}) => `COPY (
  SELECT * FROM read_csv(IN, columns = ${JSON.stringify(columns).replaceAll('"', "'")}, auto_detect = false,
                         header = ${header})
  ORDER BY ${order}
) TO OUT (FORMAT csv, HEADER ${header})`;

async function main([modulePath, threads, statement, input, output]) {
  const { DuckDBInstance } = (await import(pathToFileURL(modulePath).href)).default;
  const connection = await (await DuckDBInstance.create(':memory:', { threads })).connect();
  const quoted = (path) => `'${path.replaceAll("'", "''")}'`;
  await connection.run(statement.replace(/\b(IN|OUT)\b/g, (name) => quoted(name === 'IN' ? input : output)));
}

if (process.argv[1]?.endsWith('duckdb.mjs')) await main(process.argv.slice(2));
