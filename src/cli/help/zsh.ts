/** The completion script for zsh: a function that calls _arguments. It can be autoloaded or sourced. */
import type { CompletedArgument, CompletedOption } from './completed-option.js';

const ACTIONS = { file: '_files', directory: '_directories', program: '_command_names -e', nothing: '' } as const;

export function zshScript(options: readonly CompletedOption[]): string {
  return [
    '#compdef gpusort',
    '# Completions of gpusort for zsh, printed by: gpusort --completions=zsh',
    '',
    '_gpusort() {',
    '  _arguments -s -S \\',
    ...options.flatMap(specifications).map((specification) => `    ${quote(specification)} \\`),
    "    '*:FILE:_files'",
    '}',
    '',
    '# An autoloaded function completes at once; a sourced one is registered.',
    'if [[ $funcstack[1] == _gpusort ]]; then',
    '  _gpusort "$@"',
    'else',
    '  compdef _gpusort gpusort',
    'fi',
    '',
  ].join('\n');
}

/** Every option may be repeated. */
function specifications({ long, short, summary, alias, argument }: CompletedOption): string[] {
  const rest = `[${escapeAll(summary, /[\]\\]/g)}]${argument === undefined ? '' : actionOf(argument)}`;
  const suffix = argument === undefined ? '' : argument.isOptional ? '=-' : '=';
  return [
    // The letter of an option whose argument is optional never takes one.
    ...(short === undefined
      ? []
      : [argument?.isOptional ? `*-${short}[${summary}]` : `*-${short}${argument === undefined ? '' : '+'}${rest}`]),
    `*--${long}${suffix}${rest}`,
    ...(alias === undefined ? [] : [`*-${alias.short}[${alias.summary}]`]),
  ];
}

function actionOf({ name, words, completes, isOptional }: CompletedArgument): string {
  const message = `${isOptional ? '::' : ':'}${escapeAll(name, /[:\\]/g)}:`;
  if (words.length === 0) return message + (ACTIONS[completes] || ' ');
  const list = `(${words.map((word) => escapeAll(word, /[:\\]/g)).join(' ')})`;
  if (completes !== 'file') return message + list;
  return `${message}_alternative "words\\:${name}\\:${list}" "files\\:FILE\\:_files"`;
}

function escapeAll(text: string, special: RegExp): string {
  return text.replace(special, '\\$&');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
