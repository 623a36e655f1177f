// SPDX-License-Identifier: Apache-2.0
// Passwords that come from the operator, so that no document has to be trusted for their sake:
// --ask-password and --credentials.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "engine/base/secret.hpp"
#include "engine/cli/terminal/context.hpp"
#include "engine/workflow/document.hpp"

namespace fabric::cli {

struct OperatorPassword {
  // The password itself, or where it is asked for when a node wants it.
  std::variant<Secret, PasswordSource> source;
  std::string host_key{};       // of the host that it is for: "SHA256:..." or a public key line
  bool host_was_shown = false;  // address and key, before it was typed
};
// By the name of the node. Those of a node set are one.
using OperatorPasswords = std::map<std::string, std::shared_ptr<const OperatorPassword>>;

// Of a YAML file: a mapping from node sets to one of {password, env, command}, beside it the
// host_key to which the password goes, where known_hosts does not say. Nodes that the document
// lacks may stand there: one file serves many documents. `path` is for messages, each with a line,
// none with anything else of the file. Fails with ErrorCode::invalid.
Result<OperatorPasswords> parse_credentials(const std::string& path, std::string text);

// Of the file that --credentials names. Fails as parse_credentials; with ErrorCode::forbidden for a
// file that others may read or that lies in the working tree of the document.
Result<OperatorPasswords> credentials_of(
    const Context& context, const workflow::Document& document);

// Asks on the terminal for the passwords of --ask-password, which win over `given` ones. `host`
// makes the text above each question: the host that the password of this node would go to. Fails
// with ErrorCode::invalid for a node that the document lacks and where there is no terminal;
// cancelled.
Result<void> ask_passwords(
    const Context& context,
    const FabricSpec& spec,
    const std::function<report::Text(const NodeSpec&)>& host,
    OperatorPasswords& given);

}  // namespace fabric::cli
