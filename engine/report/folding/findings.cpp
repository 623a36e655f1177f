// SPDX-License-Identifier: Apache-2.0
#include "engine/report/folding/findings.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "engine/base/printable.hpp"
#include "engine/report/folding/text_template.hpp"

namespace fabric::report {

namespace {

// All texts of a finding as one, so that they are compared as one: nothing printable has this
// character.
constexpr char kTextEnd = '\x1f';

std::string texts_of(const Diagnostic& finding) {
  std::string all = printable(finding.message) + kTextEnd + printable(finding.help) + kTextEnd;
  for (const Note& note : finding.related)
    all += printable(note.message) + kTextEnd;
  return all;
}

// A finding taken apart; `fields` refer to `text`, which never moves.
struct Apart {
  std::size_t index = 0;
  const std::string* text = nullptr;
  std::vector<TextField> fields;
};

using Members = std::vector<const Apart*>;

// Numbers in place of texts, in order of first appearance.
std::vector<std::size_t> numbered(const Members& members, std::size_t column, std::size_t& count) {
  std::unordered_map<std::string_view, std::size_t> known;
  std::vector<std::size_t> values;
  values.reserve(members.size());
  for (const Apart* member : members)
    values.push_back(known.emplace(member->fields[column].text, known.size()).first->second);
  count = known.size();
  return values;
}

// Fields that are read side by side: each value of one goes with one value of every other.
struct FieldClass {
  std::vector<std::size_t> columns;
  std::vector<std::size_t> values;  // of each member, numbered
  std::size_t count = 0;            // different ones; at least 2
  bool named = false;               // has a name or an address
  bool numbered = false;            // has a number that stands alone
  // Has a name and something else than this name and addresses.
  bool mixed = false;
  std::optional<std::size_t> name_column{};

  // False where what goes together does so by chance: two nodes that differ in the card or the port
  // as well, or nothing but "mtu 9000" and "mtu 1500". Such findings are others.
  bool may_fold() const {
    constexpr std::size_t kNoChanceFrom = 4;
    if (!named) return !numbered;
    return !mixed || count >= kNoChanceFrom;
  }

  void add(std::size_t column, const Members& members) {
    const TextField::Kind kind = members.front()->fields[column].kind;
    columns.push_back(column);
    named |= kind == TextField::Kind::name || kind == TextField::Kind::address;
    numbered |= kind == TextField::Kind::number;
    if (kind == TextField::Kind::address) return;
    if (kind == TextField::Kind::name && !name_column) name_column = column;
    mixed |= !name_column || std::any_of(members.begin(), members.end(), [&](const Apart* member) {
      return member->fields[column].text != member->fields[*name_column].text;
    });
  }
};

bool go_together(const FieldClass& a, const std::vector<std::size_t>& b, std::size_t b_count) {
  if (a.count != b_count) return false;
  std::vector<std::size_t> partner(a.count, b_count);
  for (std::size_t i = 0; i < b.size(); ++i) {
    std::size_t& known = partner[a.values[i]];
    if (known == b_count) known = b[i];
    if (known != b[i]) return false;
  }
  return true;
}

std::vector<FieldClass> classes_of(const Members& members) {
  std::vector<FieldClass> classes;
  for (std::size_t column = 0; column < members.front()->fields.size(); ++column) {
    std::size_t count = 0;
    std::vector<std::size_t> values = numbered(members, column, count);
    if (count == 1) continue;
    auto found = std::find_if(classes.begin(), classes.end(), [&](const FieldClass& each) {
      return go_together(each, values, count);
    });
    if (found == classes.end())
      found = classes.insert(classes.end(), FieldClass{{}, std::move(values), count});
    found->add(column, members);
  }
  return classes;
}

// Whether the members are all combinations of the values of the classes.
bool is_product(const std::vector<FieldClass>& classes, std::size_t members) {
  std::size_t product = 1;
  for (const FieldClass& each : classes) {
    product *= each.count;
    if (product > members) return false;
  }
  std::set<std::vector<std::size_t>> combinations;
  for (std::size_t i = 0; i < members; ++i) {
    std::vector<std::size_t> one;
    for (const FieldClass& each : classes)
      one.push_back(each.values[i]);
    combinations.insert(std::move(one));
  }
  return combinations.size() == product;
}

// The part of each member if they are told apart by what their value of `by` is combined with:
// nodes with the same bad cards belong together.
std::vector<std::size_t> by_combination(
    const std::vector<FieldClass>& classes, const FieldClass& by, std::size_t members) {
  std::map<std::vector<std::size_t>, std::size_t> rests;
  std::vector<std::set<std::size_t>> with(by.count);  // the rests that each value is combined with
  for (std::size_t i = 0; i < members; ++i) {
    std::vector<std::size_t> rest;
    for (const FieldClass& each : classes)
      rest.push_back(&each == &by ? 0 : each.values[i]);
    with[by.values[i]].insert(rests.emplace(std::move(rest), rests.size()).first->second);
  }
  std::map<std::set<std::size_t>, std::size_t> known;
  std::vector<std::size_t> parts;
  for (std::size_t i = 0; i < members; ++i)
    parts.push_back(known.emplace(with[by.values[i]], known.size()).first->second);
  return parts;
}

std::size_t parts_in(const std::vector<std::size_t>& parts) {
  return 1 + *std::max_element(parts.begin(), parts.end());
}

// The part of each member; all in part 0 if they are one finding for the reader.
std::vector<std::size_t> parts_of(const std::vector<FieldClass>& classes, std::size_t members) {
  const auto by_count = [](const FieldClass& a, const FieldClass& b) {
    return a.count < b.count;
  };
  for (const FieldClass& each : classes) {
    if (!each.may_fold()) return each.values;
  }
  if (is_product(classes, members)) return std::vector<std::size_t>(members, 0);
  const auto [least, most] = std::minmax_element(classes.begin(), classes.end(), by_count);
  std::vector<std::size_t> parts = by_combination(classes, *most, members);
  const std::size_t number = parts_in(parts);
  return number > 1 && number <= least->count ? parts : least->values;
}

// The parts that are one finding for the reader. The order of members stays.
void divide(Members members, std::vector<Members>& done) {
  std::vector<Members> open{std::move(members)};
  while (!open.empty()) {
    Members some = std::move(open.back());
    open.pop_back();
    const std::vector<std::size_t> parts = parts_of(classes_of(some), some.size());
    const std::size_t number = parts_in(parts);
    if (number == 1) {
      done.push_back(std::move(some));
      continue;
    }
    std::vector<Members> divided(number);
    for (std::size_t i = 0; i < some.size(); ++i)
      divided[parts[i]].push_back(some[i]);
    std::move(divided.begin(), divided.end(), std::back_inserter(open));
  }
}

// The values of a column, each once, in the order of `sorted`.
std::string set_text(const Members& sorted, std::size_t column) {
  std::vector<std::string> values;
  std::set<std::string_view> seen;
  for (const Apart* member : sorted) {
    const std::string_view value = member->fields[column].text;
    if (seen.insert(value).second) values.emplace_back(value);
  }
  return values.size() == 1 ? values.front() : set_in_order(values);
}

// Members in order of their fields, so that the sets of all columns can be read side by side.
Members in_natural_order(const Members& members) {
  Members sorted = members;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Apart* a, const Apart* b) {
    for (std::size_t i = 0; i < a->fields.size(); ++i) {
      if (a->fields[i].text != b->fields[i].text)
        return natural_less(a->fields[i].text, b->fields[i].text);
    }
    return false;
  });
  return sorted;
}

