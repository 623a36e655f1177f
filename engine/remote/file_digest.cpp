// SPDX-License-Identifier: Apache-2.0
#include "engine/remote/file_digest.hpp"

#include <fmt/format.h>

namespace fabric::remote {

namespace {

constexpr std::string_view kChanged = "somebody changed it since the plan was made; plan again";

// A link is followed by whoever reads and not by whoever replaces a file.
constexpr std::string_view kFileDigest = R"sh(
file_digest() {
  [ -f "$1" ] && [ ! -L "$1" ] || return 1
  sum=$(LC_ALL=C sed -e '/ MARK[^#]*#$/d' -e 's|^MARK[^#]*# ||' "$1" | sha256sum) || return 1
  sum=${sum%% *}
  [ "${#sum}" -eq 64 ] && echo "$sum"
}
)sh";

constexpr std::string_view kIsUnchanged = R"sh(
is_unchanged() { [ "$(file_digest "$1")" = "$2" ]; }
)sh";

}  // namespace

std::string digest_functions() {
  std::string text{kFileDigest};
  constexpr std::string_view kMark = "MARK";
  for (std::size_t at = text.find(kMark); at != std::string::npos; at = text.find(kMark))
    text.replace(at, kMark.size(), kAdoptedMark);
  text += kIsUnchanged;
  text += fmt::format("changed() {{ echo \"$1: {}\" >&2; exit {}; }}\n", kChanged, kFileChanged);
  return text;
}

bool says_changed(const CommandOutput& output) {
  return output.exit_status == kFileChanged &&
         output.standard_error.find(kChanged) != std::string::npos;
}

}  // namespace fabric::remote
