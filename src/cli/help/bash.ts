/** The completion script for bash (3.2 or later, without the bash-completion package). */
import type { CompletedArgument, CompletedOption } from './completed-option.js';

export function bashScript(options: readonly CompletedOption[]): string {
  const letters = (isWanted: (argument: CompletedArgument | undefined) => boolean): string =>
    options
      .flatMap(({ short, alias, argument }) => [
        ...(short !== undefined && isWanted(argument) ? [short] : []),
        ...(alias !== undefined && isWanted(undefined) ? [alias.short] : []),
      ])
      .join('');
  const takesNext = (argument: CompletedArgument | undefined): boolean => argument?.isOptional === false;
  const names = options.flatMap(({ long, short, alias, argument }) => [
    ...(short === undefined ? [] : [`-${short}`]),
    ...(alias === undefined ? [] : [`-${alias.short}`]),
    ...(takesNext(argument) ? [] : [`--${long}`]),
    ...(argument === undefined ? [] : [`--${long}=`]),
  ]);
  return SCRIPT.replaceAll(
    '@SWITCHES@',
    letters((argument) => !takesNext(argument)),
  )
    .replaceAll('@LETTERS@', letters(takesNext))
    .replace(
      '@TAKING@',
      options
        .filter(({ argument }) => takesNext(argument))
        .map(({ long }) => `--${long}`)
        .join(' | '),
    )
    .replace('@VALUES@', () => options.flatMap(caseOf).join('\n'))
    .replace('@NAMES@', names.join(' '));
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

_gpusort() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} option= kept= at
  COMPREPLY=()
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
  elif [[ $prev == = && \${COMP_WORDS[COMP_CWORD - 2]} == --* ]]; then
    option=\${COMP_WORDS[COMP_CWORD - 2]}
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
