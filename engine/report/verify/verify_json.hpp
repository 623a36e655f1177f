// SPDX-License-Identifier: Apache-2.0
// The result of verify, as data.
#pragma once

#include <cstddef>

#include "engine/base/source.hpp"
#include "engine/value/value.hpp"
#include "engine/verify/verify.hpp"

namespace fabric::report {

Value cable_value(const verify::CableReport& cable);
// {"ends", "state": "unexpected"}
Value cable_value(const verify::UnexpectedCable& cable);
Value path_value(const verify::PathReport& path);
Value counter_value(const verify::CounterReport& counter);
// {"port", "address", "rdma"} and, where there is a GID of RoCE v2, {"gid_index"}.
Value roce_value(const verify::RoceAddressReport& report);
Value failover_value(const verify::FailoverReport& report);
// The keys of diagnostics/json; for a consequence also {"cause": {"rule", "message"}}.
Value finding_value(const verify::Report& report, std::size_t index, const SourceMap& sources);

// {"cables": [...], "counters": [...], "failovers": [...], "findings": [...], "flows": [...],
// "links": [...], "managers": [...], "ok": bool, "paths": [...], "qos"?: [...] (where the document
// asks for it), "roce_addresses": [...]}
Value verify_json(const verify::Report& report, const SourceMap& sources);

}  // namespace fabric::report
