// SPDX-License-Identifier: Apache-2.0
// From the document's ssh keys to sessions.
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

// Passwords that come from the operator, so that no document has to be trusted for their sake:
// --ask-password and --credentials.

struct OperatorPassword {
  // The password itself, or where it is asked for when a node wants it.
  std::variant<Secret, PasswordSource> source;
  std::string host_key{};       // of the host that it is for: "SHA256:..." or a public key line
  bool host_was_shown = false;  // address and key, before it was typed
};
// By node; the nodes of a node set share one.
using OperatorPasswords = std::map<std::string, std::shared_ptr<const OperatorPassword>>;
// Reads a YAML file: a mapping from node sets to one of {password, env, command}, beside it the
// host_key to which the password goes, where known_hosts does not say. Nodes that the document
// lacks may stand there: one file serves many documents. `path` is for messages, each with a line,
// none with anything else of the file. Fails with ErrorCode::invalid.
Result<OperatorPasswords> parse_credentials(const std::string& path, std::string text);
// The passwords in the file that --credentials names. Fails as parse_credentials; with
// ErrorCode::forbidden for a file that others may read or that lies in the working tree of the
// document.
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

// The nodes whose password is asked for, and for how long.
struct PasswordTerms {
  OperatorPasswords of_operator;  // these win over what the document names
  Duration timeout{60'000};       // of a command
  bool document_trusted = false;  // its host keys are the operator's word, too
};

// How each node is reached according to the document: user, port, key, password, jumps, sudo.
// Fails with ErrorCode::invalid for a `via` that names itself in a circle. `clock` must outlive it.
Result<std::map<NodeName, ssh::Target>> ssh_targets(
    const FabricSpec& spec, const PasswordTerms& passwords, const Clock& clock);

// Where the document names programs and variables for passwords that the operator has not given:
// an error `document-not-trusted` at each place.
Diagnostics untrusted_passwords(const FabricSpec& spec, const OperatorPasswords& of_operator);

// Where a password would go to a host whose key the document alone names: an error
// `document-not-trusted` at each host_key. `ways`: as ssh_targets() made them.
Diagnostics unvouched_hosts(
    const FabricSpec& spec, const std::map<NodeName, ssh::Target>& ways, ssh::ExpectedHosts& hosts);

// Sessions to the nodes, or with --lab to their simulated counterparts. Connects to no node yet,
// but asks for the passwords that --ask-password is for, after it has shown where each would go.
// Fails with ErrorCode::not_found if --lab is given and no lab runs, or lacks one of the nodes;
// with ErrorCode::forbidden, without words as the diagnostics have been printed, for passwords that
// only a trusted document may name and hosts that only such a document vouches for; or as
// credentials_of and ask_passwords.
Result<std::unique_ptr<remote::StepRunner>> connect(
    const Context& context,
    const workflow::Document& document,
    ssh::SessionLife session_life = ssh::SessionLife::whole_run);

}  // namespace fabric::cli
