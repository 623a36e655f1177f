// SPDX-License-Identifier: Apache-2.0
#include "engine/model/document/load.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/model/document/decode_parts.hpp"
#include "engine/model/document/read.hpp"
#include "engine/model/rules/rules.hpp"
#include "engine/schema/catalog.hpp"
#include "engine/schema/mapping_keys.hpp"
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

// Drops the finding about a missing key that is there under a wrong name.
void leave_out_misspelt(Diagnostics& diagnostics) {
  std::vector<Diagnostic> items = diagnostics.take_items();
  std::vector<Diagnostic> misspelt;
  std::copy_if(items.begin(), items.end(), std::back_inserter(misspelt), [](const auto& item) {
    return item.rule == "unknown-key" && !item.key.empty();
  });
  std::erase_if(items, [&misspelt](const Diagnostic& item) {
    return item.rule == "missing-key" &&
           std::any_of(misspelt.begin(), misspelt.end(), [&item](const Diagnostic& key) {
             return key.range.file == item.range.file && key.range.begin >= item.range.begin &&
                    key.range.end <= item.range.end && item.key == key.key;
           });
  });
  for (Diagnostic& item : items)
    diagnostics.add(std::move(item));
}

// Keys of mappings in which a section stands that can't be read, or one of an unknown name, with
// its place. A scalar that can't be read leaves what stands beside it as it is.
// NOLINTNEXTLINE(misc-no-recursion): as deep as the document, which limits::kNestingDepth bounds.
SourceRange find_unread(
    const yaml::Node& node,
    const std::set<SourceRange>& unread,
    std::map<SourceRange, SourceRange>& causes) {
  if (unread.contains(node.range) && !node.is_scalar()) return node.range;
  SourceRange first;
  for (const yaml::Node& item : node.items) {
    const SourceRange found = find_unread(item, unread, causes);
    if (!is_known(first)) first = found;
  }
  for (const yaml::Entry& entry : node.entries) {
    SourceRange found = find_unread(entry.value, unread, causes);
    if (unread.contains(entry.key_range)) found = entry.key_range;
    if (is_known(found) && found != entry.key_range) causes.emplace(entry.key_range, found);
    if (!is_known(first)) first = found;
  }
  return first;
}

// A value that can't be read has a default in its place, or is left out. What is found of its
// mapping as a whole, at the key of that, may follow from it, and of a node or network whose
// platform or mode it is so may everything, as of a node whose key for cards or profiles is
// misspelt: it is counted, and not told beside the bad value. The findings of the schema come
// first, then those of the reader, then those of rules.
void blame_unread(
    const yaml::Node& document,
    const FabricSpec& spec,
    std::size_t of_schema,
    std::size_t of_reader,
    Diagnostics& diagnostics) {
  std::set<SourceRange> unread, values, misspelt;
  const std::vector<Diagnostic>& read = diagnostics.items();
  for (std::size_t i = 0; i < std::min(of_reader, read.size()); ++i) {
    if (read[i].severity != Severity::error) continue;
    unread.insert(read[i].range);
    if (read[i].rule == "out-of-range" || read[i].rule == "wrong-type")
      values.insert(read[i].range);
    const std::string& key = read[i].key;  // the key that was meant
    if (read[i].rule == "unknown-key" &&
        (key == "adapters" || key == "profiles" || key == "platform"))
      misspelt.insert(read[i].range);
  }
  if (unread.empty()) return;
  // What a rule says of a bad value, or of a mapping that has one.
  const auto bad_value_in = [&values](SourceRange place) {
    const auto first = values.lower_bound({place.file, place.begin, 0});
    const bool is_inside = is_known(place) && first != values.end() && first->file == place.file &&
                           first->begin >= place.begin && first->end <= place.end;
    return is_inside ? *first : SourceRange{};
  };
  std::map<SourceRange, SourceRange> of_keys, of_misspelt;
  find_unread(document, unread, of_keys);
  find_unread(document, misspelt, of_misspelt);
  // Nodes and networks are too much to follow from one value in them.
  for (const auto& [name, node] : spec.nodes)
    of_keys.erase(node.range);
  for (const auto& [name, network] : spec.networks)
    of_keys.erase(network.range);
  std::map<std::string, SourceRange> causes;
  const auto blame = [&](const std::string& name, const WrittenKeys& keys, std::string_view key) {
    for (const WrittenKey& each : keys) {
      if (each.key == key && unread.contains(each.range)) causes.emplace(name, each.range);
    }
  };
  for (const auto& [name, node] : spec.nodes) {
    blame(name.str(), *node.written, "nodes.*.platform");
    const auto key = of_misspelt.find(node.range);
    if (key != of_misspelt.end()) causes.emplace(name.str(), key->second);
  }
  for (const auto& [name, network] : spec.networks)
    blame(name, *network.written, "networks.*.mode");
  std::size_t number = 0;
  for (Diagnostic& each : diagnostics.take_items()) {
    const auto cause = causes.find(each.subject.name);
    const auto of_key = of_keys.find(each.range);
    const bool is_of_rule = number >= of_reader;
    const bool is_of_schema = number++ < of_schema;
    if (!is_of_schema && cause != causes.end() && cause->second != each.range) {
      each.because_of(cause->second);
    } else if (is_of_rule && of_key != of_keys.end()) {
      each.because_of(of_key->second);
    } else if (is_of_rule) {
      SourceRange bad = bad_value_in(each.range);
      for (const Note& note : each.related)
        if (!is_known(bad)) bad = bad_value_in(note.range);
      if (is_known(bad)) each.because_of(bad);
    }
    diagnostics.add(std::move(each));
  }
}

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
  std::size_t of_schema = loaded.diagnostics.items().size();
  loaded.spec = decode_document(document, loaded.diagnostics);
  const std::size_t read = loaded.diagnostics.items().size();
  leave_out_misspelt(loaded.diagnostics);
  of_schema -= std::min(of_schema, read - loaded.diagnostics.items().size());
  loaded.diagnostics.keep_at_most(SIZE_MAX);
  loaded.diagnostics.keep_at_most_errors(most);
  const std::size_t of_reader = loaded.diagnostics.items().size();
  check_rules(loaded.spec, loaded.diagnostics);
  blame_unread(document, loaded.spec, of_schema, of_reader, loaded.diagnostics);
  tell_dropped(document, loaded.diagnostics);
  loaded.diagnostics.sort();
  return loaded;
}

}  // namespace fabric
