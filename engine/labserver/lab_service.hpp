// SPDX-License-Identifier: Apache-2.0
// The lab as a service on this machine: one process that serves every simulated node over real SSH
// on its own 127.x.y.z address, and a control socket beside its keys.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/clock.hpp"
#include "engine/base/result.hpp"
#include "engine/base/secret.hpp"
#include "engine/lab/lab.hpp"
#include "engine/value/value.hpp"

namespace fabric::labserver {

// The content of `.fabric/lab/lab.json` while a lab runs. Keys and known_hosts are beside it.
struct LabInfo {
  int pid = 0;
  std::uint32_t port = 0;
  std::map<std::string, std::string> addresses;  // node name to 127.x.y.z
  std::string identity_file;
  std::string known_hosts_file;
  std::vector<std::string> document;  // files the lab was made from
};

// The input from which a lab is made.
struct LabSource {
  std::shared_ptr<const FabricSpec> fabric;
  lab::LabSpec lab;
  std::vector<std::string> files;
};

struct ServeOptions {
  std::string directory;   // ".fabric/lab"; made with mode 0700
  std::uint32_t port = 0;  // 0 = a free one
  Duration latency{0};     // added to every reply
  Secret password{};       // also does, beside the lab's own key; empty: none
  std::vector<std::string> document;
  // Reads the document at this path again, for the request "grow"; may be empty.
  std::function<Result<LabSource>(const std::string& path)> reread{};
};

// Serves until SIGTERM, SIGINT or the request "down"; then removes lab.json, keys and socket.
// Writes lab.json when every address answers. Fails with ErrorCode::locked if a lab already runs
// in this directory, invalid if it can't bind.
Result<void> serve(
    const FabricSpec& fabric, lab::LabSpec lab, const ServeOptions& options, const Clock& clock);

// Fails with ErrorCode::not_found if no lab runs there (the file of a dead lab is ignored).
Result<LabInfo> read_lab_info(const std::string& directory);
// Parses the text of lab.json. Fails with ErrorCode::invalid.
Result<LabInfo> parse_lab_info(std::string_view text);

// One request to the running lab: {"verb": "status"}, {"verb": "fault", "node": N, "fault": F,
// "only": TEXT},
// {"verb": "recable", "a": A, "b": B}, {"verb": "down"}. The answer's "error" becomes an Error.
Result<Value> request(const std::string& directory, const Value& request);

}  // namespace fabric::labserver