FoldedFinding folded(const Members& members, const std::vector<Diagnostic>& items) {
  FoldedFinding result;
  for (const Apart* member : members)
    result.members.push_back(member->index);
  result.shown = items[result.members.front()];
  if (members.size() == 1) return result;
  const Members sorted = in_natural_order(members);
  std::vector<std::string> sets;
  for (std::size_t column = 0; column < members.front()->fields.size(); ++column)
    sets.push_back(set_text(sorted, column));
  const std::string shape = take_apart(*members.front()->text, result.shown.names).shape;
  const std::string text = put_together(shape, sets);
  const std::size_t end = text.find(kTextEnd);
  result.shown.message = text.substr(0, end);
  result.shown.help = text.substr(end + 1, text.find(kTextEnd, end + 1) - end - 1);
  std::set<SourceRange> places{result.shown.range};
  for (const std::size_t member : result.members) {
    const SourceRange& place = items[member].range;
    if (is_known(place) && places.insert(place).second) result.more_places.push_back(place);
  }
  return result;
}

// For every finding the one that it follows from, itself where it follows from none.
std::vector<std::size_t> causes_of(const std::vector<Diagnostic>& items) {
  std::map<SourceRange, std::size_t> first;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (is_known(items[i].range) && !is_known(items[i].cause)) first.emplace(items[i].range, i);
  }
  std::vector<std::size_t> causes;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto cause = first.find(items[i].cause);
    const bool follows = is_known(items[i].cause) && cause != first.end() &&
                         items[cause->second].severity <= items[i].severity;
    causes.push_back(follows ? cause->second : i);
  }
  return causes;
}

std::vector<Members> groups_of(
    const std::vector<Diagnostic>& items,
    const std::vector<std::size_t>& causes,
    std::vector<std::string>& texts,
    std::vector<Apart>& apart) {
  // Neither may move what others refer to.
  texts.reserve(items.size());
  apart.reserve(items.size());
  std::unordered_map<std::string, std::size_t> known;
  std::vector<Members> groups;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (causes[i] != i) continue;
    texts.push_back(texts_of(items[i]));
    TextTemplate taken = take_apart(texts.back(), items[i].names);
    apart.push_back({i, &texts.back(), std::move(taken.fields)});
    std::string key{to_string(items[i].severity)};
    key += kTextEnd + items[i].rule + kTextEnd + taken.shape;
    const auto [group, fresh] = known.emplace(std::move(key), groups.size());
    if (fresh) groups.emplace_back();
    groups[group->second].push_back(&apart.back());
  }
  return groups;
}

}  // namespace

std::vector<FoldedFinding> fold_findings(const Diagnostics& findings) {
  const std::vector<Diagnostic>& items = findings.items();
  const std::vector<std::size_t> causes = causes_of(items);
  std::vector<std::string> texts;
  std::vector<Apart> apart;
  std::vector<Members> parts;
  for (Members& group : groups_of(items, causes, texts, apart))
    divide(std::move(group), parts);
  std::sort(parts.begin(), parts.end(), [](const Members& a, const Members& b) {
    return a.front()->index < b.front()->index;
  });
  std::vector<FoldedFinding> result;
  std::vector<std::size_t> place(items.size(), 0);  // in the result, of each member
  for (const Members& part : parts) {
    for (const Apart* member : part)
      place[member->index] = result.size();
    result.push_back(folded(part, items));
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (causes[i] != i) result[place[causes[i]]].consequences.push_back(i);
  }
  return result;
}

std::vector<FoldedFinding> single_findings(const Diagnostics& findings) {
  std::vector<FoldedFinding> result;
  for (const Diagnostic& item : findings.items())
    result.push_back({item, {result.size()}, {}, {}});
  return result;
}

}  // namespace fabric::report
