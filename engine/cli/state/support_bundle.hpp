// SPDX-License-Identifier: Apache-2.0
// The files of a support bundle, without the secrets in them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/files/tar.hpp"
#include "engine/platform/facts.hpp"

namespace fabric::cli {

// The plan and the journal of a run that took place here, as "run/plan.json" and so on. Fails as
// run_folder() and read_text_file(), and with ErrorCode::invalid naming the file that is no plan or
// no journal.
Result<std::vector<files::ArchivedFile>> bundled_run(const std::string& run);

// One file "facts/NODE.json" for each node.
std::vector<files::ArchivedFile> bundled_facts(const std::vector<NodeFacts>& facts);

// All facts that are saved in a folder. Fails as read_text_file(), or with ErrorCode::invalid
// naming a file that has no facts.
Result<std::vector<NodeFacts>> all_saved_facts(const std::string& folder);

// A JSON text, or one with a JSON value on each line, without the secrets in its strings; any other
// text redacted by base/secrets/redaction.hpp. Without secrets it stays byte for byte.
std::string without_secrets_in_json(std::string_view text);

}  // namespace fabric::cli
