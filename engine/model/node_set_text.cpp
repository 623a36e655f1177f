// SPDX-License-Identifier: Apache-2.0
#include "engine/model/node_set_text.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "engine/base/limits.hpp"
#include "engine/base/text.hpp"

namespace fabric {

namespace {

// Names that differ only in their last number, written with the same number of digits: padding is
// part of the name ("c001" is not "c1").
struct NameFamily {
  std::string before, after;
  std::size_t padding = 0;  // 0: no leading zeros, so numbers of any length belong together
  friend auto operator<=>(const NameFamily&, const NameFamily&) = default;
};

struct Member {
  NameFamily family;
  std::uint64_t number = 0;
};

constexpr std::string_view kDigits = "0123456789";

bool is_padded(std::string_view digits) {
  return digits.size() > 1 && digits.front() == '0';
}

std::optional<Member> take_apart(const std::string& name) {
  const std::size_t last = name.find_last_of(kDigits);
  if (last == std::string::npos) return std::nullopt;
  std::size_t first = name.find_last_not_of(kDigits, last);
  first = first == std::string::npos ? 0 : first + 1;
  const std::string digits = name.substr(first, last - first + 1);
  const std::optional<std::uint64_t> number = parse_unsigned(digits, 10);
  if (!number) return std::nullopt;
  return Member{
      {name.substr(0, first), name.substr(last + 1), is_padded(digits) ? digits.size() : 0},
      *number};
}

std::string number_text(std::uint64_t number, std::size_t width) {
  return fmt::format("{:0{}}", number, width);
}

std::string ranges(const std::vector<std::uint64_t>& numbers, std::size_t width) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i;
    while (end + 1 < numbers.size() && numbers[end + 1] == numbers[end] + 1)
      ++end;
    if (!text.empty()) text += ',';
    text += number_text(numbers[i], width);
    if (end > i) text += '-' + number_text(numbers[end], width);
    i = end + 1;
  }
  return text;
}

// c[099] and c[100] are one family in the eye of the reader: numbers without leading zeros join a
// padded family of their own length.
void join_padded(std::map<NameFamily, std::vector<std::uint64_t>>& families) {
  std::vector<NameFamily> padded;
  for (const auto& [family, numbers] : families) {
    if (family.padding != 0) padded.push_back(family);
  }
  for (const NameFamily& family : padded) {
    const auto plain = families.find({family.before, family.after, 0});
    if (plain == families.end()) continue;
    std::vector<std::uint64_t>& from = plain->second;
    const auto same_length = [&](std::uint64_t number) {
      return std::to_string(number).size() == family.padding;
    };
    const auto moved = std::stable_partition(
        from.begin(), from.end(), [&](std::uint64_t number) { return !same_length(number); });
    std::vector<std::uint64_t>& to = families[family];
    to.insert(to.end(), moved, from.end());
    from.erase(moved, from.end());
    if (from.empty()) families.erase(plain);
  }
}

// The only part in which two names differ, if it is a number; npos otherwise.
std::size_t differing_number(
    const std::vector<std::string_view>& a, const std::vector<std::string_view>& b) {
  if (a.size() != b.size()) return std::string_view::npos;
  std::size_t found = std::string_view::npos;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    if (found != std::string_view::npos || i % 2 == 0) return std::string_view::npos;
    found = i;
  }
  return found;
}

// The least count of numbers at equal distances that are written as first, last and distance; fewer
// are read more easily one by one.
constexpr std::size_t kStepsFrom = 5;

// The count of numbers from `begin` on at equal distances and with equal padding.
std::size_t run_length(const std::vector<std::string_view>& numbers, std::size_t begin) {
  const auto value = [&](std::size_t i) {
    return parse_unsigned(numbers[i], 10);
  };
  const auto joins = [&](std::size_t i) {
    return value(i) && (!(is_padded(numbers[begin]) || is_padded(numbers[i])) ||
                        numbers[i].size() == numbers[begin].size());
  };
  if (begin + 1 >= numbers.size() || !value(begin) || !joins(begin + 1)) return 1;
  const std::uint64_t first = *value(begin);
  const std::uint64_t second = *value(begin + 1);
  if (second <= first) return 1;
  std::size_t length = 2;
  while (begin + length < numbers.size() && joins(begin + length) &&
         *value(begin + length) == *value(begin + length - 1) + (second - first))
    ++length;
  const bool listed = second - first != 1 && length < kStepsFrom;
  return listed ? 1 : length;
}

std::string number_list(const std::vector<std::string_view>& numbers) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < numbers.size();) {
    const std::size_t length = run_length(numbers, i);
    std::string part{numbers[i]};
    if (length > 1) {
      part += fmt::format("-{}", numbers[i + length - 1]);
      const std::uint64_t step =
          *parse_unsigned(numbers[i + 1], 10) - *parse_unsigned(numbers[i], 10);
      if (step != 1) part += fmt::format("/{}", step);
    }
    parts.push_back(std::move(part));
    i += length;
  }
  return join(parts, ",");
}

// The most digits of a number in a node set.
constexpr std::size_t kMostDigits = 12;

