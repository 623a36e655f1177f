// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/subnet_manager/manager_readings.hpp"

#include <array>
#include <vector>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/opensm_options.hpp"
#include "providers/infiniband/parsers/opensm_conf.hpp"
#include "providers/infiniband/parsers/partitions_conf.hpp"

namespace fabric::providers {

namespace {

struct Option {
  std::string_view attribute, key;
};
constexpr std::array<Option, 4> kOptions{
    {{"priority", "sm_priority"},
     {"subnet_prefix", "subnet_prefix"},
     {"routing_engine", "routing_engine"},
     {"virtualization", "virt_enabled"}}};

// Everything but the marker, which also changes with what the document says elsewhere.
std::string body_of(std::string_view text) {
  std::string body;
  for (const std::string_view line : split_lines(text)) {
    if (!line.starts_with('#') && !trim(line).empty()) body += std::string{line} + "\n";
  }
  return body;
}

Reading option_reading(std::string_view attribute, const std::string& value, const Value& desired) {
  if (attribute == "virtualization") return Reading::of(value == "2");
  if (value == to_text(desired)) return Reading::of(desired);
  if (const auto number = parse_integer(value)) return Reading::of(*number);
  return Reading::of(value);
}

// "Default 0x7fff, storage 0x0010": what a person compares.
Reading summary_of(std::string_view text) {
  const Result<PartitionsConf> conf = parse_partitions_conf(text);
  if (!conf) return Reading::of("a file that OpenSM ignores: " + conf.error().message);
  std::vector<std::string> names;
  for (const Partition& each : conf->partitions) {
    names.push_back(each.p_key ? fmt::format("{} 0x{:04x}", each.name, *each.p_key) : each.name);
  }
  return Reading::of(names.empty() ? "no partition" : join(names, ", "));
}

Reading list_reading(std::string_view found) {
  const std::string body = body_of(found);
  List list;
  for (const std::string_view line : split_lines(body))
    list.emplace_back(std::string{trim(line)});
  return Reading::of(Value{std::move(list)});
}

class ManagerReader {
 public:
  ManagerReader(const ManagerTexts& found, const ManagerTexts& expected)
      : found_{found}, expected_{expected}, options_{parse_opensm_conf(found.options)} {}

  Reading read(const std::string& attribute, const Value& desired) const {
    if (attribute == kPartitions)
      return text(found_.partitions, expected_.partitions, desired, summary_of);
    if (attribute == "roots") return text(found_.roots, expected_.roots, desired, list_reading);
    if (attribute == "io") return text(found_.io, expected_.io, desired, list_reading);
    if (!options_) return Reading::unknown("the options: " + options_.error().message);
    if (attribute == kManagerOptions) return others(*options_);
    for (const Option& option : kOptions) {
      if (option.attribute != attribute) continue;
      const OpensmOption* found = options_->find(option.key);
      if (found == nullptr || !found->value) return Reading::absent();
      return option_reading(attribute, *found->value, desired);
    }
    return Reading::unknown("OpenSM has no such option");
  }

 private:
  // All that a document could say there: one that it does not say is a difference, too.
  static Reading others(const OpensmConf& conf) {
    Map found;
    for (const OpensmOption& option : conf.options) {
      if (opensm_option_rule(option.key).is == OpensmOptionClass::settable && option.value)
        found.insert_or_assign(option.key, opensm_value(*option.value));
    }
    return found.empty() ? Reading::absent() : Reading::of(Value{std::move(found)});
  }

  template <class Summary>
  static Reading text(
      const std::string& found,
      const std::string& expected,
      const Value& desired,
      const Summary& summary) {
    if (body_of(found).empty()) return Reading::absent();
    if (!desired.is_null() && body_of(found) == body_of(expected)) return Reading::of(desired);
    return summary(found);
  }

  const ManagerTexts& found_;
  const ManagerTexts& expected_;
  Result<OpensmConf> options_;
};

}  // namespace

std::map<std::string, Reading, std::less<>> read_manager(
    const Resource& resource, const ManagerTexts& found, const ManagerTexts& expected) {
  const ManagerReader reader{found, expected};
  std::map<std::string, Reading, std::less<>> readings;
  for (const auto& [attribute, desired] : resource.desired) {
    if (attribute != kManages) readings.emplace(attribute, reader.read(attribute, desired.value));
  }
  return readings;
}

}  // namespace fabric::providers
