// SPDX-License-Identifier: Apache-2.0
#include "providers/esx/module_options.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/esx/answer.hpp"
#include "providers/esx/esxcfg_options.hpp"
#include "providers/parsers/esxi/esxcli_table.hpp"

namespace fabric::providers::esxi {

namespace {

constexpr const char* kListProbe = "esxi-modules";
constexpr const char* kOptionsProbe = "esxi-module-options";
constexpr const char* kPendingProbe = "esxi-module-pending";

// $1 module, $2 elements of a list, then "key=value", "key[3]=value" or "-key". Setting replaces
// the whole string (E-esxi-module-options), and its exit status proves nothing (E-esxcli-errors).
// What no boot has read yet is noted where only root writes and a boot wipes: in /tmp anybody could
// take the name first, by a link.
constexpr const char* kOptionsBegin = R"sh(PATH=$PATH:/bin:/sbin
set -f
module=$1 elements=$2 pending=/var/run/fabric-pending
shift 2
[ -L "$pending" ] && { echo "$pending is a link"; exit 1; }
)sh";

constexpr const char* kChangeOptions = R"sh(read_options
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
exit 1)sh";

// A driver that unloaded by itself is loaded again, and the device manager claims its devices when
// it is told to (E-esxi-devmgr). No boot.
constexpr const char* kLoad = R"sh(PATH=$PATH:/bin:/sbin
vmkload_mod "$1"
ps -c | while read -r id rest; do
  case $rest in *devmgr*) kill -HUP "$id" ;; esac
done
exit 0)sh";

bool is_key_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

// Those that the host has not say so.
std::vector<Probe> module_option_probes() {
  return {
      {kListProbe, "esxcli --formatter=keyvalue system module list\n"},
      options_probe(kOptionsProbe, "nmlx5_core nmlx5_rdma nmlx4_core nmlx4_en nmlx4_rdma nmst"),
      {kPendingProbe,
       R"sh(pending=/var/run/fabric-pending
[ -d /var/run ] && ! [ -L "$pending" ] || exit 1
cat "$pending" 2>/dev/null
exit 0
)sh"}};
}

Result<EsxModule> module_options(const NodeFacts& facts, std::string_view module) {
  return options_of(FABRIC_TRY(answer(facts, kOptionsProbe)), module);
}

Result<bool> is_loaded(const NodeFacts& facts, std::string_view module) {
  const std::string_view text = FABRIC_TRY(answer(facts, kListProbe));
  const std::vector<EsxcliRow> rows = FABRIC_TRY(read_esxcli_rows(text, {"name", "isloaded"}));
  for (const EsxcliRow& row : rows) {
    if (row.cell("name") == module) return row.cell("isloaded") == "true";
  }
  return false;
}

remote::Argv load_module(std::string_view module) {
  return {"sh", "-c", kLoad, "fabric-load", std::string{module}};
}

std::optional<std::string> option_value(const EsxModule& module, std::string_view key) {
  const auto found = std::find_if(
      module.options.rbegin(), module.options.rend(), [&](const EsxModuleOption& option) {
        return option.key == key;
      });
  if (found == module.options.rend()) return std::nullopt;
  return found->value.value_or("");
}

Result<bool> is_pending(const NodeFacts& facts, std::string_view module, std::string_view key) {
  const std::string_view text = FABRIC_TRY(answer(facts, kPendingProbe));
  const std::string line = fmt::format("{} {}", module, key);
  const auto lines = split_lines(text);
  return std::find(lines.begin(), lines.end(), std::string_view{line}) != lines.end();
}

std::string not_an_option(const OptionChange& change) {
  if (change.key.empty() || !std::all_of(change.key.begin(), change.key.end(), is_key_letter))
    return fmt::format("'{}' is no name of an option", change.key);
  const std::string value = change.value.value_or("0");
  const bool has_other = std::any_of(value.begin(), value.end(), [](char c) {
    return c <= ' ' || c > '~' || c == '\'' || c == '"' || c == '\\' || c == '$' || c == '`';
  });
  if (value.empty() || has_other)
    return fmt::format("'{}' can't stand in the options of a driver", value);
  return "";
}

remote::Argv set_options(
    std::string_view module, std::size_t elements, const std::vector<OptionChange>& changes) {
  remote::Argv argv{
      "sh",
      "-c",
      fmt::format("{}{}{}", kOptionsBegin, kReadOptions, kChangeOptions),
      "fabric-options",
      std::string{module},
      std::to_string(elements)};
  for (const OptionChange& change : changes) {
    if (!change.value) {
      argv.push_back("-" + change.key);
    } else if (change.element) {
      argv.push_back(fmt::format("{}[{}]={}", change.key, *change.element, *change.value));
    } else {
      argv.push_back(fmt::format("{}={}", change.key, *change.value));
    }
  }
  return argv;
}

}  // namespace fabric::providers::esxi
