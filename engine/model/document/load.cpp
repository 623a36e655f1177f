// SPDX-License-Identifier: Apache-2.0
#include "engine/model/document/load.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/model/document/decode_parts.hpp"
#include "engine/model/document/read.hpp"
#include "engine/model/rules/rules.hpp"
#include "engine/schema/catalog.hpp"
#include "engine/schema/schema.hpp"
#include "engine/schema/validate.hpp"
#include "engine/yaml/parse.hpp"

namespace fabric {

namespace {

using Entries = std::vector<yaml::Entry>;

// All entries of all mappings, those of one key together, keys in order of first writing.
std::vector<Entries> group_by_key(std::vector<yaml::Node>& mappings) {
  std::vector<Entries> groups;
  std::unordered_map<std::string, std::size_t> places;
  for (yaml::Node& mapping : mappings) {
    for (yaml::Entry& entry : mapping.entries) {
      const auto [place, is_new] = places.try_emplace(entry.key, groups.size());
      if (is_new) groups.emplace_back();
      groups[place->second].push_back(std::move(entry));
    }
  }
  return groups;
}

// REQUIRES: at least one mapping.
// NOLINTNEXTLINE(misc-no-recursion): as deep as the documents, which limits::kNestingDepth bounds.
yaml::Node merge_mappings(std::vector<yaml::Node> mappings, Diagnostics& diagnostics);

// One entry of what several files give for one key.
// NOLINTNEXTLINE(misc-no-recursion): see merge_mappings.
yaml::Entry merge_entries(Entries entries, Diagnostics& diagnostics) {
  const auto is_null = [](const yaml::Entry& entry) {
    return entry.value.kind == yaml::Kind::null;
  };
  const auto valued = std::stable_partition(
      entries.begin(), entries.end(), [&](const yaml::Entry& entry) { return !is_null(entry); });
  if (valued != entries.begin()) entries.erase(valued, entries.end());
  yaml::Entry first = std::move(entries.front());
  if (entries.size() == 1 || is_null(first)) return first;

  std::vector<yaml::Node> mappings;
  for (std::size_t i = 1; i < entries.size(); ++i) {
    if (first.value.is_mapping() && entries[i].value.is_mapping()) {
      mappings.push_back(std::move(entries[i].value));
    } else {
      diagnostics
          .error(
              "duplicate-key",
              entries[i].key_range,
              fmt::format("'{}' is given in two files", first.key))
          .with_note(first.key_range, "first given here")
          .with_help("only mappings merge; give a value or a list in one place");
    }
  }
  if (!mappings.empty()) {
    mappings.insert(mappings.begin(), std::move(first.value));
    first.value = merge_mappings(std::move(mappings), diagnostics);
  }
  return first;
}

// NOLINTNEXTLINE(misc-no-recursion): see its declaration.
yaml::Node merge_mappings(std::vector<yaml::Node> mappings, Diagnostics& diagnostics) {
  std::vector<Entries> groups = group_by_key(mappings);
  yaml::Node merged = std::move(mappings.front());
  merged.entries.clear();
  for (Entries& group : groups) {
    merged.entries.push_back(merge_entries(std::move(group), diagnostics));
  }
  return merged;
}

// A file of a document has some of these; one that has all is a document by itself.
bool is_whole(const yaml::Node& mapping) {
  return mapping.find("apiVersion") != nullptr && mapping.find("name") != nullptr &&
         mapping.find("nodes") != nullptr;
}

// Two whole documents in one folder are one mistake, and not as many as they have keys in common:
// the first is read.
void leave_out_others(std::vector<yaml::Node>& mappings, Diagnostics& diagnostics) {
  const auto first = std::find_if(mappings.begin(), mappings.end(), is_whole);
  if (first == mappings.end()) return;
  const SourceRange first_name = first->find_entry("name")->key_range;
  const auto others = std::stable_partition(
      first + 1, mappings.end(), [](const yaml::Node& each) { return !is_whole(each); });
  for (auto other = others; other != mappings.end(); ++other) {
    diagnostics
        .error(
            "duplicate-key",
            other->find_entry("name")->key_range,
            "two files of the folder are two documents: each has apiVersion, name and nodes")
        .with_note(first_name, "the other document, which is read")
        .with_help("name one of the two files, or move the other one out of the folder");
  }
  mappings.erase(others, mappings.end());
}

const schema::Schema& document_schema() {
  static const Result<schema::Schema> shape = schema::Schema::load(schema::find_schema("fabric"));
  FABRIC_CHECK(shape.has_value(), "the schema that is compiled in can be loaded");
  return *shape;
}

// A finding takes some hundred bytes and its lines in a report some thousand. A document with so
// many findings about its shape is no document.
constexpr std::size_t kFindingsAlways = 2'000;
constexpr std::size_t kBytesPerFinding = 1'000;

// Reports the number of dropped findings.
void tell_dropped(const yaml::Node& document, Diagnostics& diagnostics) {
  diagnostics.keep_at_most(SIZE_MAX);
  diagnostics.keep_at_most_errors(SIZE_MAX);
  if (diagnostics.dropped() == 0) return;
  const std::uint32_t begin = document.range.begin;
  diagnostics
      .error(
          "out-of-range",
          {document.range.file, begin, begin},
          fmt::format("{} more findings are not shown", diagnostics.dropped()))
      .with_help("correct the findings that are shown first");
}

// A value that can't be read has a default in its place, or is left out, and so is what stands
// below a key of an unknown name. What may follow from it is counted, and not told beside it.
class Unread {
 public:
  // Drops the findings of the schema and the reader about keys that are there under a wrong name,
  // and tells networks where cables of theirs stand that can't be read.
  Unread(const yaml::Node& document, FabricSpec& spec, Diagnostics& shape, Diagnostics& read) {
    for (const Diagnostic& each : shape.items())
      if (each.rule == "unknown-key") places_.try_emplace(each.range, each);
    for (Diagnostics* findings : {&shape, &read}) {
      for (Diagnostic& each : findings->take_items()) {
        const auto is_meant = [&each](const Place& place) {
          return !place.meant.empty() && place.meant == each.key;
        };
        if (each.rule == "missing-key" && is_known(first_in(each.range, is_meant))) continue;
        if (each.severity == Severity::error) places_.try_emplace(each.range, each);
        findings->add(std::move(each));
      }
    }
    if (places_.empty()) return;
    find_sections(document);
    find_misspelt(document, "nodes");
    find_misspelt(document, "networks");
    for (const auto& [name, node] : spec.nodes)
      find_deciding(name.str(), node.range, *node.written);
    SourceRange foreign;
    for (const yaml::Entry& entry : document.entries) {
      const auto place = places_.find(entry.key_range);
      if (place == places_.end()) continue;
      foreign = entry.key_range;
      if (place->second.meant == "nodes") of_rules_.emplace("node-unknown", foreign);
      if (place->second.meant == "profiles") of_rules_.emplace("profile-unknown", foreign);
    }
    for (auto& [name, network] : spec.networks) {
      find_deciding(name, network.range, *network.written);
      // The cables may stand below the key that is misspelt, or below one beside `networks`.
      const auto misspelt = of_sections_.find(network.range);
      if (!network.cables.empty() || !network.ports.empty() || is_known(network.unread_end))
        continue;
      network.unread_end = misspelt == of_sections_.end() ? foreign : misspelt->second;
    }
  }

