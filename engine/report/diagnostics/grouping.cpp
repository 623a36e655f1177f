// SPDX-License-Identifier: Apache-2.0
#include "engine/report/diagnostics/grouping.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/node_set_text.hpp"

namespace fabric::report {

Place place_of(const SourceMap& sources, SourceRange range) {
  Place place;
  if (!is_known(range)) return place;
  place.known = true;
  place.path = sources.path(range.file);
  place.begin = sources.position(range.file, range.begin);
  place.end = sources.position(range.file, std::max(range.begin, range.end));
  return place;
}

std::string relative_path(std::string_view path, std::string_view root, std::string_view folder) {
  while (path.substr(0, 2) == "./")
    path.remove_prefix(2);
  std::string whole;
  if (!folder.empty() && !path.empty() && path.front() != '/') {
    whole = std::string{folder} + '/' + std::string{path};
    path = whole;
  }
  while (root.size() > 1 && root.back() == '/')
    root.remove_suffix(1);
  const bool below = !root.empty() && path.size() > root.size() + 1 &&
                     path.substr(0, root.size()) == root && path[root.size()] == '/';
  if (below) path.remove_prefix(root.size() + 1);
  return std::string{path};
}

namespace {

constexpr std::string_view kDigits = "0123456789";

// The words of a finding: message, help, and what its other places are.
std::string words_of(const Diagnostic& finding) {
  std::string all = finding.message + " \n " + finding.help;
  for (const Note& note : finding.related)
    all += " \n " + note.message;
  return all;
}

// `text` of a finding about `subject`, with another name in place of that.
std::string with_name(std::string_view text, std::string_view subject, std::string_view other) {
  std::string changed;
  std::size_t taken = 0;
  for (const std::string_view word : name_words(text)) {
    // Alone, or in a path of the document: "nodes.pve1.ssh.port".
    std::size_t begin = 0;
    if (word != subject) {
      begin = word.find('.') + 1;
      const std::string_view below = word.substr(begin);
      const bool is_path = begin != 0 && below.starts_with(subject) &&
                           (below.size() == subject.size() || below[subject.size()] == '.');
      if (subject.empty() || !is_path) continue;
    }
    begin += static_cast<std::size_t>(word.data() - text.data());
    changed += text.substr(taken, begin - taken);
    changed += other;
    taken = begin + subject.size();
  }
  return changed += text.substr(taken);
}

// The words of a finding without its subject: without the words that name the subject and those
// with a number, which are names, addresses and quantities of its own. Two findings of one rule may
// still differ.
std::string said(const Diagnostic& finding) {
  std::string kept;
  const std::string all = words_of(finding);
  for (const std::string_view word : split(all, ' ')) {
    const std::vector<std::string_view> names = name_words(word);
    const bool own = word.find_first_of(kDigits) != std::string_view::npos ||
                     std::find(names.begin(), names.end(), finding.subject.name) != names.end();
    (kept += own ? std::string_view{"#"} : word) += ' ';
  }
  return kept;
}

// True for a finding about an unknown name: one wrong name of a node set gives a suggestion for
// each of its members, 'leaf01' and 'laef01', wherever the document has them.
bool is_misspelt(const Diagnostic& finding) {
  return finding.rule == "node-unknown" && !finding.subject.name.empty() && !finding.help.empty();
}

// "there is no node 'leaf#'"
std::string without_numbers(std::string_view text) {
  std::string kept;
  for (const char c : text) {
    const bool is_digit = kDigits.find(c) != std::string_view::npos;
    if (!is_digit || kept.empty() || kept.back() != '#') kept += is_digit ? '#' : c;
  }
  return kept;
}

// Which findings are one for people: those that differ in the name of their subject alone, wherever
// they stand, since nodes may have lines of their own; and at one place, or with one other place,
// those that differ in names, addresses and numbers, which come from there. Without a subject all
// words and the place have to be equal.
class Kinds {
 public:
  std::size_t of(const Diagnostic& finding) {
    const std::string& name = finding.subject.name;
    if (is_misspelt(finding))
      return numbers_
          .emplace(
              Key{finding.severity, finding.rule, {}, without_numbers(words_of(finding)) + "\n\n"},
              numbers_.size())
          .first->second;
    const Key same{
        finding.severity,
        finding.rule,
        name.empty() ? finding.range : SourceRange{},
        with_name(words_of(finding), name, "#")};
    if (const auto known = numbers_.find(same); known != numbers_.end()) return known->second;
    std::vector<Key> keys{same};
    if (!name.empty()) {
      keys.push_back({finding.severity, finding.rule, finding.range, said(finding) + "\n"});
      // A subnet that is too small for many nodes.
      if (!finding.related.empty() && is_known(finding.related.front().range))
        keys.push_back(
            {finding.severity,
             finding.rule,
             finding.related.front().range,
             said(finding) + "\n\n\n"});
    }
    std::size_t number = numbers_.size();
    for (const Key& key : keys) {
      const auto known = numbers_.find(key);
      if (known == numbers_.end()) continue;
      number = known->second;
      break;
    }
    for (Key& key : keys)
      numbers_.emplace(std::move(key), number);
    return number;
  }

