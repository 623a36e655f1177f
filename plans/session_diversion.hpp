// Routes that a plan brings and that take the way back to where our own SSH session comes from.
#pragma once

#include <optional>

#include "engine/model/address.hpp"
#include "engine/platform/session_path.hpp"
#include "engine/provider/change.hpp"

namespace fabric::plans {

// The first destination among what `change` adds (a gateway, routes, the subnets of addresses) that
// the kernel prefers to the one by which the session's answers leave now, or that is as long as
// that: then metrics and order decide. Nothing where no route of the session is known.
struct Diversion {
  Subnet route;
  SourceRange source;  // what asks for it
};
std::optional<Diversion> diversion_by(const Change& change, const platform::SessionPath& path);

}  // namespace fabric::plans
