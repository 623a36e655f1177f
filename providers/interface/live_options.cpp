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

}  // namespace fabric::providers
