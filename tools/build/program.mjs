/**
 * Makes the program's bundles: NAME.cjs for each bundle of bundles.mjs. Each module is in one bundle. Imports of
 * another bundle's module become getters, so that bundle is loaded when one of its exports is first used
 * (bin/load.cjs). Node's modules are loaded at their first use, too: `node:net` alone takes 2 ms. Sources import both
 * as usual and know nothing of this.
 */
import { readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { bundleOf } from './bundles.mjs';

/** The modules that bin/gpusort.cjs and bin/worker.cjs run. */
const ENTRIES = ['cli/main.ts', 'run/worker.ts'];
/** In CommonJS there is no import.meta.url. */
const MODULE_URL = "const here = { get url() { return require('node:url').pathToFileURL(__filename).href; } };";
/** The same time as performance.now(), which loads node:perf_hooks: that takes 2 ms. */
const CLOCK = 'const sinceStart = () => process.uptime() * 1000;';
const PREFIX = 'bundle:';

/** Writes the bundles of the sources below `root` to `folder`. */
export async function makeProgram(root, folder) {
  const exportsOf = await findExports(root);
  const bundles = new Map();
  const wanted = new Map(ENTRIES.map((module) => [module, bundleOf(module)]));
  for (const module of exportsOf.keys()) bundles.set(bundleOf(module), new Set());
  // A bundle exports the modules that others import.
  for (const [module, { imports }] of exportsOf)
    for (const to of imports) if (bundleOf(to) !== bundleOf(module)) wanted.set(to, bundleOf(to));
  for (const [module, bundle] of wanted) bundles.get(bundle).add(module);
  for (const [bundle, modules] of bundles)
    if (modules.size > 0)
      writeFileSync(join(folder, `${bundle}.cjs`), await bundleText(root, bundle, [...modules].sort(), exportsOf));
}

/** The exports and imports of all modules, without those of types alone. */
async function findExports(root) {
  const source = join(root, 'src');
  const modules = readdirSync(source, { recursive: true }).filter((file) => /(?<!\.d)\.ts$/.test(file));
  const imports = new Map(modules.map((module) => [module, new Set()]));
  const { metafile } = await build({
    absWorkingDir: source,
    entryPoints: modules,
    outdir: 'unused',
    write: false,
    metafile: true,
    bundle: true,
    format: 'esm',
    plugins: [
      {
        name: 'imports',
        setup: ({ onResolve }) => {
          onResolve({ filter: /./ }, ({ path, importer }) => {
            if (importer === '') return undefined;
            if (path.startsWith('.'))
              imports.get(importer.slice(source.length + 1)).add(moduleAt(source, importer, path));
            return { path, external: true };
          });
        },
      },
    ],
  });
  const found = Object.values(metafile.outputs).map(({ entryPoint, exports }) => [
    entryPoint,
    { exports, imports: imports.get(entryPoint) },
  ]);
  return new Map(found);
}

const moduleAt = (source, importer, path) =>
  join(dirname(importer), path)
    .slice(source.length + 1)
    .replace(/\.js$/, '.ts');

async function bundleText(root, bundle, modules, exportsOf) {
  const source = join(root, 'src');
  const entry = modules.map((module) => `export * as ${JSON.stringify(module)} from ${JSON.stringify(`./${module}`)};`);
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    metafile: true,
    stdin: { contents: entry.join('\n'), resolveDir: source, sourcefile: `bundle ${bundle}` },
    write: false,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    // Names stay, so stacks can be read.
    minifyWhitespace: true,
    minifySyntax: true,
    external: ['webgpu'],
    define: { 'import.meta.url': 'here.url', 'performance.now': 'sinceStart' },
    banner: { js: MODULE_URL + CLOCK },
    logLevel: 'warning',
    plugins: [
      {
        name: 'bundles',
        setup: ({ onResolve }) => {
          onResolve({ filter: /^\./ }, ({ path, importer }) => {
            if (!importer.startsWith(`${source}/`)) return undefined;
            const module = moduleAt(source, importer, path);
            return bundleOf(module) === bundle ? undefined : { path: PREFIX + module, external: true };
          });
        },
      },
    ],
  });
  const called = calledAtUse(outputFiles[0].text);
  const text = called
    .replace(
      /\b(import_\w+)=require\("bundle:([^"]+)"\)/g,
      (_, name, module) => `${name}=${lazily(module, usesOf(name, called))}`,
    )
    .replace(/\brequire\("bundle:([^"]+)"\)/g, (_, module) => lazily(module, exportsOf.get(module).exports))
    .replace(/\bimport\("bundle:([^"]+)"\)/g, (_, module) => `Promise.resolve().then(() => ${moduleIn(module)})`);
  return packagesIn(metafile) + text;
}

/** A comment for each package in a bundle, which tools/release/bundled.mjs reads. */
export function packagesIn({ inputs }) {
  const names = Object.keys(inputs).flatMap(
    (file) => /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? [],
  );
  return [...new Set(names)].map((name) => `// node_modules/${name}/\n`).join('');
}

/** The bundle with named imports of Node's modules turned into functions, which load the module when it is used. */
function calledAtUse(text) {
  const imported = new Set();
  // A namespace of Node needs no copy that looks like an ES module.
  const plain = text.replace(/\bvar (?!import_)(\w+) = __toESM\((require\("node:[^"]+"\)), 1\)/g, 'var $1 = $2');
  const functions = plain.replace(/\b(import_\w+)=(require\("node:[^"]+"\))/g, (_, name, module) => {
    imported.add(name);
    return `${name}=()=>${module}`;
  });
  // The parentheses are for `new`.
  return functions.replace(/\b(import_\w+)\.(\w+)/g, (use, name, member) =>
    imported.has(name) ? `(${name}().${member})` : use,
  );
}

/** The members of an imported module that a bundle uses. */
const usesOf = (name, text) =>
  new Set([...text.matchAll(new RegExp(`\\b${name}\\.(\\w+)`, 'g'))].map(([, member]) => member));

/** An expression for the exports of a module of another bundle. `bundle` is a parameter of bin/load.cjs. */
const moduleIn = (module) => `bundle(${JSON.stringify(bundleOf(module))})[${JSON.stringify(module)}]`;

/** The same, loaded at the first use of an export. */
const lazily = (module, names) =>
  `{${[...names].map((name) => `get ${name}(){return ${moduleIn(module)}.${name}}`).join(',')}}`;
