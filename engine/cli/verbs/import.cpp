// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <map>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "engine/cli/input/foreign_files.hpp"
#include "engine/cli/input/hosts.hpp"
#include "engine/cli/terminal/diagnostics.hpp"
#include "engine/cli/verbs/verb.hpp"
#include "engine/description/writing/write.hpp"
#include "engine/files/write.hpp"
#include "engine/model/document/load.hpp"
#include "engine/report/terminal/style.hpp"
#include "engine/workflow/importing/seen_fabric.hpp"

namespace fabric::cli {

namespace {

// True for a file's ending, even if missing: a mistyped file name is no host to look up.
bool is_file(const std::string& source) {
  const std::filesystem::path path{source};
  const std::string ending = path.extension().string();
  for (const std::string_view each :
       {".txt",
        ".csv",
        ".ndt",
        ".topo",
        ".lst",
        ".dot",
        ".conf",
        ".yaml",
        ".yml",
        ".ini",
        ".json"}) {
    if (ending == each) return true;
  }
  std::error_code failure;
  return source.find('/') != std::string::npos || std::filesystem::exists(path, failure);
}

class ImportVerb final : public Verb {
 public:
  void declare(CLI::App& app) override {
    std::string formats = "format of the files; left out, it is recognised:";
    std::vector<std::string> names;
    for (const ForeignName& each : foreign_names()) {
      formats += fmt::format("\n{} ({})", each.name, each.summary);
      names.push_back(each.name);
    }
    app.add_option(
        "SOURCE",
        sources_,
        "sources of the fabric: files of other tools, and hosts that are read by SSH, in any "
        "order; where two sources differ, the source nearer to the hardware wins. With --facts, "
        "the hosts of that folder come first");
    app.add_option("--from", format_, formats)->check(CLI::IsMember(names))->type_name("FORMAT");
    app.add_option("--name", name_, "the name of the fabric")->default_val("imported");
    app.add_option("--out", out_, "write the document to this file")->type_name("FILE");
  }

  Result<ExitCode> run(Context& context) override {
    std::vector<description::Source> sources;
    std::map<std::string, std::string> formats;
    std::vector<std::string> hosts;
    bool complete = true;
    for (const std::string& source : sources_) {
      if (format_.empty() && !is_file(source)) {
        hosts.push_back(source);
        continue;
      }
      ForeignFile read = FABRIC_TRY(read_foreign_file(source, format_));
      formats.emplace(source, read.format);
      sources.push_back(std::move(read.source));
    }
    const std::string& saved = context.options().facts;
    if (!hosts.empty() || !saved.empty()) {
      const std::vector<NodeFacts> facts = FABRIC_TRY(facts_of_hosts(context, hosts));
      const auto reached = std::count_if(
          facts.begin(), facts.end(), [](const NodeFacts& each) { return each.reachable(); });
      if (reached == 0) return Error{ErrorCode::unreachable, "none of the hosts was reached"};
      complete = static_cast<std::size_t>(reached) == facts.size();
      const std::string called = saved.empty() ? "the hosts themselves" : saved;
      if (!saved.empty()) formats.emplace(saved, "facts");
      sources.push_back({called, workflow::describe(facts), description::Nearness::hosts});
      if (saved.empty()) {
        const description::Description seen = sources.back().says;
        for (description::Source& each : FABRIC_TRY(subnets_of_hosts(context, seen, facts)))
          sources.push_back(std::move(each));
      }
    }
    if (sources.empty())
      return Error{
          ErrorCode::invalid, "there is nothing to import: name files or hosts, or give --facts"};
    description::sort_by_nearness(sources);
    std::vector<std::string> named;
    for (const description::Source& source : sources) {
      const auto format = formats.find(source.name);
      named.push_back(
          format == formats.end() ? source.name
                                  : fmt::format("{} ({})", source.name, format->second));
    }
    const description::Description whole = description::merge(std::move(sources));
    if (whole.nodes.empty())
      return Error{
          ErrorCode::invalid, "the files name no node: name the subnet or the hosts as well"};
    const std::string text = description::write_document(whole, name_, named);
    const ExitCode code = FABRIC_TRY(hand_over(context, text));
    if (!out_.empty()) context.hint(context.command("plan", out_));
    return complete ? code : ExitCode::unreachable;
  }

 private:
  // Prints the document and its errors: the source may declare what no fabric can have.
  Result<ExitCode> hand_over(Context& context, const std::string& text) const {
    SourceMap sources;
    const FileId file = sources.add(out_.empty() ? "imported document" : out_, text);
    const LoadedDocument loaded = load_document(sources, {file});
    if (!out_.empty()) {
      FABRIC_TRY(files::write_file(out_, text, files::Readers::everybody));
      context.note(fmt::format("written to {}", out_));
    }
    if (context.json()) {
      context.events().emit(
          "info", "import_result", "the document", {{"result", Map{{"document", text}}}});
    } else if (out_.empty()) {
      context.result(text);
    }
    print_errors(context, sources, loaded.diagnostics);
    const FabricSpec& spec = loaded.spec;
    std::size_t cables = 0;
    for (const auto& [network, value] : spec.networks)
      cables += value.cables.size();
    context.note(fmt::format(
        "{}, {}{}",
        report::count(spec.nodes.size(), "node"),
        report::count(cables, "cable"),
        loaded.diagnostics.has_errors() ? "; the document is not valid yet: see the findings above"
                                        : ""));
    return ExitCode::done;
  }

  std::vector<std::string> sources_;
  std::string format_, name_, out_;
};

}  // namespace

std::unique_ptr<Verb> make_import() {
  return std::make_unique<ImportVerb>();
}

}  // namespace fabric::cli
