// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/interface/backends/manager_restore.hpp"

namespace fabric::providers {

namespace {

// A port that has another name until the next boot is left out. `$1`: what their ids begin with.
constexpr const char* kUpAllOurs = R"sh(failed=0
start=$1
for id in $(nmcli -g NAME connection show); do
  case "$id" in "$start"*) ;; *) continue ;; esac
  set -- $(nmcli -g connection.interface-name,connection.type connection show id "$id")
  case "$2" in
    *ethernet | infiniband) [ -e "/sys/class/net/$1" ] || continue ;;
  esac
  nmcli connection up id "$id" || failed=1
done
exit $failed)sh";

}  // namespace

std::vector<remote::Argv> restore_by_manager() {
  return {
      {"systemctl", "start", "NetworkManager"},
      {"nmcli", "connection", "reload"},
      {"sh", "-c", kUpAllOurs, "fabric", kProfileStart}};
}

}  // namespace fabric::providers