// The places of the numbers in which the names differ; nullopt if they differ in more than numbers.
std::optional<std::vector<std::size_t>> differing_numbers(
    const std::vector<std::vector<std::string_view>>& names) {
  std::vector<std::size_t> places;
  const std::vector<std::string_view>& first = names.front();
  for (const std::vector<std::string_view>& name : names) {
    if (name.size() != first.size()) return std::nullopt;
    for (std::size_t i = 0; i < first.size(); ++i) {
      if (name[i] == first[i]) continue;
      if (i % 2 == 0) return std::nullopt;
      if (std::find(places.begin(), places.end(), i) == places.end()) places.push_back(i);
    }
  }
  std::sort(places.begin(), places.end());
  return places;
}

// One bracket of a set: its numbers in order, and the count of names per number.
struct Bracket {
  std::size_t place = 0;
  std::vector<std::string_view> numbers;
  std::size_t period = 1;
};

// The brackets at `places` that make the names, the last one fastest; nullopt if none do.
std::optional<std::vector<Bracket>> brackets(
    const std::vector<std::vector<std::string_view>>& names,
    const std::vector<std::size_t>& places) {
  std::vector<Bracket> found(places.size());
  std::size_t period = 1;
  for (std::size_t b = places.size(); b-- > 0;) {
    Bracket& bracket = found[b];
    bracket.place = places[b];
    bracket.period = period;
    const auto outer_same = [&](std::size_t index) {
      return std::all_of(
          places.begin(), places.begin() + static_cast<std::ptrdiff_t>(b), [&](std::size_t p) {
            return names[index][p] == names.front()[p];
          });
    };
    for (std::size_t i = 0; i < names.size() && outer_same(i); i += period)
      bracket.numbers.push_back(names[i][bracket.place]);
    period *= bracket.numbers.size();
  }
  if (period != names.size()) return std::nullopt;
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (const Bracket& each : found) {
      const std::string_view number = each.numbers[i / each.period % each.numbers.size()];
      if (names[i][each.place] != number || number.size() > kMostDigits) return std::nullopt;
    }
  }
  return found;
}

}  // namespace

std::vector<std::string_view> texts_and_numbers(std::string_view name) {
  std::vector<std::string_view> parts;
  bool number = false;
  for (std::size_t begin = 0; begin < name.size() || !number; number = !number) {
    const std::size_t end =
        number ? name.find_first_not_of(kDigits, begin) : name.find_first_of(kDigits, begin);
    parts.push_back(name.substr(begin, end == std::string_view::npos ? end : end - begin));
    begin = std::min(end, name.size());
  }
  return parts;
}

std::optional<std::string> fold_as_set(const std::vector<std::string>& names) {
  if (names.empty() || names.size() > limits::kNodeSetMembers) return std::nullopt;
  std::vector<std::vector<std::string_view>> parts;
  parts.reserve(names.size());
  for (const std::string& name : names)
    parts.push_back(texts_and_numbers(name));
  const std::optional<std::vector<std::size_t>> places = differing_numbers(parts);
  if (!places || (places->empty() && names.size() > 1)) return std::nullopt;
  const std::optional<std::vector<Bracket>> found = brackets(parts, *places);
  if (!found) return std::nullopt;
  std::string text;
  std::size_t next = 0;
  for (std::size_t p = 0; p < parts.front().size(); ++p) {
    if (next < found->size() && (*found)[next].place == p) {
      text += "[" + number_list((*found)[next++].numbers) + "]";
    } else {
      text += parts.front()[p];
    }
  }
  return text;
}

bool natural_less(std::string_view a, std::string_view b) {
  const std::vector<std::string_view> left = texts_and_numbers(a);
  const std::vector<std::string_view> right = texts_and_numbers(b);
  for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    if (left[i] == right[i]) continue;
    if (i % 2 == 0) return left[i] < right[i];
    const auto significant = [](std::string_view digits) {
      const std::size_t begin = std::min(digits.find_first_not_of('0'), digits.size());
      return digits.substr(begin);
    };
    const std::string_view x = significant(left[i]);
    const std::string_view y = significant(right[i]);
    if (x.size() != y.size()) return x.size() < y.size();
    if (x != y) return x < y;
    return left[i].size() < right[i].size();
  }
  return left.size() < right.size();
}

std::optional<std::size_t> one_number_apart(std::string_view a, std::string_view b) {
  const std::vector<std::string_view> one = texts_and_numbers(a);
  const std::vector<std::string_view> other = texts_and_numbers(b);
  const std::size_t place = differing_number(one, other);
  if (place == std::string_view::npos) return std::nullopt;
  if (std::max(one[place].size(), other[place].size()) > kMostDigits) return std::nullopt;
  return place;
}

std::string fold(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::map<NameFamily, std::vector<std::uint64_t>> families;
  std::vector<std::string> parts;
  for (const std::string& name : names) {
    if (const std::optional<Member> member = take_apart(name)) {
      families[member->family].push_back(member->number);
    } else {
      parts.push_back(name);
    }
  }
  join_padded(families);
  for (auto& [family, numbers] : families) {
    std::sort(numbers.begin(), numbers.end());
    const bool one = numbers.size() == 1;
    const std::string inside = ranges(numbers, family.padding);
    parts.push_back(family.before + (one ? inside : "[" + inside + "]") + family.after);
  }
  std::sort(parts.begin(), parts.end());
  return join(parts, ",");
}

std::string fold(const std::vector<NodeName>& names) {
  std::vector<std::string> texts;
  texts.reserve(names.size());
  for (const NodeName& name : names)
    texts.push_back(name.str());
  return fold(std::move(texts));
}

}  // namespace fabric
