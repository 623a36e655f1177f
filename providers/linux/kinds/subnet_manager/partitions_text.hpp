// SPDX-License-Identifier: Apache-2.0
// partitions.conf from the document's partitions. OpenSM drops the whole file for one mistake, so
// what is written here always reads back by parse_partitions_conf without a warning.
#pragma once

#include <string>

#include "engine/base/result.hpp"
#include "engine/value/value.hpp"

namespace fabric::providers {

// `partitions`: a list of {name, pkey, ipoib, mtu (bytes, may be missing), members: [{who, full}]}
// as expansion makes it; `who` is ALL, SELF or a port, whose GUID is in `port_guids`. Fails with
// ErrorCode::invalid, naming the port, if it is not; and where the text would not read back as the
// same partitions, which no name of a valid document can bring about.
Result<std::string> partitions_text(const Value& partitions, const Map& port_guids);

}  // namespace fabric::providers
