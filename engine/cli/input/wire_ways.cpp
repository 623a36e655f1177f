// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/input/wire_ways.hpp"

#include <fmt/format.h>

#include "engine/base/limits.hpp"
#include "engine/cli/state/document.hpp"
#include "engine/files/read.hpp"
#include "engine/ibnet/look.hpp"
#include "providers/infiniband/parsers/iblinkinfo.hpp"
#include "providers/infiniband/parsers/ibnetdiscover.hpp"

namespace fabric::cli {

namespace {

Result<verify::WireView> read_file(const std::string& path) {
  const std::string text = FABRIC_TRY(files::read_argument(path, limits::kSubnetBytes));
  // Either arrow of iblinkinfo; ibnetdiscover has none.
  const bool link_info = text.find(")==>") != std::string::npos;
  Result<ObservedTopology> topology =
      link_info ? providers::parse_iblinkinfo(text) : providers::parse_ibnetdiscover(text);
  if (!topology) return with_context(topology.error(), path);
  return verify::WireView{path, std::move(*topology), {}, {}};
}

Result<std::vector<verify::WireView>> look_from_here() {
  std::vector<verify::WireView> views;
  for (ibnet::Look& look : FABRIC_TRY(ibnet::look())) {
    views.push_back(
        {fmt::format("this machine{}", look.from.empty() ? "" : " (" + look.from + ")"),
         std::move(look.topology),
         std::move(look.why_not),
         std::move(look.dark)});
  }
  return views;
}

}  // namespace

Result<std::vector<workflow::WireWay>> wire_ways(
    const FabricSpec& spec, const std::vector<std::string>& ways) {
  std::vector<workflow::WireWay> found;
  if (!workflow::has_infiniband(spec)) return found;
  for (const std::string& way : ways) {
    workflow::WireWay& next = found.emplace_back();
    if (way == kWireNodes) {
      next.ask_nodes = true;
    } else if (way == kWireLocal) {
      next.views = FABRIC_TRY(look_from_here());
    } else {
      next.views.push_back(FABRIC_TRY(read_file(way)));
    }
  }
  return found;
}

}  // namespace fabric::cli
