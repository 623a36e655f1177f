# SPDX-License-Identifier: Apache-2.0
. flush.sh
. revision_tools.sh
for at in /var/lib/fabric/guard/*; do
  [ -e "$at/armed" ] || continue
  case $(say) in
  armed) echo "armed ${at##*/} $(cat "$at/armed")" ;;
  firing) echo "firing ${at##*/} $(cat "$at/armed")" ;;
  esac
  found=yes
done
revision=$(waiting)
if [ -n "$revision" ] && [ -z "$found" ]; then echo "foreign $revision"; fi
exit 0
