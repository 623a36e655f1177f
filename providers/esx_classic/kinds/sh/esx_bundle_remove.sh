# SPDX-License-Identifier: Apache-2.0
# $1: "yes" = a package; $2 its id.
. esx_bundle.sh
package=$1
is_there "$2" || exit 0
note
case $package in
  yes) said=$(rpm -e "$2" 2>&1) ;;
  *) said=$(esxupdate -b "$2" remove 2>&1) ;;
esac
sync
is_there "$2" || exit 0
echo "$2 is still installed: $said" | tr '\n' ' '
exit 1
