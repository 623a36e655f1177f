// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/state/support_bundle.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "engine/base/limits.hpp"
#include "engine/base/secrets/redaction.hpp"
#include "engine/base/secrets/secret_names.hpp"
#include "engine/base/text.hpp"
#include "engine/cli/state/document.hpp"
#include "engine/cli/state/run_folder.hpp"
#include "engine/files/read.hpp"
#include "engine/value/json.hpp"
#include "engine/value/lists.hpp"

namespace fabric::cli {

namespace {

namespace fs = std::filesystem;

// NOLINTNEXTLINE(misc-no-recursion): depth is bounded by parse_json()
Value redacted(const Value& value) {
  if (const std::string* text = value.as_string()) return Value{without_secrets(*text)};
  if (const List* list = value.as_list()) {
    List all = to_list(*list, redacted);
    return Value{std::move(all)};
  }
  if (const Map* map = value.as_map()) {
    Map all;
    for (const auto& [name, each] : *map) {
      const bool is_secret = names_secret(name) && each.as_string() != nullptr;
      all.emplace(name, is_secret ? Value{std::string{kRedacted}} : redacted(each));
    }
    return Value{std::move(all)};
  }
  return value;
}

}  // namespace

std::string without_secrets_in_json(std::string_view text) {
  if (const Result<Value> whole = parse_json(text)) {
    const Value clean = redacted(*whole);
    return clean == *whole ? std::string{text} : to_json_pretty(clean);
  }
  std::string all;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    const Result<Value> value = parse_json(line);
    if (!value) return without_secrets(text);
    const Value clean = redacted(*value);
    all += clean == *value ? std::string{line} : to_json(clean);
    if (end != text.size()) all += '\n';
    begin = end + 1;
  }
  return all;
}

namespace {

// Any file that is no plan and no journal is left out, since its secrets are unknown. A plan of any
// version of the format counts as a plan.
bool is_plan(std::string_view text) {
  const Result<Value> value = parse_json(text);
  return value && !value->string_or_empty("format_version").empty();
}

// A crash may have cut short its last line.
bool is_journal(std::string_view text) {
  for (std::string_view rest = text; !rest.empty();) {
    const bool is_whole = rest.find('\n') != std::string_view::npos;
    const std::string_view line = take_line(rest);
    const Result<Value> value = parse_json(line);
    if (value ? value->as_map() == nullptr : is_whole || !line.starts_with('{')) return false;
  }
  return true;
}

}  // namespace

Result<std::vector<files::ArchivedFile>> bundled_run(const std::string& run) {
  struct Kept {
    const char* name;
    const char* what;
    std::size_t most;
    bool (*is_one)(std::string_view);
  };
  constexpr std::array kKept{
      Kept{"plan.json", "a plan", limits::kPlanBytes, is_plan},
      Kept{"journal.jsonl", "a journal", limits::kJournalBytes, is_journal}};
  const std::string folder = FABRIC_TRY(run_folder(run));
  std::vector<files::ArchivedFile> found;
  for (const Kept& kept : kKept) {
    const std::string path = fmt::format("{}/{}", folder, kept.name);
    const Result<std::string> text = read_text_file(path, kept.most);
    // A run that was killed early has not all of them.
    if (!text && text.error().code == ErrorCode::not_found) continue;
    if (!text) return text.error();
    if (!kept.is_one(*text)) {
      return Error{
          ErrorCode::invalid,
          fmt::format(
              "{}: expected {}, found another text; no bundle was written: look at the file, and "
              "move it away to make a bundle without it",
              path,
              kept.what)};
    }
    found.push_back({fmt::format("run/{}", kept.name), without_secrets_in_json(*text)});
  }
  return found;
}

std::vector<files::ArchivedFile> bundled_facts(const std::vector<NodeFacts>& facts) {
  std::vector<files::ArchivedFile> found;
  for (const NodeFacts& each : facts) {
    NodeFacts node = each;
    // Facts that fabric saved have none; the files may be of another hand.
    for (auto& [id, output] : node.probes) {
      output.standard_output = without_secrets(output.standard_output);
      output.standard_error = without_secrets(output.standard_error);
    }
    found.push_back(
        {fmt::format("facts/{}.json", node.node.str()),
         without_secrets_in_json(to_json_pretty(node))});
  }
  return found;
}

Result<std::vector<NodeFacts>> all_saved_facts(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code failure;
  for (fs::directory_iterator entry{folder, failure}, end; !failure && entry != end;
       entry.increment(failure)) {
    if (entry->path().extension() == ".json") names.push_back(entry->path().filename().string());
  }
  if (failure) return Error{ErrorCode::not_found, fmt::format("{}: {}", folder, failure.message())};
  std::sort(names.begin(), names.end());
  std::vector<NodeFacts> facts;
  for (const std::string& name : names) {
    const std::string path = fmt::format("{}/{}", folder, name);
    // Beneath the folder: a file of facts may be a link that another program or person made.
    const std::string text = FABRIC_TRY(files::read_beneath(folder, name, limits::kFactsBytes));
    Result<Value> value = parse_json(text);
    if (!value) return with_context(value.error(), path);
    Result<NodeFacts> node = facts_from_value(*std::move(value));
    if (!node) return with_context(node.error(), path);
    facts.push_back(*std::move(node));
  }
  return facts;
}

}  // namespace fabric::cli
