/** The output of --completions: a script for a shell, made from the option table. */
import { type OptionRow, summaryOf } from '../options/option.js';
import { OPTIONS } from '../options/table.js';
import type { Shell } from '../parse/option-values.js';

const SCRIPTS: Readonly<Record<Shell, (options: readonly CompletedOption[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** The script that completes the command `gpusort` in `shell`. */
export function completionScript(shell: Shell): string {
  return SCRIPTS[shell](OPTIONS.map(completed));
}

function completed(row: OptionRow): CompletedOption {
  const { long, short, help, alias } = row;
  return {
    long,
    ...(short !== undefined && { short }),
    summary: summaryOf(help),
    ...(alias !== undefined && { alias: { short: alias.short, summary: summaryOf(alias.help) } }),
    ...(row.argument !== undefined && {
      argument: {
        name: row.argument,
        isOptional: row.bare !== undefined,
        words: [...(row.words?.choices.flat() ?? []), ...(row.words?.own ?? []), ...(row.words?.longer ?? [])],
        completes: row.completes ?? 'nothing',
      },
    }),
  };
}

/** The facts about an option that completion scripts need. */
interface CompletedOption {
  readonly long: string;
  readonly short?: string;
  readonly summary: string;
  /** Another letter for the option, without an argument. */
  readonly alias?: { readonly short: string; readonly summary: string };
  /** Undefined for a switch. */
  readonly argument?: CompletedArgument;
}

interface CompletedArgument {
  /** The name of the argument in the help. */
  readonly name: string;
  /** Whether only `--name=VALUE` gives the argument, never the next word. */
  readonly isOptional: boolean;
  readonly words: readonly string[];
  readonly completes: 'file' | 'directory' | 'program' | 'column' | 'nothing';
}

/** The completion script for bash (3.2 or later, without the bash-completion package). */
function bashScript(options: readonly CompletedOption[]): string {
  const taking = options.filter(takesNext);
  const switches = options.filter((option) => !takesNext(option));
  const pieces: Readonly<Record<string, string>> = {
    SWITCHES: switches.flatMap(({ short, alias }) => [short ?? '', alias?.short ?? '']).join(''),
    LETTERS: taking.map(({ short }) => short ?? '').join(''),
    TAKING: taking.map(({ long }) => `--${long}`).join(' | '),
    NAMES: options.flatMap(namesOf).join(' '),
    VALUES: options.flatMap(caseOf).join('\n'),
  };
  return SCRIPT.replace(/@([A-Z]+)@/g, (_, name: string) => pieces[name]);
}

/** Whether the next word may be the option's argument. */
function takesNext({ argument }: CompletedOption): boolean {
  return argument?.isOptional === false;
}

/** All words that give the option. A long name that takes an argument ends with the equals sign. */
function namesOf(option: CompletedOption): string[] {
  const { long, short, alias, argument } = option;
  return [
    ...(short === undefined ? [] : [`-${short}`]),
    ...(alias === undefined ? [] : [`-${alias.short}`]),
    ...(takesNext(option) ? [] : [`--${long}`]),
    ...(argument === undefined ? [] : [`--${long}=`]),
  ];
}

/** The branch of `case` that completes an option's value. */
function caseOf({ long, short, argument }: CompletedOption): string[] {
  if (argument === undefined) return [];
  const { words, completes } = argument;
  const pattern = short === undefined || argument.isOptional ? `--${long}` : `-${short} | --${long}`;
  const commands = [
    ...(words.length === 0 ? [] : [`_gpusort_reply -W '${words.join(' ')}'`]),
    ...(completes === 'nothing' && words.length === 0 ? ['compopt +o default 2> /dev/null'] : []),
    ...(completes === 'file' ? ['_gpusort_files -f'] : []),
    ...(completes === 'directory' ? ['_gpusort_files -d'] : []),
    ...(completes === 'program' ? ['_gpusort_reply -c'] : []),
    ...(completes === 'column' ? ['_gpusort_columns'] : []),
  ];
  return [`    ${pattern}) ${commands.join('; ')} ;;`];
}

const SCRIPT = `# Completions of gpusort for bash, printed by: gpusort --completions=bash

# Adds what compgen finds for $cur. \`kept\` is the part of the word before it.
_gpusort_reply() {
  local found
  while IFS= read -r found; do COMPREPLY+=("$kept$found"); done < <(compgen "$@" -- "$cur")
}

_gpusort_files() {
  compopt -o filenames 2> /dev/null
  _gpusort_reply "$@"
}

# Removes quotes and backslashes from a word of the command line.
_gpusort_plain() {
  plain=\${1//[\\"\\'\\\\]/}
}

# Adds the names in the header of the first file of the line, if the line has --csv or --tsv. Reads one line of that
# file, at most 8 KiB, and runs nothing. A backslash makes a colon, or the digit that a name begins with, a part of it.
_gpusort_columns() {
  local at before plain csv= separator=, path= rest name whole=
  local -a names=()
  compopt +o default 2> /dev/null
  for ((at = 1; at < \${#COMP_WORDS[@]}; at++)); do
    ((at == COMP_CWORD)) && continue
    before=\${COMP_WORDS[at - 1]}
    _gpusort_plain "\${COMP_WORDS[at]}"
    if [[ $before == -t || ($before == = && \${COMP_WORDS[at - 2]} == --field-separator) ]]; then
      separator=$plain
      continue
    fi
    case $before in
    = | : | @TAKING@) continue ;;
    esac
    [[ $before =~ $next ]] && continue
    case $plain in
    --csv) csv=1 ;;
    --tsv) csv=1 separator=$'\\t' ;;
    -t?*) separator=\${plain#-t} ;;
    -*) ;;
    *)
      if [[ $plain == \\~/* ]]; then plain=$HOME\${plain#\\~}; fi
      if [[ -z $path && -f $plain && -r $plain ]]; then path=$plain; fi
      ;;
    esac
  done
  if [[ -z $csv || -z $path || \${#separator} != 1 ]]; then return; fi

  IFS= read -r -n 8192 rest < "$path"
  if ((\${#rest} < 8192)); then whole=1; fi
  rest=\${rest#$'\\xef\\xbb\\xbf'} rest=\${rest%$'\\r'}
  while :; do
    name=
    if [[ $rest == \\"* ]]; then
      rest=\${rest:1}
      while [[ $rest == *\\"* ]]; do
        name+=\${rest%%\\"*} rest=\${rest#*\\"}
        [[ $rest == \\"* ]] || break
        name+=\\" rest=\${rest:1}
      done
    fi
    if [[ $rest != *"$separator"* ]]; then
      if [[ -n $whole ]]; then names+=("$name$rest"); fi
      break
    fi
    names+=("$name\${rest%%"$separator"*}")
    rest=\${rest#*"$separator"}
  done

  if [[ \${#names[@]} == 0 ]]; then return; fi
  _gpusort_matches
  if [[ \${#COMPREPLY[@]} == 0 && $cur == *,* ]]; then
    # Several names: the last one is completed.
    kept+=\${cur%,*}, cur=\${cur##*,}
    _gpusort_matches
  fi
  compopt -o nospace 2> /dev/null
}

# Adds the names that begin with $cur, as words of the command line.
_gpusort_matches() {
  local name key
  for name in "\${names[@]}"; do
    [[ -z $name || $name == *[[:cntrl:]]* ]] && continue
    key=\${name//\\\\/\\\\\\\\}
    key=\${key//:/\\\\:}
    if [[ $key == [0-9]* ]]; then key=\\\\$key; fi
    # Inside quotes that are open, bash adds the word as it is, and would expand what is special there.
    case $cur in
    \\'*) [[ $key == *\\'* ]] && continue ;;
    \\"*)
      [[ $key == *!* ]] && continue
      key=\${key//\\\\/\\\\\\\\} key=\${key//\\"/\\\\\\"} key=\${key//\\$/\\\\\\$} key=\${key//\\\`/\\\\\\\`}
      ;;
    *)
      printf -v key %q "$key"
      if [[ \${key//\\\\/} == "\${cur//\\\\/}"* ]]; then COMPREPLY+=("$kept$key"); fi
      continue
      ;;
    esac
    if [[ $key == "\${cur:1}"* ]]; then COMPREPLY+=("$kept$key"); fi
  done
}

_gpusort() {
  local cur=\${COMP_WORDS[COMP_CWORD]} option= kept= at first=$COMP_CWORD
  COMPREPLY=()
  # bash has split a word at its colons.
  while ((first > 2)) && [[ \${COMP_WORDS[first - 1]} == : ]]; do first=$((first - 2)); done
  local prev=\${COMP_WORDS[first - 1]}
  for ((at = 1; at < COMP_CWORD; at++)); do
    if [[ \${COMP_WORDS[at]} == -- ]]; then
      _gpusort_files -f
      return
    fi
  done

  local next='^-[@SWITCHES@]*([@LETTERS@])$' attached='^(-[@SWITCHES@]*([@LETTERS@]))(.+)$'
  if [[ $cur == = && $prev == --* ]]; then
    # bash has split --option=VALUE at the equals sign.
    option=$prev cur=
  elif [[ $prev == = && \${COMP_WORDS[first - 2]} == --* ]]; then
    option=\${COMP_WORDS[first - 2]}
  elif [[ $cur == --*=* ]]; then
    option=\${cur%%=*} kept=$option= cur=\${cur#*=}
  elif [[ $prev =~ $next ]]; then
    option=-\${BASH_REMATCH[1]}
  elif [[ $cur =~ $attached ]]; then
    option=-\${BASH_REMATCH[2]} kept=\${BASH_REMATCH[1]} cur=\${BASH_REMATCH[3]}
  else
    case $prev in
    @TAKING@) option=$prev ;;
    esac
  fi

  case $option in
    '')
      if [[ $cur == -* ]]; then
        _gpusort_reply -W '@NAMES@'
        if [[ \${#COMPREPLY[@]} == 1 && $COMPREPLY == *= ]]; then compopt -o nospace 2> /dev/null; fi
      else
        _gpusort_files -f
      fi
      ;;
@VALUES@
  esac
}

complete -o default -F _gpusort gpusort
`;

/** The completion script for zsh: a function that calls _arguments. It can be autoloaded or sourced. */
const ACTIONS = {
  ...{ file: '_files', directory: '_directories', program: '_command_names -e' },
  ...{ column: '', nothing: '' },
} as const;

function zshScript(options: readonly CompletedOption[]): string {
  return [
    '#compdef gpusort',
    '# Completions of gpusort for zsh, printed by: gpusort --completions=zsh',
    '',
    '_gpusort() {',
    '  _arguments -s -S \\',
    ...options.flatMap(specifications).map((specification) => `    ${zshQuoted(specification)} \\`),
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
    // If an option's argument is optional, its letter never takes one.
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

function zshQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The completion script for fish. */
function fishScript(options: readonly CompletedOption[]): string {
  return [
    '# Completions of gpusort for fish, printed by: gpusort --completions=fish',
    ...options.flatMap(({ long, short, summary, alias, argument }) => [
      command(
        ...(short === undefined ? [] : [`-s ${short}`]),
        `-l ${long}`,
        ...argumentOf(argument),
        describe(summary),
      ),
      ...(alias === undefined ? [] : [command(`-s ${alias.short}`, describe(alias.summary))]),
    ]),
    '',
  ].join('\n');
}

function command(...words: string[]): string {
  return `complete -c gpusort ${words.join(' ')}`;
}

function argumentOf(argument: CompletedArgument | undefined): string[] {
  if (argument === undefined) return [];
  const { words, completes } = argument;
  const candidates = [
    ...words,
    ...(completes === 'directory' ? ['(__fish_complete_directories)'] : []),
    ...(completes === 'program' ? ['(__fish_complete_command)'] : []),
  ];
  return [...filesOf(argument), ...(candidates.length === 0 ? [] : [`-a ${fishQuoted(candidates.join(' '))}`])];
}

/** -r: the next word may be the argument. -F and -f: files are, and are not, among the candidates; -x is -r and -f. */
function filesOf({ completes, isOptional }: CompletedArgument): string[] {
  if (completes === 'file') return isOptional ? [] : ['-r', '-F'];
  return [isOptional ? '-f' : '-x'];
}

function describe(summary: string): string {
  return `-d ${fishQuoted(summary)}`;
}

function fishQuoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
