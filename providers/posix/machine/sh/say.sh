# SPDX-License-Identifier: Apache-2.0
# say WORD: each line of its input, behind the word. For few: the shell reads them byte by byte.
say() {
  while IFS= read -r line || [ -n "$line" ]; do printf '%s %s\n' "$1" "$line"; done
}