  // Gives the findings, of the reader or of rules, their causes.
  void blame(Diagnostics& findings, bool of_rules) const {
    for (Diagnostic& each : findings.take_items()) {
      const SourceRange cause = cause_of(each, of_rules);
      if (is_known(cause)) each.because_of(cause);
      findings.add(std::move(each));
    }
  }

 private:
  struct Place {
    explicit Place(const Diagnostic& found)
        : is_value{found.rule == "out-of-range" || found.rule == "wrong-type"},
          meant{found.rule == "unknown-key" ? found.key : ""} {}
    bool is_value;
    std::string meant;
  };

  // Everything of a node or network may follow from these of its keys.
  static bool is_deciding(std::string_view key) {
    constexpr std::string_view kDeciding[] = {
        "nodes.*.adapters",
        "nodes.*.platform",
        "nodes.*.profiles",
        "networks.*.cables",
        "networks.*.mode",
        "networks.*.ports"};
    return std::find(std::begin(kDeciding), std::end(kDeciding), key) != std::end(kDeciding);
  }

  SourceRange cause_of(const Diagnostic& finding, bool of_rules) const {
    const auto rule = of_rules_.find(finding.rule);
    if (rule != of_rules_.end()) return rule->second;
    const auto subject = of_subjects_.find(finding.subject.name);
    if (subject != of_subjects_.end() && subject->second != finding.range) return subject->second;
    if (!of_rules) return {};
    const auto section = of_sections_.find(finding.range);
    if (section != of_sections_.end()) return section->second;
    const auto is_value = [](const Place& place) {
      return place.is_value;
    };
    SourceRange bad = first_in(finding.range, is_value);
    for (const Note& note : finding.related)
      if (!is_known(bad)) bad = first_in(note.range, is_value);
    return bad;
  }

