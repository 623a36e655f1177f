// SPDX-License-Identifier: Apache-2.0
// Running configuration of a port that no file explains: made by a person or another program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/provider/file_digests.hpp"
#include "providers/linux/kinds/interface/backends/backend.hpp"
#include "providers/linux/kinds/interface/link/find_link.hpp"
#include "providers/linux/kinds/interface/link/running_state.hpp"

namespace fabric::providers {

// "10.30.0.5" is a word of "From=10.30.0.5/32" and not of "from 10.30.0.50": letters, digits and
// `joints` go on with a word.
bool has_word(std::string_view text, std::string_view word, std::string_view joints = "._");

// True if the node has any file of fabric for the resource.
bool has_file_of_ours(const Resource& resource, const FileTexts& files);

// The running uses that a change of the port would break, joined by "; ": "ens1 is a port of the
// running bond7", "ens1 has the address 10.1.2.3/24", a VLAN on it, a virtual function that a guest
// has, a shaper, an XDP program. Addresses that came by DHCP are left out: the DHCP client of the
// node renews them. Where the node holds a file of fabric for the port, every difference is drift,
// which is mended, and "" is returned.
std::string live_claims(
    const Resource& resource,
    const FoundLink& link,
    const RunningLinks& links,
    const NodeFacts& facts,
    const FileTexts& files);

// Running configuration of an interface that is no attribute of a document: an adoption ends it, as
// the next boot does; a VLAN on it is an interface of its own. The keys are attributes ("rules",
// "table_routes", "queueing", "filters", "xdp"). Left out: parts that the files left by an adoption
// of `taken` make again. Empty lists are left out.
RunningAttributes live_attributes(
    const FoundLink& link,
    const RunningLinks& links,
    const NodeFacts& facts,
    const FileTexts& files,
    const std::vector<ForeignEntry>& taken);
inline constexpr std::string_view kLiveAttributes[] = {
    "rules", "table_routes", "queueing", "filters", "xdp"};
// Attributes that must run as the plan has named them when a port or bond is adopted.
inline constexpr std::string_view kHeldAttributes[] = {
    "addresses",
    "gateway",
    "gateway6",
    "routes",
    "rules",
    "table_routes",
    "queueing",
    "filters",
    "xdp"};
bool is_live_attribute(std::string_view attribute);
// True if a statement of `taken` makes this value of such an attribute: it is named with its line.
bool is_made_by(
    std::string_view attribute,
    const std::string& value,
    const std::string& device,
    const FileTexts& files,
    const std::vector<ForeignEntry>& taken);

}  // namespace fabric::providers
