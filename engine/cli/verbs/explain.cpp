// SPDX-License-Identifier: Apache-2.0
#include "engine/report/diagnostics/explain.hpp"

#include <cctype>
#include <filesystem>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/cli/state/document.hpp"
#include "engine/cli/terminal/diagnostics.hpp"
#include "engine/cli/verbs/verb.hpp"
#include "engine/model/document/load.hpp"
#include "engine/model/document/provenance.hpp"
#include "engine/model/expand/expand.hpp"
#include "engine/report/diagnostics/ring_pairs.hpp"
#include "engine/report/diagnostics/rule_table.hpp"

namespace fabric::cli {

namespace {

using Explained = Result<std::vector<Provenance>>;

std::vector<std::string> slugs() {
  std::vector<std::string> all;
  for (const RuleInfo& rule : rule_table())
    all.emplace_back(rule.slug);
  return all;
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  const std::string meant = nearest(word, known);
  return meant.empty() ? std::string{} : fmt::format("; did you mean '{}'?", meant);
}

// The places of a word that is no address: the name of a network, or a value of a resource. "" =
// the document does not have it.
std::string where_it_stands(
    const FabricSpec& spec, const std::vector<Resource>& resources, const std::string& word) {
  if (spec.networks.contains(word))
    return fmt::format("'{0}' is a network: fabric explain networks.{0}", word);
  std::vector<const Resource*> found;
  std::string attribute;
  for (const Resource& resource : resources) {
    for (const auto& [name, desired] : resource.desired) {
      const std::string value = to_text(desired.value);
      const std::size_t at = value.find(word);
      const auto is_end = [&](std::size_t i) {
        return i >= value.size() ||
               (std::isalnum(static_cast<unsigned char>(value[i])) == 0 && value[i] != '.');
      };
      const bool is_value =
          at != std::string::npos && is_end(at + word.size()) && (at == 0 || is_end(at - 1));
      if (name != word && !is_value) continue;
      attribute = name;
      found.push_back(&resource);
      break;
    }
  }
  if (found.empty()) return {};
  const std::string address = found.front()->address.str();
  return fmt::format(
      "'{}' is {} '{}' of {}{}: fabric explain {}",
      word,
      attribute == word ? "the parameter" : "a value of",
      attribute,
      address,
      found.size() == 1 ? "" : fmt::format(" and {} more", found.size() - 1),
      address);
}

// Explains the key at `address` in the document, or else the resource of that address.
Explained explain(const Document& document, const std::string& address) {
  Diagnostics ignored;  // those of loading have been printed
  const yaml::Node tree = read_document(document.sources, document.files, ignored);
  Explained found = explain_address(tree, document.spec(), address);
  if (found && document.valid()) {
    for (const auto& [name, network] : document.spec().networks) {
      if (address != "networks." + name) continue;
      for (Provenance& pair : report::explained_pairs(document.spec(), network))
        found->push_back(std::move(pair));
    }
  }
  if (found || !document.valid()) return found;
  std::vector<std::string> known = slugs();
  const std::vector<Resource> resources = expand(document.spec(), ignored);
  for (const Resource& resource : resources) {
    known.push_back(resource.address.str());
    if (known.back() == address) return explain_resource(resource);
  }
  for (const auto& [name, node] : document.spec().nodes)
    known.push_back(name.str());
  if (std::string stands = where_it_stands(document.spec(), resources, address); !stands.empty())
    return Error{ErrorCode::not_found, std::move(stands)};
  // The model knows the keys below an existing key; here only whole words are known.
  const std::string meant = did_you_mean(address, known);
  if (meant.empty() || found.error().code == ErrorCode::invalid) return found;
  return Error{
      ErrorCode::not_found, fmt::format("there is no rule or address '{}'{}", address, meant)};
}

class ExplainVerb final : public Verb {
 public:
  void declare(CLI::App& app) override {
    auto* word = app.add_option(
        "RULE_OR_ADDRESS",
        word_,
        "the slug in the brackets of a finding, or an address in the document:\n"
        "nodes.pve1.ssh.user, networks.storage.mtu, pve1, pve1/cx5, pve1/cx5/1,\n"
        "pve1/settings/cx5");
    app.add_option(
        "OTHER_OR_PATH",
        more_,
        "a second node, to see what the two have in common: networks, VLANs, partitions,\n"
        "addresses; and the document, a file or a directory (default: .)");
    app.add_flag("--all", all_, "every rule")->excludes(word);
  }

