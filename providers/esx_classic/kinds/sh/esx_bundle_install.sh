# SPDX-License-Identifier: Apache-2.0
# $1 "yes" = a package; $2 the file; $3 "--nosigcheck" or nothing; then the ids.
# shellcheck disable=SC2086 # $check may be nothing
. esx_bundle.sh
package=$1 file=$HOME/$2 check=$3
shift 3
missing=
for id in "$@"; do is_there "$id" || missing="$missing $id"; done
[ -n "$missing" ] || exit 0
[ -f "$file" ] || { echo "there is no file $file"; exit 1; }
note
case $package in
  yes) said=$(rpm -i "$file" 2>&1) ;;
  *) said=$(esxupdate --bundle "$file" --maintenancemode $check update 2>&1) ;;
esac
sync
missing=
for id in "$@"; do is_there "$id" || missing="$missing $id"; done
[ -z "$missing" ] && exit 0
echo "not installed:$missing: $said" | tr '\n' ' '
exit 1
