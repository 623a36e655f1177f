// SPDX-License-Identifier: Apache-2.0
// What a platform can express: what becomes of each key of the document there. docs/platforms.md is
// printed from it, `validate` answers from it, and a test asks it for every key of the schema.
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
  done,       // compared and done
  compared,   // compared, never done
  by_hand,    // made by a person or by another program; the plan says so or leaves it alone
  refused,    // by `validate`, with the reason and what to write instead
  no_effect,  // nothing there is asked by it: it is for other nodes of the same network
};
std::string_view to_string(KeyUse use);  // "done"

// A key and what stands below it, where no longer row says otherwise. Keys are written as
// docs/document.md has them, with `*` for a name of the author's: "nodes.*.adapters.*.names",
// "networks.*.mode=lag".
struct KeyRow {
  std::string_view key;
  KeyUse use = KeyUse::done;
  // Refused: why, behind a colon; "" where there is no such thing on the platform.
  std::string_view why{};
  std::string_view instead{};  // what to write
  // Another key of the same node or network, without which this one is refused.
  std::string_view needs{};
  // The rule that refuses it; another one than this only where a key has its own rule.
  std::string_view rule{"key-not-on-platform"};
  // Settings of the node that it writes and that another key can name too, so that an apply would
  // undo one of the two: "modules.nmlx5_core.max_vfs", "sysctl.net.ipv4.ip_forward=0" of this value
  // alone, "packages.doca-*"; several between spaces.
  std::string_view writes{};
};

// Null: the table does not know the key. `value` is that of a scalar, else "".
const KeyRow* find_key_row(
    const PlatformTraits& platform, std::string_view key, std::string_view value = {});
// Rows of single keys below `key`, which is a mapping then.
bool has_rows_below(const PlatformTraits& platform, std::string_view key);
// As an author reads it: "adapters.names" of "nodes.*.adapters.*.names", "mode: lag".
std::string shown_key(std::string_view key);

// All rows with all platforms, for the documentation: a list of {"key", "shown", "platforms":
// {NAME:
// {"use", ...}}}.
Value platform_key_table();

// The rows of each platform: its own before those that it shares with its like and with all.
struct KeyTable {
  std::array<std::span<const KeyRow>, 4> rows;
};
extern const KeyTable kLinuxKeys, kEsxiKeys, kEsxClassicKeys, kMlnxOsKeys, kCumulusKeys, kNvosKeys,
    kUnmanagedKeys;

}  // namespace fabric
