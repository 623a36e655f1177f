// SPDX-License-Identifier: Apache-2.0
// The result for each address of the document: whether RDMA can use it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/base/source.hpp"
#include "engine/model/names.hpp"

namespace fabric::verify {

struct RoceAddressReport {
  PortRef port;
  std::string address;
  std::string rdma;  // "rocep1s0f0/1"; "" = no device of the node has a GID of `address`
  // The index of its RoCE v2 GID, found by the address and never stored: the next boot may give
  // another one (E-roce-gid).
  std::optional<std::uint32_t> index;
  SourceRange range;
};

}  // namespace fabric::verify
