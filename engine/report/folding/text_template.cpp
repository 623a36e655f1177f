// SPDX-License-Identifier: Apache-2.0
#include "engine/report/folding/text_template.hpp"

#include <algorithm>
#include <set>

#include "engine/base/check.hpp"
#include "engine/base/text.hpp"
#include "engine/model/node_set_text.hpp"

namespace fabric::report {

namespace {

// Control characters, which no shown text has.
constexpr char kNameMark = '\x01';
constexpr char kAddressMark = '\x02';
constexpr char kNumberMark = '\x03';
constexpr char kPortMark = '\x04';

constexpr std::size_t kSetColumns = 60;

char mark_of(TextField::Kind kind) {
  switch (kind) {
    case TextField::Kind::name:
      return kNameMark;
    case TextField::Kind::port:
      return kPortMark;
    case TextField::Kind::address:
      return kAddressMark;
    case TextField::Kind::number:
      return kNumberMark;
  }
  return kNameMark;
}

bool is_mark(char c) {
  return c >= kNameMark && c <= kPortMark;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_number(std::string_view word) {
  return std::all_of(word.begin(), word.end(), is_digit);
}

bool is_address(std::string_view word) {
  const std::vector<std::string_view> parts = split(word, '.');
  return parts.size() == 4 && std::all_of(parts.begin(), parts.end(), [](std::string_view part) {
           return !part.empty() && part.size() <= 3 && is_number(part);
         });
}

bool is_guid(std::string_view word) {
  constexpr std::size_t kDigits = 16;
  return word.size() == 2 + kDigits && word.substr(0, 2) == "0x" &&
         parse_unsigned(word.substr(2), 16).has_value();
}

// "fd00::1", "b8:59:9f:01:02:03", "0000:03:00.0" at the begin of `text`; "" if there is none.
std::string_view colon_address(std::string_view text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789abcdefABCDEF:."), text.size());
  const std::string_view word = text.substr(0, end);
  return std::count(word.begin(), word.end(), ':') < 2 ? std::string_view{} : word;
}

using Column = std::vector<std::vector<std::string>>;  // of each node, of each resource

bool is_same_in_all(const std::vector<std::string>& values) {
  return std::all_of(values.begin(), values.end(), [&](const std::string& value) {
    return value == values.front();
  });
}

// The values that tell a column, in order; nullopt if no set tells it.
std::optional<std::vector<std::string>> values_in(const Column& column) {
  const bool by_node = std::all_of(column.begin(), column.end(), is_same_in_all);
  const bool by_resource = std::all_of(
      column.begin(), column.end(), [&](const auto& row) { return row == column.front(); });
  std::vector<std::string> values;
  if (by_resource) {
    values = column.front();
    if (is_same_in_all(values)) values.resize(1);
    return values;
  }
  for (const std::vector<std::string>& row : column)
    values.insert(values.end(), row.begin(), by_node ? row.begin() + 1 : row.end());
  const std::set<std::string_view> different{values.begin(), values.end()};
  // With one resource a node, a set is read along the nodes even where two of them have one value.
  if (by_node || different.size() == values.size()) return values;
  return std::nullopt;
}

}  // namespace

TextTemplate take_apart(std::string_view text, const std::vector<std::string>& names) {
  TextTemplate result;
  std::size_t taken = 0;
  const auto put = [&](TextField::Kind kind, std::string_view word, std::size_t begin) {
    result.shape += text.substr(taken, begin - taken);
    result.shape += mark_of(kind);
    result.fields.push_back({kind, word});
    taken = begin + word.size();
  };
  for (const std::string_view word : name_words(text)) {
    const auto begin = static_cast<std::size_t>(word.data() - text.data());
    if (begin < taken) continue;
    // "pve1/cx5/2": what follows a field and '/' is a part of the same end of a cable.
    const bool attached = taken != 0 && begin == taken + 1 && text[taken] == '/';
    if (std::binary_search(names.begin(), names.end(), word)) {
      put(TextField::Kind::name, word, begin);
    } else if (attached && is_number(word)) {
      put(TextField::Kind::port, word, begin);
    } else if (const std::string_view address = colon_address(text.substr(begin));
               !address.empty()) {
      put(TextField::Kind::address, address, begin);
    } else if (is_address(word) || is_guid(word)) {
      put(TextField::Kind::address, word, begin);
    } else if (is_number(word)) {
      put(TextField::Kind::number, word, begin);
    }
  }
  result.shape += text.substr(taken);
  return result;
}

std::string shape_with_numbers(const TextTemplate& apart) {
  std::string shape;
  auto field = apart.fields.begin();
  for (const char c : apart.shape) {
    if (!is_mark(c)) {
      shape += c;
      continue;
    }
    if (c == kNumberMark) {
      shape += field->text;
    } else {
      shape += c;
    }
    ++field;
  }
  return shape;
}

std::string put_together(std::string_view shape, const std::vector<std::string>& fields) {
  std::string text;
  auto field = fields.begin();
  for (const char c : shape) {
    if (!is_mark(c)) {
      text += c;
      continue;
    }
    FABRIC_CHECK(field != fields.end(), "a shape has as many fields as marks");
    text += *field++;
  }
  return text;
}

std::string set_in_order(const std::vector<std::string>& values) {
  std::string set = fold_in_order(values);
  if (set.size() <= kSetColumns) return set;
  const std::size_t end = set.rfind(',', kSetColumns);
  if (end == std::string::npos) return set;
  const std::string kept = set.substr(0, end);
  const std::size_t open = kept.rfind('[');
  const std::size_t close = kept.rfind(']');
  const bool in_brackets =
      open != std::string::npos && (close == std::string::npos || open > close);
  return kept + (in_brackets ? ",...]" : ",...");
}

std::string zip_texts(
    const std::vector<std::string>& texts, const std::vector<std::string>& names) {
  std::vector<std::vector<std::string>> table;
  for (const std::string& text : texts)
    table.push_back({text});
  // One text a node: every field is equal in all or has a value for each.
  return zip_table(table, names).value_or(texts.front());
}

std::optional<std::string> zip_table(
    const std::vector<std::vector<std::string>>& table, const std::vector<std::string>& names) {
  const std::string& first = table.front().front();
  const TextTemplate apart = take_apart(first, names);
  std::vector<std::vector<std::vector<std::string>>> columns(apart.fields.size());
  for (const std::vector<std::string>& row : table) {
    for (auto& column : columns)
      column.emplace_back();
    for (const std::string& text : row) {
      const TextTemplate other = take_apart(text, names);
      FABRIC_CHECK(other.shape == apart.shape, "texts that are zipped have one shape");
      for (std::size_t i = 0; i < columns.size(); ++i)
        columns[i].back().emplace_back(other.fields[i].text);
    }
  }
  std::vector<std::string> folded;
  for (const auto& column : columns) {
    const std::optional<std::vector<std::string>> values = values_in(column);
    if (!values) return std::nullopt;
    folded.push_back(values->size() == 1 ? values->front() : set_in_order(*values));
  }
  return put_together(apart.shape, folded);
}

bool natural_less(std::string_view a, std::string_view b) {
  std::size_t i = 0, j = 0;
  const auto number_at = [](std::string_view text, std::size_t& at) {
    const std::size_t begin = at;
    while (at < text.size() && is_digit(text[at]))
      ++at;
    std::string_view digits = text.substr(begin, at - begin);
    while (digits.size() > 1 && digits.front() == '0')
      digits.remove_prefix(1);
    return digits;
  };
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const std::string_view x = number_at(a, i);
      const std::string_view y = number_at(b, j);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
    } else if (a[i] != b[j]) {
      return a[i] < b[j];
    } else {
      ++i;
      ++j;
    }
  }
  const std::size_t left_a = a.size() - i, left_b = b.size() - j;
  // Equal but for leading zeros: any order, but one.
  return left_a != left_b ? left_a < left_b : a < b;
}

}  // namespace fabric::report
