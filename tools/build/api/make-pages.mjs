/**
 * Makes the pages of both programming interfaces, in dist/api, from the doc comments of what they export.
 * `npm run docs:api` builds and runs it. Status 1: something exported has no doc comment, or a link in one leads
 * nowhere.
 *
 * TypeDoc needs the interface of TypeScript 5, which the project's TypeScript 7 lacks. So it has its own lock file in
 * this folder, and is installed in .cache/api when it is first needed.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { installTools } from '../on-demand.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** The name that users import each module by, and the file that exports it. */
const MODULES = { gpusort: 'src/index.ts', 'gpusort/kernels': 'src/browser/index.ts' };
/** The interfaces whose properties are the options of the command: those without a comment get the option's help. */
const OPTIONS_INTERFACES = ['SortOptions', 'SortSettings'];

/** The interfaces whose properties docs/json.md describes, and the prefix of their names there. */
const STATISTICS = {
  Statistics: '',
  StageStatistics: 'stages[].',
  TiesStatistics: 'ties.',
  TilesStatistics: 'tiles.',
  VerificationStatistics: 'verification.',
  DigestStatistics: 'verification.input.',
};

const modules = installTools('build/api', 'api');
const { Application, Comment, ReflectionKind } = await import(
  pathToFileURL(join(modules, 'typedoc/dist/index.js')).href
);
process.chdir(root);
const application = await Application.bootstrap({
  name: 'gpusort',
  entryPoints: Object.values(MODULES),
  tsconfig: 'tsconfig.json',
  // The build checks types, with the project's TypeScript.
  skipErrorChecking: true,
  readme: 'tools/build/api/README.md',
  projectDocuments: ['docs/library.md', 'docs/kernels-api.md'],
  includeVersion: true,
  disableSources: true,
  githubPages: false,
  excludePrivate: true,
  excludeInternal: true,
  excludeExternals: true,
  validation: { notExported: true, invalidLink: true, notDocumented: false },
  treatValidationWarningsAsErrors: true,
});
const project = await application.convert();
if (project === undefined) process.exit(1);
for (const module of project.getChildrenByKind(ReflectionKind.Module)) {
  const file = `src/${module.name}.ts`;
  module.name = Object.keys(MODULES).find((name) => MODULES[name] === file) ?? module.name;
  for (const declaration of module.children ?? []) {
    if (OPTIONS_INTERFACES.includes(declaration.name)) await addHelp(declaration);
    if (declaration.name in STATISTICS) addMeanings(declaration);
    // A reference is an export that the other module has too.
    if (!declaration.isReference()) reportUndocumented(declaration);
  }
}
application.validate(project);
await application.generateDocs(project, join(root, 'dist/api'));
process.exitCode = application.logger.hasErrors() || application.logger.hasWarnings() ? 1 : 0;

/** Describes each option by its name and, if the source says no more, by the help of the command. */
async function addHelp({ children }) {
  const { OPTIONS } = await import('../../../dist/cli/options/table.js');
  for (const property of children) {
    const long = property.name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const row = OPTIONS.find((option) => option.long === long);
    if (row === undefined) continue;
    const name = `${row.short === undefined ? '' : `\`-${row.short}\`, `}\`--${row.long}\``;
    const said = property.comment?.summary ?? [{ kind: 'text', text: row.help }];
    property.comment = new Comment([{ kind: 'text', text: `${name}: ` }, ...said]);
  }
}

/** Describes each statistic as docs/json.md does; and its interface, if the source does not. */
function addMeanings(declaration) {
  const prefix = STATISTICS[declaration.name];
  const section = readFileSync('docs/json.md', 'utf8').split('## Statistics')[1].split('\n## ')[0];
  const meanings = new Map(
    [...section.matchAll(/^\| `([^`]+)` \| [^|]+ \| (.+) \|$/gm)].map(([, field, meaning]) => [field, meaning]),
  );
  const about = prefix === '' ? 'The object of `--stats=json`.' : `\`${prefix}*\` of \`--stats=json\`.`;
  declaration.comment ??= new Comment([{ kind: 'text', text: about }]);
  for (const property of declaration.children) {
    const meaning = meanings.get(prefix + property.name);
    if (meaning !== undefined) property.comment = new Comment([{ kind: 'text', text: meaning }]);
  }
}

/** Reports a declaration, and each of its members, that has no doc comment. Members of types in place may lack one. */
function reportUndocumented(declaration) {
  const isDocumented = (reflection) => [reflection, ...(reflection.signatures ?? [])].some((one) => one.hasComment());
  const own = (declaration.children ?? []).filter(({ inheritedFrom }) => inheritedFrom === undefined);
  const members = own.filter(({ kind }) => kind !== ReflectionKind.Constructor);
  for (const reflection of [declaration, ...members].filter((one) => !isDocumented(one)))
    application.logger.validationWarning(`no doc comment: ${reflection.getFullName()}`);
}
