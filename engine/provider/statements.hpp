// SPDX-License-Identifier: Apache-2.0
// The content of foreign configuration, statement by statement, and the statements that the
// document makes too. The document has every statement that is adopted, or a finding names it with
// its line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/model/resource.hpp"
#include "engine/model/rule.hpp"

namespace fabric {

enum class StatementClass : std::uint8_t {
  said,            // by the document, or by fabric's own file for every document
  said_otherwise,  // the document has another value
  sayable,         // the document has a key for it, but lacks it
  not_sayable      // all others, also those unknown to the reader
};

struct Statement {
  std::string kind;  // one of kStatementKinds: "interfaces", "keyfile", "running"
  std::string key;   // in the format's words, after its section: "post-up", "Route.Gateway"
  std::string value;
  std::string file;      // "" = it runs without a file
  std::size_t line = 0;  // 0 = no file
  StatementClass said = StatementClass::not_sayable;
  // For `sayable`: the YAML for it; for `said_otherwise`: the document's statement instead.
  std::string instead{};
};

// "/etc/network/interfaces:14 `post-up echo 1`"; "running `address 10.99.0.1/24`"
std::string statement_text(const Statement& statement);
// The pattern that allows to drop it, with any value: "interfaces post-up".
std::string drop_pattern(const Statement& statement);

// True if statements that the document lacks may be adopted too, by the binding `adopt`.
bool adopts(const Resource& resource);
// True if one of `patterns`, those of that binding, fits. Statements that the document has, in any
// form, are not dropped.
bool may_be_dropped(const Statement& statement, const std::vector<std::string>& patterns);
// Statements that the document neither has nor drops.
std::vector<Statement> would_be_lost(
    const Resource& resource, const std::vector<Statement>& statements);

// ", stays: mtu 9000, changes: ..., goes: ..."; "" without statements. With their places: as in
// statement_text().
std::string statements_summary(const std::vector<Statement>& statements, bool with_places = false);

inline constexpr std::string_view kAdoptWouldLose = "adopt-would-lose";
RuleRows statement_rules();

// Reports one finding at the resource, with a note for each of `lost`, if there are any: the plan
// is shown and can't be applied. `what`: the adopted thing, "bond0", "the subnet manager".
void report_would_lose(
    Diagnostics& diagnostics,
    const Resource& resource,
    std::string_view what,
    const std::vector<Statement>& lost);
// The YAML that the notes of such a finding show.
std::vector<std::string> shown_values(const Diagnostic& finding);
// Takes back the YAML that the rules of the document refuse (refused_values).
void take_back(Diagnostic& finding, const std::set<std::string>& refused);

}  // namespace fabric
