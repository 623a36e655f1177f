# SPDX-License-Identifier: Apache-2.0
# $1 devices, $2 "true" or "false", then nothing or what module_options.sh takes.
#
# In one command: a run that dies between the card and its entries would leave entries of a card
# that goes, which the next load gives to others.
for device in $1; do
  esxcli hardware pci pcipassthru set -d "$device" -e "$2" || exit 1
done
shift 2
[ $# -ne 0 ] || exit 0
. module_options.sh
