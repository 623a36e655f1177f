# SPDX-License-Identifier: Apache-2.0
# $1 the folder of the token, $2 seconds, $3 the holder.
. flush.sh
. revision_tools.sh
own=$at
for at in "${own%/*}"/*; do
  [ "$at" != "$own" ] && [ -d "$at" ] || continue
  case $(say) in
  armed | firing)
    echo "another rollback timer is armed: $at: $(cat "$at/armed")" >&2
    exit 75
    ;;
  esac
  rm -rf "$at"
  flush_folder "${at%/*}"
done
at=$own
other=$(waiting)
if [ -n "$other" ] && [ ! -d "$at" ]; then
  echo "revision $other waits to be confirmed by somebody else" >&2
  exit 75
fi
[ ! -e "$at/fired" ] || exit 75
if [ ! -e "$at/armed" ]; then
  umask 077
  mkdir -p "$at" && in_force >"$at/before" && boot >"$at/boot" &&
    echo $(($(seconds) + $2)) >"$at/until" && echo "$3" >"$at/armed" || exit 1
  flush_file "$at"/* && flush_folder "$at"
fi
