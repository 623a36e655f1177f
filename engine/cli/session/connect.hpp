// SPDX-License-Identifier: Apache-2.0
// Opens sessions by the ssh keys of the document.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <variant>

#include "engine/base/secret.hpp"
#include "engine/cli/terminal/context.hpp"
#include "engine/remote/runner.hpp"
#include "engine/ssh/config/target.hpp"
#include "engine/ssh/host_key.hpp"
#include "engine/workflow/document.hpp"

namespace fabric::cli {

// Passwords that the operator gives, for which no document has to be trusted: --ask-password and
// --credentials.

struct OperatorPassword {
  // The password itself, or the source to ask when a node needs it.
  std::variant<Secret, PasswordSource> source;
  std::string host_key{};       // of the host for the password: "SHA256:..." or a public key line
  bool host_was_shown = false;  // address and key, before it was typed
};
// For each node: its password; the nodes of a node set share one.
using OperatorPasswords = std::map<std::string, std::shared_ptr<const OperatorPassword>>;
// Parses a YAML file: a mapping from node sets to one of {password, env, command}, with the
// host_key of the host that may get the password, if known_hosts has none. It may name nodes that
// the document lacks: one file serves many documents. `path` is for messages, each with a line,
// none with any content of the file. Fails with ErrorCode::invalid.
Result<OperatorPasswords> parse_credentials(const std::string& path, std::string text);
// The passwords in the file of --credentials. Fails as parse_credentials; with ErrorCode::forbidden
// for a file that others may read or that lies in the working tree of the document.
Result<OperatorPasswords> credentials_of(
    const Context& context, const workflow::Document& document);
// Asks on the terminal for the passwords of --ask-password, which take precedence over `given`
// ones. `host` returns the text above each question: the host that would get the password of this
// node. Fails with ErrorCode::invalid for a node that the document lacks and without a terminal; or
// with ErrorCode::cancelled.
Result<void> ask_passwords(
    const Context& context,
    const FabricSpec& spec,
    const std::function<report::Text(const NodeSpec&)>& host,
    OperatorPasswords& given);

// Where passwords are asked for, and for how long.
struct PasswordTerms {
  OperatorPasswords of_operator;  // these win over passwords that the document names
  Duration timeout{60'000};       // of a command
  bool document_trusted = false;  // the operator vouches for the document's host keys
};

// The way to each node in the document: user, port, key, password, jumps, sudo. Fails with
// ErrorCode::invalid for a `via` in a circle. `clock` must outlive the result.
Result<std::map<NodeName, ssh::Target>> ssh_targets(
    const FabricSpec& spec, const PasswordTerms& passwords, const Clock& clock);

// An error `document-not-trusted` at each place of the document that names a program or variable
// for a password that the operator has not given.
Diagnostics untrusted_passwords(const FabricSpec& spec, const OperatorPasswords& of_operator);

// An error `document-not-trusted` at each host_key by which the document alone would vouch for a
// host that gets a password. `ways`: from ssh_targets().
Diagnostics unvouched_hosts(
    const FabricSpec& spec, const std::map<NodeName, ssh::Target>& ways, ssh::ExpectedHosts& hosts);

// Sessions to the nodes, or with --lab to their simulated counterparts. Connects to no node yet,
// but asks for the passwords of --ask-password, after it has shown where each would go. Fails with
// ErrorCode::not_found if --lab is given and no lab runs, or lacks one of the nodes; with
// ErrorCode::forbidden, without a message since the diagnostics have been printed, for passwords
// that only a trusted document may name and hosts that only such a document vouches for; or as
// credentials_of and ask_passwords.
Result<std::unique_ptr<remote::StepRunner>> connect(
    const Context& context,
    const workflow::Document& document,
    ssh::SessionLife session_life = ssh::SessionLife::whole_run);

}  // namespace fabric::cli
