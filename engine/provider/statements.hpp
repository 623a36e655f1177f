// SPDX-License-Identifier: Apache-2.0
// The content of foreign configuration, statement by statement, and the statements that the
// document makes too. The document has every statement that is taken over, or a finding names it
// with its line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/model/resource.hpp"
#include "engine/model/rule.hpp"

namespace fabric {

enum class StatementClass : std::uint8_t {
  said,            // by the document, or by fabric's own file for every document
  said_otherwise,  // the document says another value
  sayable,         // the document has a key for it, and does not say it
  not_sayable      // all else: also what a reader does not know
};

struct Statement {
  std::string kind;  // of kStatementKinds: "interfaces", "keyfile", "running"
  std::string key;   // as the format has it, after its section: "post-up", "Route.Gateway"
  std::string value;
  std::string file;      // "" = it runs, and no file says it
  std::size_t line = 0;  // 0 = of no file
  StatementClass said = StatementClass::not_sayable;
  // The YAML that says it, of `sayable`; what the document says in its place, of `said_otherwise`.
  std::string instead{};
};

// "/etc/network/interfaces:14 `post-up echo 1`"; "running `address 10.99.0.1/24`"
std::string statement_text(const Statement& statement);
// Allows to lose it, with any value: "interfaces post-up".
std::string drop_pattern(const Statement& statement);

// Whether the document also takes over statements that it lacks, by the binding `adopt`.
bool adopts(const Resource& resource);
// `patterns` as that binding has them. Statements that the document has, in any form, are not
// dropped.
bool may_be_dropped(const Statement& statement, const std::vector<std::string>& patterns);
// Statements that the document neither has nor drops.
std::vector<Statement> would_be_lost(
    const Resource& resource, const std::vector<Statement>& statements);

// ", stays: mtu 9000, changes: ..., goes: ..."; "" of nothing. With their places: as
// statement_text() has them.
std::string statements_summary(const std::vector<Statement>& statements, bool with_places = false);

inline constexpr std::string_view kAdoptWouldLose = "adopt-would-lose";
RuleRows statement_rules();

// One finding at the resource with a note for each of them, if there are any: the plan is shown and
// can't be applied. `what` is what is taken over: "bond0", "the subnet manager".
void report_would_lose(
    Diagnostics& diagnostics,
    const Resource& resource,
    std::string_view what,
    const std::vector<Statement>& lost);

}  // namespace fabric
