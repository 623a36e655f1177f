// SPDX-License-Identifier: Apache-2.0
// Passwords that come from the operator, so that no document has to be trusted for their sake:
// --ask-password and --credentials.
#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "engine/base/secret.hpp"
#include "engine/cli/terminal/context.hpp"
#include "engine/workflow/document.hpp"

namespace fabric::cli {

// The password itself, or where it is asked for when a node wants it.
using OperatorPassword = std::variant<Secret, PasswordSource>;
using OperatorPasswords = std::map<std::string, OperatorPassword>;  // by the name of the node

// Of a YAML file: a mapping from node sets to one of {password, env, command}. Nodes that the
// document lacks may stand there: one file serves many documents. `path` is for messages, each with
// a line, none with anything else of the file. Fails with ErrorCode::invalid.
Result<OperatorPasswords> parse_credentials(const std::string& path, std::string text);

// By the options of the command line; what was asked for wins over the file. Asks on the terminal.
// Fails with ErrorCode::invalid for a node that the document lacks, where nobody can be asked, or
// as parse_credentials; forbidden for a credentials file that others may read or that lies in the
// working tree of the document; cancelled.
Result<OperatorPasswords> operator_passwords(
    const Context& context, const workflow::Document& document);

}  // namespace fabric::cli
