// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/cli/verbs/verb.hpp"
#include "engine/files/read.hpp"
#include "engine/value/json.hpp"
#include "providers/parsers.hpp"

namespace fabric::cli {

namespace {

class ParseVerb final : public Verb {
 public:
  void declare(CLI::App& app) override {
    std::string kinds = "format of the text:";
    for (const providers::Parser& parser : providers::parsers())
      kinds += fmt::format("\n{} ({})", parser.kind, parser.summary);
    app.add_option("KIND", kind_, kinds)->required();
    app.add_option("FILE", file_, "the text; - is standard input")->default_val("-");
  }

  Result<ExitCode> run(Context& context) override {
    const std::vector<providers::Parser>& parsers = providers::parsers();
    const auto parser = std::find_if(
        parsers.begin(), parsers.end(), [this](const auto& known) { return known.kind == kind_; });
    if (parser == parsers.end()) return unknown_kind(parsers);
    const bool from_input = file_ == "-";
    const std::string text =
        FABRIC_TRY(files::read_argument(from_input ? "/dev/stdin" : file_, parser->bytes_max));
    const std::string where = from_input ? "standard input" : file_;
    const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    if (lines > parser->lines_max) {
      return Error{
          ErrorCode::invalid,
          fmt::format("{}: expected at most {} lines, found {}", where, parser->lines_max, lines)};
    }
    const Result<Value> value = parser->parse(text);
    if (!value) return with_context(value.error(), where);
    if (context.json()) {
      context.events().emit(
          "info", "parse_result", fmt::format("{} as JSON", kind_), {{"result", *value}});
    } else {
      context.result(to_json_pretty(*value));
    }
    return ExitCode::done;
  }

 private:
  Error unknown_kind(const std::vector<providers::Parser>& parsers) const {
    std::vector<std::string> kinds;
    for (const providers::Parser& parser : parsers)
      kinds.emplace_back(parser.kind);
    const std::string meant = nearest(kind_, kinds);
    return {
        ErrorCode::invalid,
        fmt::format(
            "no parser for '{}'; {}",
            kind_,
            meant.empty() ? "there are: " + join(kinds, ", ")
                          : fmt::format("did you mean '{}'?", meant))};
  }

  std::string kind_, file_;
};

}  // namespace

std::unique_ptr<Verb> make_parse() {
  return std::make_unique<ParseVerb>();
}

}  // namespace fabric::cli
