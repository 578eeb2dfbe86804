/**
 * DuckDB as a peer: text in, text out, sorted by bytes or, as BIGINT, by value. It runs as a process of its own:
 * node duckdb.mjs MODULE_PATH THREADS TYPE IN OUT. A line is one column without quotes; its separator is byte 1, which
 * does not occur in the benchmark files.
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

async function main([modulePath, threads, type, input, output]) {
  const { DuckDBInstance } = (await import(pathToFileURL(modulePath).href)).default;
  const connection = await (await DuckDBInstance.create(':memory:', { threads })).connect();
  const quoted = (path) => `'${path.replaceAll("'", "''")}'`;
  await connection.run(`COPY (
    SELECT line FROM read_csv(${quoted(input)}, columns = {'line': '${type}'}, auto_detect = false, header = false,
                              delim = '\x01', quote = '', escape = '', new_line = '\\n')
    ORDER BY line
  ) TO ${quoted(output)} (FORMAT csv, HEADER false, DELIMITER '\x01', QUOTE '', ESCAPE '')`);
}

if (process.argv[1]?.endsWith('duckdb.mjs')) await main(process.argv.slice(2));
