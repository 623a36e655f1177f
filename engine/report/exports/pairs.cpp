// SPDX-License-Identifier: Apache-2.0
// The addresses that two hosts of a ring of chaining cards use for each other, one line for each
// two hosts, network and way round: for the configuration of programs that use the ring.
#include <fmt/format.h>

#include "engine/report/diagnostics/ring_pairs.hpp"
#include "engine/report/exports/exports.hpp"

namespace fabric::report {

Result<std::string> pairs_table(const FabricSpec& spec) {
  std::string text;
  for (const auto& [name, network] : spec.networks) {
    for (const RingPair& pair : ring_pairs(spec, network)) {
      for (const RingWay* way : {&pair.nearer, &pair.farther}) {
        text += fmt::format(
            "{}\t{}\t{}\t{}\t{}\t{}\n",
            name,
            pair.one.str(),
            pair.other.str(),
            way->from.str(),
            way->to.str(),
            way->cables);
      }
    }
  }
  if (text.empty()) {
    return Error{
        ErrorCode::invalid, "the document has no ring of chaining cards with IPv4 addresses"};
  }
  return "# network\tone\tother\taddress of one\taddress of other\tcables\n" + text;
}

}  // namespace fabric::report