 private:
  using Key = std::tuple<Severity, std::string, SourceRange, std::string>;
  std::map<Key, std::size_t> numbers_;
};

// For every finding: the index of its cause, or its own index.
std::vector<std::size_t> causes_of(const std::vector<Diagnostic>& items) {
  std::map<SourceRange, std::size_t> first, between;  // causes that have causes themselves
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (is_known(items[i].range))
      (is_known(items[i].cause) ? between : first).emplace(items[i].range, i);
  }
  std::vector<std::size_t> causes;
  for (std::size_t i = 0; i < items.size(); ++i) {
    SourceRange place = items[i].cause;
    constexpr int kMost = 4;
    for (int hop = 0; hop < kMost && is_known(place) && !first.contains(place); ++hop) {
      const auto next = between.find(place);
      place = next == between.end() ? SourceRange{} : items[next->second].cause;
    }
    const auto cause = is_known(place) ? first.find(place) : first.end();
    const bool follows = cause != first.end() && items[cause->second].severity <= items[i].severity;
    causes.push_back(follows ? cause->second : i);
  }
  return causes;
}

// "pve[2-12]/cx5/1" where each node has the same of these, else the nodes.
std::string set_of(const std::set<Subject>& subjects) {
  std::map<std::string, std::vector<std::string>> names_of;  // by part
  std::vector<std::string> names;
  for (const Subject& subject : subjects) {
    names_of[subject.part].push_back(subject.name);
    names.push_back(subject.name);
  }
  std::vector<std::string> parts;
  for (const auto& [part, of] : names_of) {
    if (of != names_of.begin()->second) return short_set(std::move(names));
    parts.push_back(part);
  }
  const std::string set = short_set(std::move(names));
  return parts == std::vector<std::string>{""} ? set : set + "/" + fold(std::move(parts));
}

}  // namespace

std::vector<FindingGroup> group_findings(const Diagnostics& findings) {
  const std::vector<Diagnostic>& items = findings.items();
  const std::vector<std::size_t> causes = causes_of(items);
  Kinds kinds;
  // How many findings of a kind a subject has: two of them are two groups.
  std::map<std::pair<std::size_t, Subject>, std::size_t> seen;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> group_of;
  std::vector<std::size_t> place(items.size());  // in the result, of each member
  std::vector<FindingGroup> groups;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (causes[i] != i) continue;
    const Diagnostic& item = items[i];
    const std::size_t kind = kinds.of(item);
    const bool once = item.subject.name.empty() || is_misspelt(item);
    const std::size_t before = once ? 0 : seen[{kind, item.subject}]++;
    const auto [group, fresh] = group_of.emplace(std::pair{kind, before}, groups.size());
    if (fresh) groups.emplace_back();
    place[i] = group->second;
    groups[place[i]].members.push_back(i);
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (causes[i] != i) groups[place[causes[i]]].consequences.push_back(i);
  }
  return groups;
}

std::vector<FindingGroup> single_findings(const Diagnostics& findings) {
  std::vector<FindingGroup> groups;
  for (std::size_t i = 0; i < findings.items().size(); ++i)
    groups.push_back({{i}, {}});
  return groups;
}

std::string others_text(const FindingGroup& group, const Diagnostics& findings) {
  if (group.members.size() < 2) return {};
  std::set<Subject> subjects;
  for (std::size_t i = 1; i < group.members.size(); ++i)
    subjects.insert(findings.items()[group.members[i]].subject);
  // A wrong name may stand in several places: only the first is shown.
  if (subjects.size() == 1 && *subjects.begin() == findings.items()[group.members.front()].subject)
    return fmt::format("and {} more", group.members.size() - 1);
  std::string text = fmt::format("and {} more", group.members.size() - 1);
  const bool named = !subjects.begin()->name.empty();
  return named ? text + ": " + set_of(subjects) : text;
}

SaidByAll said_by_all(const FindingGroup& group, const Diagnostics& findings) {
  const Diagnostic& first = findings.items()[group.members.front()];
  std::set<Subject> all;
  bool same = true;
  for (const std::size_t member : group.members) {
    const Diagnostic& item = findings.items()[member];
    all.insert(item.subject);
    same = same && with_name(first.message, first.subject.name, item.subject.name) == item.message;
  }
  if (!same)
    return {
        fmt::format("{} ({})", first.subject.str(), others_text(group, findings)), first.message};
  std::string set = set_of(all);
  std::string what = with_name(first.message, first.subject.name, set);
  return {std::move(set), std::move(what)};
}

std::string consequences_text(const FindingGroup& group) {
  const std::size_t number = group.consequences.size();
  if (number == 0) return {};
  return number == 1 ? "1 finding follows from this one"
                     : fmt::format("{} findings follow from this one", number);
}

std::string short_set(std::vector<std::string> names) {
  constexpr std::size_t kColumns = 60;
  std::sort(names.begin(), names.end(), natural_less);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  // As one node set, wherever the numbers are in the names, or else only those that end in numbers.
  const std::optional<std::string> one = fold_as_set(names);
  std::string set = one ? *one : fold(std::move(names));
  if (set.size() <= kColumns) return set;
  const std::size_t end = set.rfind(',', kColumns);
  if (end == std::string::npos) return set;
  const std::string kept = set.substr(0, end);
  const std::size_t open = kept.rfind('[');
  const std::size_t close = kept.rfind(']');
  const bool in_brackets =
      open != std::string::npos && (close == std::string::npos || open > close);
  return kept + (in_brackets ? ",...]" : ",...");
}

}  // namespace fabric::report
