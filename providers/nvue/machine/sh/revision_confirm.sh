# SPDX-License-Identifier: Apache-2.0
. flush.sh
. revision_tools.sh
revision=$(waiting)
if [ -d "$at" ] && [ -n "$revision" ] && [ ! -e "$at/fired" ]; then
  if nv config apply "$revision" --confirm-yes >&2 && [ -z "$(waiting)" ]; then
    : >"$at/confirmed"
    flush_folder "$at"
    nv config save >&2
  fi
fi
said=$(say)
if [ "$said" = disarmed ] || { [ "$said" = armed ] && [ ! -e "$at/applying" ]; }; then
  rm -rf "$at"
  [ ! -d "${at%/*}" ] || flush_folder "${at%/*}"
  said=disarmed
fi
echo "$said"
