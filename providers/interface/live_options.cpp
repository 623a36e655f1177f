#include "providers/interface/live_options.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace fabric::providers {

namespace {

// All others want a bond without slaves or one that is down: a new one.
constexpr std::pair<std::string_view, const char*> kLiveOptions[] = {
    {"miimon", "miimon"},
    {"updelay", "updelay"},
    {"downdelay", "downdelay"},
    {"hash_policy", "xmit_hash_policy"},
    {"min_links", "min_links"},
    {"primary", "primary"},
};
constexpr std::string_view kFixedOptions[] = {
    "mode", "lacp_rate", "ad_select", "roce", "id", "pkey"};

}  // namespace

const char* live_option(std::string_view attribute) {
  for (const auto& [name, option] : kLiveOptions) {
    if (name == attribute) return option;
  }
  return nullptr;
}

bool is_fixed(std::string_view attribute) {
  return std::find(std::begin(kFixedOptions), std::end(kFixedOptions), attribute) !=
         std::end(kFixedOptions);
}

bool only_live_options(const Change& change) {
  bool any = false;
  for (const AttributeChange& attribute : change.attributes) {
    if (!attribute.activate) continue;
    if (live_option(attribute.attribute) == nullptr) return false;
    any = true;
  }
  return any;
}

remote::Argv live_command(
    const Change& change, const std::string& device, const std::string& primary) {
  remote::Argv argv{"ip", "link", "set", "dev", device, "type", "bond"};
  for (const AttributeChange& attribute : change.attributes) {
    const char* option = live_option(attribute.attribute);
    if (option == nullptr || !attribute.activate) continue;
    argv.emplace_back(option);
    argv.push_back(attribute.attribute == "primary" ? primary : to_text(attribute.desired));
  }
  return argv;
}

}  // namespace fabric::providers
