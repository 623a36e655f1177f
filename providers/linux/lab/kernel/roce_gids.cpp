// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/kernel/roce_gids.hpp"

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/lab/kernel/bonding.hpp"

namespace fabric::lab {
namespace {

constexpr std::size_t kShown = 8;  // the first of a table of 256
constexpr const char* kNone = "0000:0000:0000:0000:0000:0000:0000:0000\n";

// "10.30.0.1" as a GID; "" for IPv6, whose GIDs the lab does not show.
std::string gid_of(const std::string& address) {
  const std::vector<std::string_view> parts = split(address, '.');
  if (parts.size() != 4) return {};
  std::string gid = "0000:0000:0000:0000:0000:ffff:";
  for (std::size_t i = 0; i < parts.size(); ++i) {
    gid += fmt::format("{:02x}", parse_integer(parts[i]).value_or(0));
    if (i == 1) gid += ':';
  }
  return gid;
}

struct Port {
  const LinuxHost* machine = nullptr;
  std::size_t card = 0;
  std::uint32_t number = 1;
  std::string local;

  const Interface* interface() const {
    const Interface* bond = roce_bond(*machine, card);
    return bond == nullptr ? machine->interface_of_port(card, number) : bond;
  }

  // Each address twice, first as RoCE v1, then as v2; the link-local one first.
  std::optional<std::string> gid(std::size_t entry) const {
    const Interface* device = interface();
    if (device == nullptr) return std::nullopt;
    std::vector<std::string> all{local};
    for (const IpPrefix& address : device->addresses) {
      if (std::string gid = gid_of(address.address()); !gid.empty()) all.push_back(std::move(gid));
    }
    if (entry / 2 >= all.size()) return std::nullopt;
    return all[entry / 2];
  }
};

}  // namespace

void install_roce_gids(
    LinuxHost& machine,
    const std::string& folder,
    std::size_t card,
    std::uint32_t port,
    const std::string& local) {
  using Text = std::optional<std::string>;
  FileTree& files = machine.state.files;
  const Port of{&machine, card, port, local};
  for (std::size_t entry = 0; entry < kShown; ++entry) {
    if (entry > 0) {
      files.install_generated(fmt::format("{}/gids/{}", folder, entry), [of, entry]() -> Text {
        const Text gid = of.gid(entry);
        return gid ? *gid + "\n" : kNone;
      });
    }
    // The kernel refuses to read these where there is no GID.
    files.install_generated(
        fmt::format("{}/gid_attrs/ndevs/{}", folder, entry), [of, entry]() -> Text {
          if (!of.gid(entry)) return std::nullopt;
          return of.interface()->name + "\n";
        });
    files.install_generated(
        fmt::format("{}/gid_attrs/types/{}", folder, entry), [of, entry]() -> Text {
          if (!of.gid(entry)) return std::nullopt;
          return entry % 2 == 0 ? "IB/RoCE v1\n" : "RoCE v2\n";
        });
  }
}

}  // namespace fabric::lab
