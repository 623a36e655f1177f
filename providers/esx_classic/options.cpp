// SPDX-License-Identifier: Apache-2.0
#include "providers/esx_classic/options.hpp"

#include <fmt/format.h>

#include "providers/esx/esxcfg_options.hpp"

namespace fabric::providers::esx_classic {

namespace {

// A note that is lost with the power was lost with a boot, which makes it wrong.
constexpr const char* kCommon = R"sh(PATH=$PATH:/usr/sbin:/sbin:/usr/bin:/bin
set -f
module=$1
shift
note() {
  (umask 077
  mkdir -p /var/lib/fabric &&
    echo "$(cat /proc/sys/kernel/random/boot_id) $module $1" >>/var/lib/fabric/options) || exit 1
}
)sh";

// Of ESX 3.5 the image that it boots has the options too (E-esx-boot-image).
constexpr const char* kEdit = R"sh(read_options
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
)sh";

constexpr const char* kEnable = R"sh(note loaded
said=$(esxcfg-module "-$1" "$module" 2>&1)
case $(vmware -v) in *"ESX Server 3"*) esxcfg-boot -b >/dev/null 2>&1 ;; esac
sync
case $1 in e) wanted=1 ;; *) wanted=0 ;; esac
case $(esxcfg-module -g "$module" 2>&1) in "$module enabled = $wanted "*) exit 0 ;; esac
echo "esxcfg-module -$1 $module: $said"
exit 1
)sh";

}  // namespace

remote::Argv edit_options(std::string_view module, const std::vector<OptionEdit>& edits) {
  remote::Argv argv{
      "sh",
      "-c",
      fmt::format("{}{}{}", kCommon, esxi::kReadOptions, kEdit),
      "fabric-options",
      std::string{module}};
  for (const OptionEdit& edit : edits) {
    const std::string key =
        edit.triplet.empty() ? edit.key : fmt::format("{}:{}", edit.key, edit.triplet);
    argv.push_back(edit.value ? fmt::format("{}={}", key, *edit.value) : "-" + key);
  }
  return argv;
}

remote::Argv enable_module(std::string_view module, bool enabled) {
  return {
      "sh",
      "-c",
      std::string{kCommon} + kEnable,
      "fabric-module",
      std::string{module},
      enabled ? "e" : "d"};
}

}  // namespace fabric::providers::esx_classic
