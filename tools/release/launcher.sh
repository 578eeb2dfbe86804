#!/bin/sh
':' /*
# Runs gpusort with the Node of this archive. This file is a program of sh and of Node: sh runs the lines up to exec,
# and Node, for which they are a comment, the last one. So Node gets the name that the user typed, also that of a link
# (`sort`), as it does from an npm installation.
case $0 in
  *[/]*) path=$0 ;;
  *) path=./$0 ;;
esac
# The slash after the link's text keeps newlines at its end.
while [ -h "$path" ]; do
  link=$(readlink "$path" && echo /)
  link=${link%??}
  case $link in
    /*) path=$link ;;
    *) path=${path%/*}/$link ;;
  esac
done
# Node resolves `..` by the text of a path. After a link to a folder it means another place.
program=$0
case $0 in
  *[/]../*)
    folder=$(CDPATH='' cd -P -- "${0%/*}" && pwd -P && echo /)
    program=${folder%??}/${0##*[/]}
    ;;
esac
node=${path%/*}/../lib/gpusort/node
if ! [ -x "$node" ]; then
  echo "gpusort: cannot start: cannot run: $node" >&2
  echo 'Unpack the archive again. To put gpusort on the PATH, make a link to this program, not a copy.' >&2
  exit 2
fi
if ! [ -e @LOADER@ ]; then
  echo 'gpusort: cannot start: this is not @SYSTEM@: @LOADER@ is missing' >&2
  echo 'Install the archive for this system, or with Node 20.15 or later: npm install --global gpusort' >&2
  exit 2
fi
# Node can run nothing else. iconv runs only if there is more than ASCII.
case $program in
  /*) full=$program ;;
  *) full=$PWD/$program ;;
esac
case $full in
  *[!\ -~]*)
    if command -v iconv > /dev/null && ! printf %s "$full" | iconv -f UTF-8 -t UTF-8 > /dev/null 2>&1; then
      echo "gpusort: cannot start: the path is not UTF-8: $full" >&2
      echo 'Unpack the archive elsewhere.' >&2
      exit 2
    fi
    ;;
esac
# Variables that are meant for other Node programs and their connections.
unset NODE_CHANNEL_FD NODE_DEBUG_NATIVE NODE_USE_ENV_PROXY NODE_USE_SYSTEM_CA OPENSSL_CONF
unset NODE_OPTIONS NODE_PATH NODE_DEBUG NODE_ICU_DATA NODE_EXTRA_CA_CERTS NODE_V8_COVERAGE NODE_COMPILE_CACHE
unset NODE_PRESERVE_SYMLINKS NODE_PRESERVE_SYMLINKS_MAIN NODE_PENDING_DEPRECATION NODE_REDIRECT_WARNINGS
# USR1 never opens the debugger, not even during the start.
exec "$node" --disable-sigusr1 "$program" "$@"
*/
typeof require === 'function'
  ? require('../lib/gpusort/bin/gpusort.cjs')
  : import('../lib/gpusort/bin/gpusort.cjs'); // a package.json above the archive says that its files are ES modules
