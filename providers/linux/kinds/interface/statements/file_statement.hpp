// SPDX-License-Identifier: Apache-2.0
// Statements in a network back end's files about one interface. Each format has a table of known
// words; every other word is a statement of unknown meaning.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "providers/linux/kinds/interface/backends/backend.hpp"

namespace fabric::providers {

// The attribute that a statement sets, as in engine/model/resource_keys.hpp. "address", "route"
// ("10.9.0.0/16 10.30.0.254") and "slave" may stand several times.
namespace said {
inline constexpr std::string_view kUnknown = "";
// A statement that selects the interface, or repeats a default.
inline constexpr std::string_view kNothing = "-";
inline constexpr std::string_view kAddress = "address";
inline constexpr std::string_view kGateway = "gateway";  // of either family
inline constexpr std::string_view kRoute = "route";
inline constexpr std::string_view kSlave = "slave";
inline constexpr std::string_view kMaster = "master";
inline constexpr std::string_view kMtu = "mtu";
inline constexpr std::string_view kChildren = "children";  // numbers of VLANs on it
// A slave's own statement that it is the primary one of its bond.
inline constexpr std::string_view kPrimarySlave = "primary_slave";
inline constexpr std::string_view kFunctions = "vfs";
inline constexpr std::string_view kName = "name";
}  // namespace said

struct FileStatement {
  std::string file;
  std::size_t line = 1;
  std::string key, value;  // in the format's words
  // The text that decides the meaning too: the other lines of a repeated section, or "a template".
  std::string context{};
  std::string_view attribute = said::kUnknown;
  std::string meaning{};  // the attribute's value: "802.3ad", "10.99.0.1/24"
};

// A word of a format. `means` converts a value to that of the attribute; nullopt: another value.
struct FileWord {
  std::string_view key;
  std::string_view attribute;
  std::optional<std::string> (*means)(const std::string& value);
};

using Meaning = std::optional<std::string>;
Meaning as_written(const std::string& value);
Meaning if_no(const std::string& value);     // "no", "false", "0", "off"
Meaning if_yes(const std::string& value);    // "yes", "true", "1", "on"
Meaning if_empty(const std::string& value);  // a list of nothing too: ";", "[]"
// From the kernel's number or name.
Meaning bond_mode(const std::string& value);
Meaning lacp_rate(const std::string& value);
Meaning hash_policy(const std::string& value);
Meaning ad_select(const std::string& value);
Meaning fail_over_mac(const std::string& value);
Meaning pkey(const std::string& value);  // "0x8001", "32769"

// Fills in attribute and meaning if the statement's key is one of `words`, or of the keys in
// `idle`, with blanks between them, which are said::kNothing whatever their value.
void understand(
    FileStatement& statement, std::span<const FileWord> words, std::string_view idle = {});
// The same for options of a bond by the kernel's names behind `prefix`: "BONDING_OPTS.mode".
void understand_bond(FileStatement& statement, std::string_view prefix);

// "/24" from "255.255.255.0" or "24"; "" if it is neither.
std::string prefix_of(std::string_view netmask);
// Sets the attribute to a plain route. `to` "default", "0.0.0.0/0", "::/0", "": the gateway.
void say_route(FileStatement& statement, std::string_view to, std::string_view via);
// "ip route add|replace|append 10.9.0.0/16 via 10.30.0.254 [dev IF]" of this interface. Any other
// command stays what it was.
void say_route_of(FileStatement& statement, std::string_view command, std::string_view interface);

// Adds the lines from `first` to `last` that no reader used: no comments, no lines of `all`, no
// continuation lines.
void add_unread_lines(
    std::vector<FileStatement>& all,
    const std::string& path,
    std::string_view content,
    std::size_t first,
    std::size_t last);

// The statements of an entry of foreign() and of files that belong to it, also of files of fabric.
// The path decides the format, whichever back end found the entry.
std::vector<FileStatement> file_statements(
    const LinkTarget& target, const ForeignEntry& entry, const FileTexts& files);

// "interfaces", "networkd", "netplan", "keyfile", "ifcfg"; "" = a file of another kind.
std::string_view statement_kind(std::string_view path);

std::vector<FileStatement> ifupdown_statements(const ForeignEntry& entry, std::string_view content);
std::vector<FileStatement> networkd_statements(const ForeignEntry& entry, const FileTexts& files);
std::vector<FileStatement> keyfile_statements(const ForeignEntry& entry, const FileTexts& files);
std::vector<FileStatement> ifcfg_statements(
    const LinkTarget& target, const ForeignEntry& entry, const FileTexts& files);
std::vector<FileStatement> netplan_statements(
    const LinkTarget& target, const ForeignEntry& entry, std::string_view content);

}  // namespace fabric::providers
