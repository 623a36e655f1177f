#include "engine/model/node_set_text.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

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

std::optional<Member> take_apart(const std::string& name) {
  const std::size_t last = name.find_last_of(kDigits);
  if (last == std::string::npos) return std::nullopt;
  std::size_t first = name.find_last_not_of(kDigits, last);
  first = first == std::string::npos ? 0 : first + 1;
  const std::string digits = name.substr(first, last - first + 1);
  const std::optional<std::uint64_t> number = parse_unsigned(digits, 10);
  if (!number) return std::nullopt;
  const bool padded = digits.size() > 1 && digits.front() == '0';
  return Member{
      {name.substr(0, first), name.substr(last + 1), padded ? digits.size() : 0}, *number};
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

}  // namespace

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
