/**
 * Starts the demo's server and a headless Chromium with a software GPU. Every page collects its errors, and everything
 * has a time limit. If there is no browser, tests are skipped and the reason is printed; under CI one that does not
 * start is a failure.
 */
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, describe } from 'vitest';
// @ts-expect-error a plain module
import { serve } from '../../docs/demo/serve.mjs';
// @ts-expect-error a plain module
import { findBrowser } from '../setup/browser.mjs';

/** Milliseconds for one step on a page, and for a test, on a busy machine. A test alone takes a few seconds. */
export const STEP_MS = 30_000;
export const TEST_MS = 60_000;

const ARGUMENTS = [
  '--no-sandbox',
  '--enable-unsafe-webgpu',
  '--use-webgpu-adapter=swiftshader',
  // SwiftShader compiles a kernel in 12 s instead of 1 s if workgroup memory is zeroed before a kernel runs.
  '--enable-dawn-features=disable_workgroup_init',
];

/** A page, the address of the server, and the problems on the page. */
export interface TestPage {
  readonly page: Page;
  readonly address: string;
  /** Errors and warnings of the console, uncaught errors, failed requests, and requests that leave this machine. */
  readonly problems: string[];
}

export interface Site {
  open(options?: BrowserContextOptions): Promise<TestPage>;
}

/** The browser, or why there is none. */
async function start(): Promise<Browser | string> {
  const found = findBrowser(fileURLToPath(new URL('../..', import.meta.url)));
  if ('reason' in found) return found.reason;
  try {
    return await chromium.launch({ ...found, args: ARGUMENTS, timeout: STEP_MS });
  } catch (error) {
    if (process.env.CI) throw error;
    return `the browser does not start: ${(error as Error).message.split('\n')[0]}`;
  }
}

const browser = await start();
if (typeof browser === 'string') console.warn(`browser tests are skipped: ${browser}`);

/** `describe` for tests in a browser. The server and the browser end with the file's tests. */
export const describeBrowser = typeof browser === 'string' ? describe.skip : describe;

/** The demo's site, served from a free port. */
export async function openSite(): Promise<Site> {
  const server = await serve(0);
  const running = browser as Browser;
  afterAll(async () => {
    server.close();
    await running.close();
  }, STEP_MS);
  return {
    open: async (options = {}) => {
      const context = await running.newContext(options);
      context.setDefaultTimeout(STEP_MS);
      const page = await context.newPage();
      const problems: string[] = [];
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) problems.push(message.text());
      });
      page.on('pageerror', (error) => problems.push(String(error)));
      page.on('requestfailed', (request) => problems.push(`failed: ${request.url()}`));
      page.on('request', (request) => {
        if (!/^(?:blob:)?http:\/\/localhost:|^data:/.test(request.url())) problems.push(`leaves: ${request.url()}`);
      });
      return { page, address: server.address, problems };
    },
  };
}