  // Returns the first place below `node` at which a section or the name of a key can't be read. A
  // scalar that can't be read leaves what stands beside it as it is.
  // NOLINTNEXTLINE(misc-no-recursion): as deep as the document, limits::kNestingDepth bounds it.
  SourceRange find_sections(const yaml::Node& node) {
    if (places_.contains(node.range) && !node.is_scalar()) return node.range;
    SourceRange first;
    for (const yaml::Node& item : node.items) {
      const SourceRange found = find_sections(item);
      if (!is_known(first)) first = found;
    }
    for (const yaml::Entry& entry : node.entries) {
      SourceRange found = find_sections(entry.value);
      if (places_.contains(entry.key_range)) found = entry.key_range;
      if (is_known(found) && found != entry.key_range) of_sections_.emplace(entry.key_range, found);
      if (!is_known(first)) first = found;
    }
    return first;
  }

  void find_misspelt(const yaml::Node& document, const std::string& section) {
    const yaml::Node* named = document.find(section);
    if (named == nullptr) return;
    for (const yaml::Entry& each : named->entries) {
      of_sections_.erase(each.key_range);  // too much to follow from one value in it
      for (const yaml::Entry& key : each.value.entries) {
        const auto place = places_.find(key.key_range);
        if (place != places_.end() && is_deciding(section + ".*." + place->second.meant))
          of_sections_.emplace(each.key_range, key.key_range);
      }
    }
  }

  void find_deciding(const std::string& name, SourceRange range, const WrittenKeys& keys) {
    const auto misspelt = of_sections_.find(range);
    if (misspelt != of_sections_.end()) of_subjects_.emplace(name, misspelt->second);
    for (const WrittenKey& each : keys) {
      if (is_deciding(each.key) && places_.contains(each.range))
        of_subjects_.emplace(name, each.range);
    }
  }

  template <class Predicate>
  SourceRange first_in(SourceRange range, Predicate is_wanted) const {
    const auto end = places_.upper_bound({range.file, range.end, 0});
    const auto found =
        std::find_if(places_.lower_bound({range.file, range.begin, 0}), end, [&](const auto& each) {
          return each.first.end <= range.end && is_wanted(each.second);
        });
    return found == end || !is_known(range) ? SourceRange{} : found->first;
  }

