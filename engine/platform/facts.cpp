// SPDX-License-Identifier: Apache-2.0
#include "engine/platform/facts.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "engine/value/json.hpp"
#include "engine/value/json_writer.hpp"

namespace fabric {

namespace {

// The version of the shape, not of the program: schemas/facts.schema.json.
constexpr std::string_view kFormatVersion = "1.0";

constexpr std::array<std::pair<ErrorCode, std::string_view>, 10> kCodes{{
    {ErrorCode::invalid, "invalid"},
    {ErrorCode::not_found, "not_found"},
    {ErrorCode::unreachable, "unreachable"},
    {ErrorCode::timed_out, "timed_out"},
    {ErrorCode::maybe_applied, "maybe_applied"},
    {ErrorCode::denied, "denied"},
    {ErrorCode::stale, "stale"},
    {ErrorCode::locked, "locked"},
    {ErrorCode::cancelled, "cancelled"},
    {ErrorCode::internal, "internal"},
}};

Error wrong(std::string_view key, std::string_view expected) {
  return {ErrorCode::invalid, fmt::format("saved facts: '{}' must be {}", key, expected)};
}

Result<std::string> text_member(const Value& value, std::string_view key) {
  const Value* member = value.find(key);
  if (member == nullptr || member->as_string() == nullptr) return wrong(key, "a string");
  return *member->as_string();
}

// Out of the tree: the outputs of probes are most of what saved facts are.
Result<SharedText> take_text(Value& value, std::string_view key) {
  Map* map = value.as_map();
  const auto member = map == nullptr ? Map::iterator{} : map->find(key);
  std::string* text = map == nullptr || member == map->end() ? nullptr : member->second.as_string();
  if (text == nullptr) return wrong(key, "a string");
  return SharedText{std::move(*text)};
}

Result<std::optional<Error>> failure_member(const Value& value) {
  const Value* failure = value.find("failure");
  if (failure == nullptr || failure->is_null()) return std::optional<Error>{};
  const std::string code = FABRIC_TRY(text_member(*failure, "code"));
  const auto* const known =
      std::ranges::find_if(kCodes, [&code](const auto& entry) { return entry.second == code; });
  if (known == kCodes.end()) return wrong("failure.code", "a known error code, not '" + code + "'");
  std::string message = FABRIC_TRY(text_member(*failure, "message"));
  return std::optional<Error>{Error{known->first, std::move(message)}};
}

void write_failure(const std::optional<Error>& failure, JsonWriter& writer) {
  if (!failure) return writer.value({});
  const auto* const code =
      std::ranges::find_if(kCodes, [&](const auto& entry) { return entry.first == failure->code; });
  writer.begin_object();
  writer.member("code", code->second);
  writer.member("message", failure->message);
  writer.end_object();
}

std::string as_json(std::string_view text) {
  return to_json(Value{std::string{text}});
}

void write_probe(const ProbeOutput& probe, JsonWriter& writer) {
  writer.begin_object();
  writer.key("command");
  writer.written(probe.script.parsed(as_json));  // the same on all nodes of a platform
  writer.member("exit_status", std::int64_t{probe.exit_status});
  writer.member("standard_error", probe.standard_error.str());
  writer.member("standard_output", probe.standard_output.str());
  writer.end_object();
}

Result<ProbeOutput> take_probe(Value& value) {
  ProbeOutput probe;
  probe.script = FABRIC_TRY(take_text(value, "command"));
  const Value* status = value.find("exit_status");
  if (status == nullptr || status->as_integer() == nullptr || *status->as_integer() < 0 ||
      *status->as_integer() > 255) {
    return wrong("exit_status", "an integer from 0 to 255");
  }
  probe.exit_status = static_cast<int>(*status->as_integer());
  probe.standard_output = FABRIC_TRY(take_text(value, "standard_output"));
  probe.standard_error = FABRIC_TRY(take_text(value, "standard_error"));
  return probe;
}

Result<std::map<std::string, ProbeOutput, std::less<>>> take_probes(Value& value) {
  Map& members = *value.as_map();
  const auto member = members.find("probes");
  if (member == members.end() || member->second.as_map() == nullptr)
    return wrong("probes", "an object");
  std::map<std::string, ProbeOutput, std::less<>> probes;
  for (auto& [id, output] : *member->second.as_map()) {
    Result<ProbeOutput> probe = take_probe(output);
    if (!probe) return with_context(std::move(probe).error(), "probe " + id);
    probes.emplace(id, std::move(probe).value());
  }
  return probes;
}

}  // namespace

const SharedText* NodeFacts::answer(std::string_view probe) const {
  const auto found = probes.find(probe);
  if (found == probes.end() || found->second.exit_status != 0) return nullptr;
  return &found->second.standard_output;
}

const std::string* NodeFacts::output(std::string_view probe) const {
  const SharedText* text = answer(probe);
  return text == nullptr ? nullptr : &text->str();
}

void share_texts(NodeFacts& facts, TextPool& pool) {
  for (auto& [id, probe] : facts.probes) {
    for (SharedText* text : {&probe.script, &probe.standard_output, &probe.standard_error})
      *text = pool.keep(*text);
  }
}

std::string to_json_pretty(const NodeFacts& facts) {
  std::string text;
  JsonWriter writer{JsonStyle::pretty, [&text](std::string_view piece) {
                      text += piece;
                    }};
  writer.begin_object();
  writer.key("failure");
  write_failure(facts.failure, writer);
  writer.member("format_version", kFormatVersion);
  writer.key("identity");
  writer.begin_object();
  writer.member("host_key", facts.host_key_fingerprint);
  writer.end_object();
  writer.member("node", facts.node.str());
  // The shape of version 1.0 has it not, which is all that it was made for.
  if (facts.platform != kUsualPlatform) writer.member("platform", to_string(facts.platform));
  writer.key("probes");
  writer.begin_object();
  for (const auto& [id, output] : facts.probes) {
    writer.key(id);
    write_probe(output, writer);
  }
  writer.end_object();
  writer.member("taken_at", facts.taken_at);
  writer.end_object();
  writer.finish();
  return text;
}

Result<NodeFacts> facts_from_value(Value value) {
  if (value.as_map() == nullptr) return Error{ErrorCode::invalid, "saved facts: not a JSON object"};
  const std::string version = FABRIC_TRY(text_member(value, "format_version"));
  if (!version.starts_with("1.")) return wrong("format_version", "1.x, not '" + version + "'");
  const std::string node = FABRIC_TRY(text_member(value, "node"));
  NodeFacts facts{FABRIC_TRY(NodeName::parse(node)), {}, {}, {}, {}};
  const Value* identity = value.find("identity");
  if (identity == nullptr) return wrong("identity", "an object");
  facts.host_key_fingerprint = FABRIC_TRY(text_member(*identity, "host_key"));
  facts.taken_at = FABRIC_TRY(text_member(value, "taken_at"));
  facts.failure = FABRIC_TRY(failure_member(value));
  facts.probes = FABRIC_TRY(take_probes(value));
  if (value.find("platform") != nullptr) {
    const auto platform = platform_of(FABRIC_TRY(text_member(value, "platform")));
    if (!platform) return wrong("platform", "the name of a platform");
    facts.platform = *platform;
  }
  return facts;
}

}  // namespace fabric
