// SPDX-License-Identifier: Apache-2.0
#include "providers/infiniband/member_guid.hpp"

#include <fmt/format.h>

#include "engine/model/names.hpp"

namespace fabric::providers {

Result<std::string> member_guid(const Map& port_guids, const std::string& port) {
  const auto found = port_guids.find(port);
  if (found == port_guids.end()) {
    return Error{
        ErrorCode::unreachable,
        fmt::format(
            "the port GUID of {} is not known: its node was not read, or does not show it", port)};
  }
  const std::string told = to_text(found->second);
  const Result<Guid> guid = Guid::parse(told);
  return guid ? guid->str() : told;
}

}  // namespace fabric::providers
