// SPDX-License-Identifier: Apache-2.0
// A flow as its platforms measure it, joined from the outputs of both ends.
#pragma once

#include "engine/platform/path_tests.hpp"
#include "engine/verify/flows/flow.hpp"

namespace fabric::verify {

// `server`: why the server failed (PathTests::serving_failure), "" = unknown. It is the failure of
// the flow if the client prints nothing. Untested if the client's answer was cut short.
FlowReport report_of(
    const Flow& flow, const platform::FlowAnswer& client, const std::string& server);

}  // namespace fabric::verify
