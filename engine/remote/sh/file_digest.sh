# SPDX-License-Identifier: Apache-2.0
# Functions about a file of somebody else (remote/file_digest.hpp): file_digest FILE, is_unchanged FILE DIGEST, and
# changed FILE, which says so and ends the script. A link is followed by whoever reads and not by whoever replaces a file.

file_digest() {
  [ -f "$1" ] && [ ! -L "$1" ] || return 1
  sum=$(LC_ALL=C sed -e '/ #adopted by fabric [^#]*#$/d' -e 's|^#adopted by fabric [^#]*# ||' "$1" | sha256sum) || return 1
  sum=${sum%% *}
  [ "${#sum}" -eq 64 ] && echo "$sum"
}

is_unchanged() { [ "$(file_digest "$1")" = "$2" ]; }
changed() { echo "$1: somebody changed it since the plan was made; plan again" >&2; exit 79; }