  std::map<SourceRange, Place> places_;
  std::map<SourceRange, SourceRange> of_sections_;  // by the key of the section
  std::map<std::string, SourceRange> of_subjects_;  // by node or network
  std::map<std::string, SourceRange> of_rules_;     // by the rule for names that nothing has
};

}  // namespace

yaml::Node merge_documents(std::vector<yaml::Node> documents, Diagnostics& diagnostics) {
  if (documents.empty()) return {};
  if (documents.size() == 1) return std::move(documents.front());
  std::vector<yaml::Node> mappings;
  for (yaml::Node& document : documents) {
    if (document.is_mapping()) {
      mappings.push_back(std::move(document));
    } else if (document.kind != yaml::Kind::null) {
      diagnostics.error("wrong-type", document.range, "a document is a mapping at its top");
    }
  }
  if (mappings.empty()) return std::move(documents.front());
  leave_out_others(mappings, diagnostics);
  return merge_mappings(std::move(mappings), diagnostics);
}

std::vector<std::string> node_names(const FabricSpec& spec) {
  std::vector<std::string> names;
  names.reserve(spec.nodes.size());
  for (const auto& [name, node] : spec.nodes)
    names.push_back(name.str());
  return names;
}

FabricSpec decode_document(const yaml::Node& document, Diagnostics& diagnostics) {
  FabricSpec spec;
  Findings findings;
  spec.name = read_text(Layers{document}, "name");
  decode_nodes(document, spec, findings);
  decode_networks(document, spec, findings);
  spec.isolated = decode_isolated(document, spec, findings);
  spec.rollout = decode_rollout(document, findings);
  spec.hooks = decode_hooks(Layers{document}.section("hooks"));
  diagnostics.append(findings.take());
  return spec;
}

yaml::Node read_document(
    const SourceMap& sources, const std::vector<FileId>& files, Diagnostics& diagnostics) {
  std::vector<yaml::Node> documents;
  documents.reserve(files.size());
  for (const FileId file : files)
    documents.push_back(yaml::parse(sources, file, diagnostics));
  const bool cut_short = std::any_of(
      documents.begin(), documents.end(), [](const yaml::Node& root) { return root.cut_short; });
  yaml::Node merged = merge_documents(std::move(documents), diagnostics);
  merged.cut_short = cut_short;
  return merged;
}

LoadedDocument load_document(const SourceMap& sources, const std::vector<FileId>& files) {
  LoadedDocument loaded;
  std::size_t bytes = 0;
  for (const FileId file : files)
    bytes += sources.text(file).size();
  const std::size_t most = kFindingsAlways + bytes / kBytesPerFinding;
  loaded.diagnostics.keep_at_most(most);
  const yaml::Node document = read_document(sources, files, loaded.diagnostics);
  if (document.cut_short) {
    // Everything behind the syntax error would be found missing; only what is drawn is decoded.
    Diagnostics consequences;
    loaded.spec = decode_document(document, consequences);
    tell_dropped(document, loaded.diagnostics);
    loaded.diagnostics.sort();
    return loaded;
  }
  schema::validate(document, document_schema(), loaded.diagnostics);
  if (loaded.diagnostics.dropped() > 0) {
    tell_dropped(document, loaded.diagnostics);
    loaded.diagnostics.sort();
    return loaded;
  }
  Diagnostics shape = std::exchange(loaded.diagnostics, {}), read, judged;
  read.keep_at_most(most - shape.items().size());
  loaded.spec = decode_document(document, read);
  const Unread unread{document, loaded.spec, shape, read};
  judged.keep_at_most_errors(most - shape.count(Severity::error) - read.count(Severity::error));
  check_rules(loaded.spec, judged);
  unread.blame(read, false);
  unread.blame(judged, true);
  for (Diagnostics* findings : {&shape, &read, &judged})
    loaded.diagnostics.append(std::move(*findings));
  tell_dropped(document, loaded.diagnostics);
  loaded.diagnostics.sort();
  return loaded;
}

}  // namespace fabric
