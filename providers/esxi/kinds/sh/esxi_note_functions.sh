# SPDX-License-Identifier: Apache-2.0
# $1 "ADAPTER@ADDRESS" of a card, $2 "on" where fabric has made its virtual functions, else "off".
note=FabricFunctions about='Cards with virtual functions that fabric has made'
. esxi_note.sh
kept=
for each in $(noted); do
  case $each in "$1"|none) ;; *) kept="$kept $each" ;; esac
done
[ "$2" = off ] || kept="$kept $1"
kept=${kept# }
note "${kept:-none}"
