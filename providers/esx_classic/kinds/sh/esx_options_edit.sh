# SPDX-License-Identifier: Apache-2.0
# Of ESX 3.5 the image that it boots has the options too (E-esx-boot-image).
. esx_options.sh
. read_options.sh
read_options
for edit in "$@"; do
  value=${edit#*=} key=${edit%%=*} triplet= goes=
  case $edit in -*) key=${edit#-} goes=yes ;; esac
  case $key in *:*) triplet=${key#*:} key=${key%%:*} ;; esac
  kept= list=
  for word in $options; do
    case $word in
      "$key"=*) list=${word#*=} ;;
      "$key") ;;
      *) kept="$kept $word" ;;
    esac
  done
  if [ -n "$triplet" ]; then
    others=
    while [ -n "$list" ]; do
      one=${list%%,*}
      list=${list#"$one"}; list=${list#,}
      two=${list%%,*}
      list=${list#"$two"}; list=${list#,}
      three=${list%%,*}
      list=${list#"$three"}; list=${list#,}
      [ "$one,$two" = "$triplet" ] || others="$others,$one,$two,$three"
    done
    [ -n "$goes" ] || others="$others,$triplet,$value"
    value=${others#,} goes=
    [ -n "$value" ] || goes=yes
  fi
  [ -n "$goes" ] || kept="$kept $key=$value"
  options=${kept# }
  note "$key"
done
wanted=$options
said=$(esxcfg-module -s "$wanted" "$module" 2>&1)
case $(vmware -v) in *"ESX Server 3"*) esxcfg-boot -b >/dev/null 2>&1 ;; esac
read_options
sync
[ "$options" = "$wanted" ] && exit 0
echo "options of $module are '$options', not '$wanted': $said"
exit 1
