/**
 * The browser of the tests: Chromium's headless shell with the software GPU SwiftShader, both from the development
 * dependency @sparticuz/chromium (linux x64), or the Chromium that GPUSORT_TEST_BROWSER names. Needs no root.
 */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { cacheDirectory, readCompressed, tarFiles, writeDirectory } from './archive.mjs';

const PROGRAM = 'headless_shell';
/** The archive's own fonts.conf names directories of another system. */
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir prefix="relative">fonts</dir><cachedir prefix="xdg">font-cache</cachedir></fontconfig>
`;

/**
 * The archives beside the program: libraries that it needs on a bare system (NSS, Expat), a font, SwiftShader and GL.
 */
const ARCHIVES = ['al2023.tar.br', 'fonts.tar.br', 'swiftshader.tar.br'];

function* browserFiles(root) {
  yield { name: PROGRAM, content: readCompressed(root, 'chromium.br') };
  for (const archive of ARCHIVES) yield* tarFiles(readCompressed(root, archive));
  yield { name: 'fonts.conf', content: FONTS };
}

/**
 * How to start the browser, or the reason why there is none. Unpacks it, which takes some seconds, if it is not in
 * node_modules/.cache yet.
 * @param {string} root the repository
 * @returns {{ executablePath: string, env: Record<string, string> } | { reason: string }}
 */
export function findBrowser(root) {
  const given = process.env.GPUSORT_TEST_BROWSER;
  if (given === 'none') return { reason: 'GPUSORT_TEST_BROWSER=none' };
  if (given) return { executablePath: given, env: process.env };
  if (process.platform !== 'linux' || process.arch !== 'x64')
    return { reason: 'the browser of the tests is built for linux x64; name a Chromium in GPUSORT_TEST_BROWSER' };
  const directory = cacheDirectory(root, 'browser');
  if (!existsSync(join(directory, PROGRAM))) writeDirectory(directory, browserFiles(root), [PROGRAM]);
  const libraries = [join(directory, 'lib'), directory, process.env.LD_LIBRARY_PATH].filter(Boolean).join(delimiter);
  return {
    executablePath: join(directory, PROGRAM),
    env: {
      ...process.env,
      LD_LIBRARY_PATH: libraries,
      FONTCONFIG_FILE: join(directory, 'fonts.conf'),
      XDG_CACHE_HOME: directory,
    },
  };
}
