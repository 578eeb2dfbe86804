/**
 * `npm run lint`: Biome on all files. Further arguments are Biome's: `npm run lint -- --write` fixes what it can. Biome
 * takes as much space as the rest of a build's tools, so it is installed when it first runs.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { installTools } from '../build/on-demand.mjs';

const biome = join(installTools('lint', 'lint'), '@biomejs/biome/bin/biome');
const words = ['check', '--error-on-warnings', ...process.argv.slice(2)];
const { status } = spawnSync(process.execPath, [biome, ...words], { stdio: 'inherit' });
process.exit(status ?? 1);