  Result<ExitCode> run(Context& context) override {
    if (all_) {
      for (const RuleInfo& rule : rule_table())
        show(context, rule);
      return ExitCode::done;
    }
    if (word_.empty()) {
      return Error{ErrorCode::invalid, "expected a rule or an address, or --all"};
    }
    if (more_.size() > 2) return Error{ErrorCode::invalid, "expected two nodes and a document"};
    if (is_pair()) return run_pair(context);
    const RuleInfo* rule = find_rule(word_);
    if (rule == nullptr) return run_address(context);
    show(context, *rule);
    return ExitCode::done;
  }

 private:
  Result<ExitCode> run_address(const Context& context) const {
    const Result<std::unique_ptr<Document>> document = load_path(path());
    if (!document) return no_document(document.error());
    print_problems(context, (*document)->sources, (*document)->loaded.diagnostics);
    return shown(context, **document, FABRIC_TRY(explain(**document, word_)));
  }

  static Result<ExitCode> shown(
      const Context& context, const Document& document, const std::vector<Provenance>& values) {
    const SourceMap& sources = document.sources;
    if (context.json()) {
      for (const Provenance& value : values) {
        context.events().emit(
            "info",
            "explained_value",
            fmt::format("{} = {} ({})", value.path, value.value, value.origin),
            report::provenance_value(value, sources));
      }
    } else {
      context.result(report::provenance_text(values, sources, context.output_style()));
    }
    return document.valid() ? ExitCode::done : ExitCode::invalid;
  }

  // A mistyped slug, where there is no document to look into, is no matter of documents.
  Error no_document(const Error& error) const {
    return {
        ErrorCode::invalid,
        fmt::format(
            "there is no rule '{}', and no document in which it could be an address ({}){}",
            word_,
            error.message,
            did_you_mean(word_, slugs()))};
  }

  void show(const Context& context, const RuleInfo& rule) const {
    if (context.json()) {
      context.events().emit("info", "rule", rule.reason, report::rule_value(rule));
      return;
    }
    context.result(report::rule_text(rule, context.output_style()) + (all_ ? "\n" : ""));
  }

  // The second node, if the words after the first name one, and the document.
  Result<ExitCode> run_pair(const Context& context) const {
    const std::unique_ptr<Document> loaded = FABRIC_TRY(load_path(path()));
    const Document& document = *loaded;
    print_problems(context, document.sources, document.loaded.diagnostics);
    const FabricSpec& spec = document.spec();
    std::vector<NodeName> pair;
    for (const std::string& each : {word_, more_.front()}) {
      const NodeSpec* node = spec.find_node(each);
      if (node == nullptr) {
        std::vector<std::string> known;
        for (const auto& [name, other] : spec.nodes)
          known.push_back(name.str());
        return Error{
            ErrorCode::not_found,
            fmt::format("there is no node '{}'{}", each, did_you_mean(each, known))};
      }
      pair.push_back(node->name);
    }
    return shown(context, document, report::explained_pair(spec, pair[0], pair[1]));
  }

  bool is_pair() const {
    std::error_code failed;
    return more_.size() == 2 ||
           (more_.size() == 1 && NodeName::parse(word_) && NodeName::parse(more_[0]) &&
            !std::filesystem::exists(more_[0], failed));
  }
  std::string path() const {
    const std::size_t at = is_pair() ? 1 : 0;
    return at < more_.size() ? more_[at] : ".";
  }

  std::string word_;
  std::vector<std::string> more_;  // at most two
  bool all_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_explain() {
  return std::make_unique<ExplainVerb>();
}

}  // namespace fabric::cli
