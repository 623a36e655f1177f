# SPDX-License-Identifier: Apache-2.0
. flush.sh
. revision_tools.sh
if [ -d "$at" ]; then
  : >"$at/fired"
  flush_folder "$at"
  revision=$(waiting)
  if [ -n "$revision" ]; then nv config apply "$revision" --confirm-no >&2; fi
  nv config detach >/dev/null 2>&1
fi
say
