// SPDX-License-Identifier: Apache-2.0
// The effect of each key of the document on a platform. docs/platforms.md is printed from this
// table, `validate` answers from it, and a test asks it for every key of the schema.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "engine/value/value.hpp"

namespace fabric {

struct PlatformTraits;

enum class KeyUse : std::uint8_t {
  done,       // compared, and changed to match
  compared,   // compared, and never changed
  by_hand,    // done by a person or another program; the plan says so or leaves it
  refused,    // `validate` refuses it, with the reason and what to write instead
  no_effect,  // the key means nothing there: it is for other nodes of the network
};
std::string_view to_string(KeyUse use);  // "done"

// A key and all keys below it without a longer row. Keys are written as in docs/document.md, with
// `*` for a name of the author's: "nodes.*.adapters.*.names", "networks.*.mode=lag".
struct KeyRow {
  std::string_view key;
  KeyUse use = KeyUse::done;
  // The reason of a refusal, after a colon; "" if the platform has no such thing.
  std::string_view why{};
  std::string_view instead{};  // what to write instead
  // Another key of the same node or network that this one requires.
  std::string_view needs{};
  // The rule that refuses it; a key may have its own rule.
  std::string_view rule{"key-not-on-platform"};
  // Settings of the node that the key writes and that another key can name too, so that an apply
  // would undo one of the two: "modules.nmlx5_core.max_vfs", "sysctl.net.ipv4.ip_forward=0" (this
  // value alone), "packages.doca-*"; separated by spaces.
  std::string_view writes{};
  // Words that a value begins with, several between spaces, and behind the word a version, not
  // below `oldest`: "cumulus", "5". A word of another platform names another system. What to write.
  std::string_view words{}, oldest{}, example{};
};

// Returns null if the table does not have the key. `value`: that of a scalar, else "".
const KeyRow* find_key_row(
    const PlatformTraits& platform, std::string_view key, std::string_view value = {});
// True if there are rows for keys below `key`, which is a mapping then.
bool has_rows_below(const PlatformTraits& platform, std::string_view key);
// The key in the author's words: "adapters.names" for "nodes.*.adapters.*.names", "mode: lag".
std::string shown_key(std::string_view key);

// All rows for all platforms, for the documentation: a list of {"key", "shown", "platforms": {NAME:
// {"use", ...}}}.
Value platform_key_table();

// The rows of one platform: its own before those that it shares with similar ones and with all.
struct KeyTable {
  std::array<std::span<const KeyRow>, 4> rows;
};
extern const KeyTable kLinuxKeys, kEsxiKeys, kEsxClassicKeys, kMlnxOsKeys, kCumulusKeys, kNvosKeys,
    kUnmanagedKeys;

}  // namespace fabric
