/**
 * Serves the demo page to this machine, or copies it into a folder that any web server can publish.
 *
 *     npm run demo [-- --port PORT]        http://localhost:PORT/ (default: 8080)
 *     npm run demo -- --out FOLDER         the page as static files
 */
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, extname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const folder = fileURLToPath(new URL('.', import.meta.url));
const TYPES = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript' };
/** The page loads nothing from elsewhere. */
const POLICY = "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'";

/** The files of the page by their names: those in this folder, and the library that the build makes. */
export function pageFiles() {
  const own = readdirSync(folder).filter((name) => ['.html', '.css', '.js'].includes(extname(name)));
  return new Map([
    ...own.map((name) => [name, join(folder, name)]),
    // Some web servers do not know that .mjs is a script, and browsers refuse it then.
    ['kernels.js', join(folder, '../../dist/bundle/kernels.mjs')],
  ]);
}

/** Serves the page on 127.0.0.1. Port 0: any that is free. Resolves to { address, close }. */
export function serve(port) {
  const files = pageFiles();
  const server = createServer(({ method, url }, response) => {
    const name = new URL(url, 'http://localhost').pathname.slice(1) || 'index.html';
    const path = files.get(name);
    if (path === undefined || !['GET', 'HEAD'].includes(method)) {
      response.writeHead(404).end();
      return;
    }
    const type = `${TYPES[extname(name)]}; charset=utf-8`;
    const headers = { 'Content-Type': type, 'Content-Security-Policy': POLICY, 'Cache-Control': 'no-store' };
    response.writeHead(200, headers).end(readFileSync(path));
  });
  return new Promise((done, fail) => {
    server.once('error', fail);
    server.listen(port, '127.0.0.1', () =>
      done({
        address: `http://localhost:${server.address().port}/`,
        close: () => {
          server.closeAllConnections();
          server.close();
        },
      }),
    );
  });
}

async function main() {
  const { values } = parseArgs({ options: { port: { type: 'string', default: '8080' }, out: { type: 'string' } } });
  if (values.out === undefined) {
    console.log(`The demo is at ${(await serve(Number(values.port))).address} (Ctrl-C ends it)`);
    return;
  }
  mkdirSync(values.out, { recursive: true });
  for (const [name, path] of pageFiles()) copyFileSync(path, join(values.out, basename(name)));
  console.log(`The demo is in ${resolve(values.out)}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
