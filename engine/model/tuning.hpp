// SPDX-License-Identifier: Apache-2.0
// Tuning: the named profiles of kernel parameters (schemas/tuning.json).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fabric {

struct TuningValue {
  std::string key;  // "net.core.rmem_max"
  std::string value;
  std::string why;
};

struct TuningProfile {
  std::string name;
  std::string description;
  std::string source;
  std::vector<TuningValue> values;  // in order of key
};

// In order of name. The schema's choices for `tuning` are these.
const std::vector<TuningProfile>& tuning_profiles();
// Null if there is no such profile.
const TuningProfile* find_tuning_profile(std::string_view name);

// "net.ipv4.conf.all.arp_ignore" as "net/ipv4/conf/all/arp_ignore": the file below /proc/sys. As in
// sysctl(8): if the first separator is a slash, dots belong to the names
// ("net/ipv4/conf/eth0.100/arp_ignore").
std::string sysctl_path(std::string_view key);
// The normal form of a key: with dots, or as its path if a name in it has dots.
std::string sysctl_key(std::string_view written);
// True for a key of one interface: "net.ipv4.conf.eth0.rp_filter", not
// "net.ipv4.conf.all.rp_filter".
bool is_of_one_interface(std::string_view key);

}  // namespace fabric
