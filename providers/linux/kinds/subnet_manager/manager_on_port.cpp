// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/subnet_manager/manager_on_port.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/opensm_options.hpp"
#include "providers/infiniband/parsers/opensm.hpp"
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

// The text without the marker, which also changes with other parts of the document.
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

// "Default 0x7fff, storage 0x0010": the form that a person compares.
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
  // All options that a document could have: an option that it does not have is a difference, too.
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

std::string text_at(const std::map<std::string, std::string>& files, const std::string& path) {
  const auto found = files.find(path);
  return found == files.end() ? std::string{} : found->second;
}

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

ManagerOnPort::ManagerOnPort(
    const Resource& resource, const std::vector<Card>& cards, const ManagerState& state)
    : state_{state},
      address_{resource.address},
      paths_{manager_paths(resource.address)},
      files_{impossible(resource, "its port is not known")} {
  const FoundPort found = fabric::providers::find_port(cards, resource.binding);
  if (found.port == nullptr) {
    files_ = impossible(resource, found.why);
    return;
  }
  guid_ = found.port->port_guid;
  const bool shared = found.card->shares_function();
  port_ = state.find_port(found.port->rdma_device, shared ? found.port->number : 1);
  if (guid_) {
    files_ = manager_files(resource, *guid_, state.knows_virtualization == true);
  } else {
    files_ = impossible(resource, "the port GUID is not known: no RDMA device shows it");
  }
}

std::string ManagerOnPort::missing_guid() const {
  if (files_ || files_.error().code != ErrorCode::unreachable) return {};
  // The reading is shown beside the address.
  const std::string& message = files_.error().message;
  const std::string address = address_.str() + ": ";
  return message.starts_with(address) ? message.substr(address.size()) : message;
}

std::string ManagerOnPort::file(const std::string& path) const {
  const auto found = state_.files.find(path);
  return found == state_.files.end() ? std::string{} : found->second;
}

ManagerTexts ManagerOnPort::lying() const {
  return {file(paths_.options), file(paths_.partitions), file(paths_.roots), file(paths_.io)};
}

// Lists of GUIDs have no copy: their file counts.
ManagerTexts ManagerOnPort::started_with() const {
  return {
      file(paths_.running(paths_.options)),
      file(paths_.running(paths_.partitions)),
      file(paths_.roots),
      file(paths_.io)};
}

ManagerTexts ManagerOnPort::expected() const {
  if (!files_) return {};
  return {
      text_at(*files_, paths_.options),
      text_at(*files_, paths_.partitions),
      text_at(*files_, paths_.roots),
      text_at(*files_, paths_.io)};
}

bool ManagerOnPort::is_installed() const {
  if (!files_) return false;
  std::vector<std::string> paths{paths_.unit, paths_.rule};
  paths.insert(paths.end(), kServiceGuards.begin(), kServiceGuards.end());
  return std::ranges::all_of(
      paths, [&](const std::string& path) { return file(path) == text_at(*files_, path); });
}

Reading ManagerOnPort::manages() const {
  if (!state_.known) return Reading::unknown("the node's managers could not be read");
  if (!state_.is_running(paths_.unit_name)) return Reading::absent();
  if (!state_.has_sminfo) return Reading::unknown("sminfo (infiniband-diags) is not installed");
  if (port_ == nullptr) return Reading::unknown("the port is not InfiniBand");
  if (port_->own && port_->own->manager && guid_ && port_->own->manager->guid == *guid_) {
    const std::optional<SmState>& state = port_->own->manager->state;
    if (state == SmState::master || state == SmState::standby) return Reading::of(true);
    return Reading::of(
        state ? fmt::format("{}", state_name(*state)) : std::string{"in a state of no standard"});
  }
  // No link, no subnet: the other end boots, or is no InfiniBand port yet. A manager that runs here
  // has all that can be done for it; whether the subnet has one `verify` asks the ports.
  if (port_->state == "DOWN") return Reading::of(true);
  return Reading::unknown(fmt::format("the port is {} and no manager answers", port_->state));
}

}  // namespace fabric::providers
