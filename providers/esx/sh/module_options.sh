# SPDX-License-Identifier: Apache-2.0
# $1 module, $2 elements of a list, then "key=value", "key[3]=value", "key[3]=" (0, and
# no option of nothing but 0) or "-key". Setting replaces
# the whole string (E-esxi-module-options), and its exit status proves nothing (E-esxcli-errors).
# What no boot has read yet is noted where only root writes and a boot wipes: in /tmp anybody could
# take the name first, by a link.
PATH=$PATH:/bin:/sbin
set -f
module=$1 elements=$2 pending=/var/run/fabric-pending
shift 2
[ -L "$pending" ] && { echo "$pending is a link"; exit 1; }
. read_options.sh
read_options
for change in "$@"; do
  index= value=${change#*=} key=${change%%=*}
  case $change in -*) key=${change#-} ;; esac
  case $key in *[[]*) index=${key#*[[]} index=${index%?} key=${key%%[[]*} ;; esac
  kept= list=
  for word in $options; do
    case $word in
      "$key"=*) list=${word#*=} ;;
      "$key") ;;
      *) kept="$kept $word" ;;
    esac
  done
  if [ -n "$index" ]; then
    i=0 merged=
    while [ "$i" -lt "$elements" ] || [ "$i" -le "$index" ] || [ -n "$list" ]; do
      entry=${list%%,*}
      case $list in *,*) list=${list#*,} ;; *) list= ;; esac
      if [ "$i" -eq "$index" ]; then entry=$value; fi
      merged=$merged,${entry:-0}
      i=$((i + 1))
    done
    value=${merged#,}
    case $change=$value in *==*[!0,]*) ;; *==*) change=-$key ;; esac
  fi
  case $change in -*) ;; *) kept="$kept $key=$value" ;; esac
  options=${kept# }
  echo "$module $key" >> "$pending" || exit 1
done
wanted=$options
said=$(esxcli system module parameters set -m "$module" -p "$wanted" 2>&1)
read_options
[ "$options" = "$wanted" ] && exit 0
echo "options of $module are '$options', not '$wanted': $said"
exit 1
