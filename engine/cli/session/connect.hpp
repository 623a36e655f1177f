// SPDX-License-Identifier: Apache-2.0
// From the document's ssh keys to sessions.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "engine/cli/session/operator_passwords.hpp"
#include "engine/cli/terminal/context.hpp"
#include "engine/remote/runner.hpp"
#include "engine/ssh/config/target.hpp"
#include "engine/ssh/host_key.hpp"

namespace fabric::cli {

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

// Sessions to the nodes, or with --lab to their simulated counterparts. Connects to nobody yet, but
// asks for the passwords that --ask-password is for, after it has shown where each would go. Fails
// with ErrorCode::not_found if --lab is given and no lab runs, or lacks one of the nodes; with
// ErrorCode::forbidden, without words as the diagnostics have been printed, for passwords that only
// a trusted document may name and hosts that only such a document vouches for; or as credentials_of
// and ask_passwords.
Result<std::unique_ptr<remote::StepRunner>> connect(
    const Context& context,
    const workflow::Document& document,
    ssh::SessionLife session_life = ssh::SessionLife::whole_run);

}  // namespace fabric::cli
