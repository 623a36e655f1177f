// SPDX-License-Identifier: Apache-2.0
// Sections of Key=value lines with comments: the files of systemd and the keyfiles of
// NetworkManager.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"

namespace fabric::providers {

// The meaning of a backslash at the end of a line.
enum class IniDialect {
  // The line goes on in the next one that is no comment, with a space in place of the backslash
  // (systemd.syntax(7)).
  systemd,
  // Nothing: a value is one line. GLib's GKeyFile, by which NetworkManager reads its files, joins
  // no lines (nm-settings-keyfile(5); Desktop Entry Specification, basic format of the file).
  keyfile
};

struct IniEntry {
  std::string section;  // "Match"; "" before the first
  std::string key, value;
  std::size_t line = 1;  // the first line
};

struct IniSection {
  std::string name;
  std::size_t line = 1;
};

struct IniFile {
  std::vector<IniSection> sections;  // in order; the same name may stand more than once
  std::vector<IniEntry> entries;     // in order; lines of another shape are left out
  // The first error of a strict reader, as "line N: ...". The programs that own the files ignore
  // what they do not understand, and so does `entries`.
  std::optional<Error> error;
};

IniFile read_ini(std::string_view text, IniDialect dialect);
// Only the entries of the text.
std::vector<IniEntry> ini_entries(std::string_view text, IniDialect dialect);

}  // namespace fabric::providers
