# SPDX-License-Identifier: Apache-2.0
# Of an apply that is refused, or finds nothing to do, nothing waits.
. flush.sh
. revision_tools.sh
left=$(left)
if [ ! -e "$at/armed" ] || [ "${left:-0}" -le 0 ]; then
  echo "it came too late: this rollback timer was given up, or has fired" >&2
  exit 75
fi
: >"$at/applying"
flush_file "$at/applying" && flush_folder "$at"
shift
"$@" --confirm "${left}s"
status=$?
if [ -z "$(waiting)" ]; then
  rm -f "$at/applying"
  flush_folder "$at"
fi
exit "$status"
