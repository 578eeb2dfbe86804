/**
 * For bundles that cannot read files: puts the kernels of fixed-size keys into the module that reads kernels
 * (src/engines/gpu/device/kernel-text.ts).
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The rooms of kernels/wgsl/ that the bundle loads kernels from. Included files may lie elsewhere. */
const ROOMS = ['keys/', 'records/scan/'];

/** A plugin for esbuild. */
export function inlineKernels(root) {
  return {
    name: 'inline-kernels',
    setup: (build) => {
      build.onLoad({ filter: /\/gpu\/device\/kernel-text\.ts$/ }, () => ({
        contents: `const TEXTS = ${JSON.stringify(kernelTexts(join(root, 'kernels/wgsl')), null, 1)};
export const kernelText = (file) => TEXTS[file];`,
      }));
    },
  };
}

/** The files of ROOMS and all that they include, or may include if a constant is part of a name; by path. */
function kernelTexts(folder) {
  const all = readdirSync(folder, { recursive: true }).map((file) => file.replaceAll('\\', '/'));
  const names = new Set(
    all.filter((file) => file.endsWith('.wgsl') && ROOMS.some((room) => file.startsWith(room))).sort(),
  );
  const texts = {};
  for (const name of names) {
    // Comments would be half of the bundle. Line breaks stay, because errors name lines.
    texts[name] = readFileSync(join(folder, name), 'utf8').replace(/ *\/\/(?!! needs:).*$/gm, '');
    for (const [, needs] of texts[name].matchAll(/^\/\/! needs: (.+)$/gm)) {
      for (const need of needs.split(',')) {
        const like = new RegExp(`^${need.trim().replace(/\{\w+\}/g, '[a-z-]+')}\\.wgsl$`);
        for (const file of all) if (like.test(file)) names.add(file);
      }
    }
  }
  return texts;
}
