// SPDX-License-Identifier: Apache-2.0
#include "engine/base/secrets/secret_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <string>
#include <vector>

namespace fabric {

namespace {

bool is_upper(char c) {
  return std::isupper(static_cast<unsigned char>(c)) != 0;
}
bool is_lower(char c) {
  return std::islower(static_cast<unsigned char>(c)) != 0;
}
bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

template <std::size_t kCount>
bool is_one_of(std::string_view word, const std::array<std::string_view, kCount>& list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

constexpr std::array<std::string_view, 18> kSecretWords{
    "key",
    "keys",
    "psk",
    "pass",
    "pwd",
    "pw",
    "token",
    "tokens",
    "private",
    "privkey",
    "shared",
    "pin",
    "puk",
    "cak",
    "mkey",
    "community",
    "userpass",
    "authorization"};
// A word that has one of them names a secret in every combination.
constexpr std::array<std::string_view, 4> kSecretParts{
    "passw", "passphrase", "secret", "credential"};
constexpr std::array<std::string_view, 10> kSecretEndings{
    "psk",
    "token",
    "apikey",
    "privatekey",
    "secretkey",
    "authkey",
    "sharedkey",
    "smkey",
    "sakey",
    "fastopenkey"};
// "password-raw" is a password as well; "password-flags" and "PrivateKeyFile" are none.
constexpr std::array<std::string_view, 8> kForms{
    "raw", "value", "hex", "base", "data", "text", "plain", "string"};
constexpr std::array<std::string_view, 4> kAboutSecrets{"file", "files", "flags", "path"};
// Keys that are public: of partitions, of queue pairs, of hosts, of the other side, of ports in a
// bond.
constexpr std::array<std::string_view, 9> kOpenKeys{
    "p", "q", "public", "pub", "host", "partition", "sort", "primary", "port"};

constexpr std::array<std::string_view, 2> kPurposes{"auth", "encrypt"};
constexpr std::array<std::string_view, 4> kAlgorithms{"md", "sha", "des", "aes"};

// Each name of a secret has one of them in it, in lower case or upper. Few other texts do.
constexpr std::array<std::string_view, 15> kHints{
    "key",
    "psk",
    "pass",
    "pw",
    "token",
    "priv",
    "shared",
    "pin",
    "puk",
    "cak",
    "community",
    "secret",
    "credential",
    "auth",
    "encrypt"};

template <std::size_t kCount>
constexpr bool have_hints(const std::array<std::string_view, kCount>& words) {
  return std::ranges::all_of(words, [](std::string_view word) {
    return std::ranges::any_of(kHints, [word](std::string_view hint) {
      return word.find(hint) != std::string_view::npos;
    });
  });
}
static_assert(
    have_hints(kSecretWords) && have_hints(kSecretParts) && have_hints(kSecretEndings) &&
    have_hints(kPurposes));

// The low bits of a letter are the same in both cases.
constexpr unsigned low_bits(char c) {
  return static_cast<unsigned char>(c) & 0x1fU;
}

constexpr unsigned pair_of(char first, char second) {
  return low_bits(first) << 5U | low_bits(second);
}

// For the first two letters of a hint: a bit for each letter that may be the third.
constexpr std::array<std::uint32_t, 1024> third_letters() {
  std::array<std::uint32_t, 1024> letters{};
  for (const std::string_view hint : kHints)
    letters.at(pair_of(hint[0], hint[1])) |= hint.size() > 2 ? 1U << low_bits(hint[2]) : ~0U;
  return letters;
}
constexpr std::array<std::uint32_t, 1024> kThirdLetters = third_letters();

// Nearly nowhere in a text, where no hint begins.
bool may_begin_hint(char first, char second, char third) {
  // NOLINTNEXTLINE(*-constant-array-index): of ten bits
  return (kThirdLetters[pair_of(first, second)] >> low_bits(third) & 1U) != 0;
}

bool begins_with_hint(std::string_view text) {
  return std::ranges::any_of(kHints, [text](std::string_view hint) {
    return text.size() >= hint.size() &&
           std::equal(hint.begin(), hint.end(), text.begin(), [](char wanted, char c) {
             return wanted == c || (is_upper(c) && low_bits(wanted) == low_bits(c));
           });
  });
}

// "KEY_PASSPHRASE1" is key, passphrase; "SMKey" is sm, key. No longer name is a name.
std::vector<std::string> words_of(std::string_view name) {
  constexpr std::size_t kLongest = 128;
  if (name.size() > kLongest) name.remove_prefix(name.size() - kLongest);
  std::vector<std::string> words;
  std::string word;
  const auto finish = [&] {
    while (!word.empty() && is_digit(word.back()))
      word.pop_back();
    if (!word.empty()) words.push_back(std::move(word));
    word.clear();
  };
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (!is_upper(c) && !is_lower(c) && !is_digit(c)) {
      finish();
      continue;
    }
    const bool begins = i > 0 && is_upper(c) &&
                        (is_lower(name[i - 1]) ||
                         (is_upper(name[i - 1]) && i + 1 < name.size() && is_lower(name[i + 1])));
    if (begins) finish();
    word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  finish();
  return words;
}

bool has_secret_part(std::string_view word) {
  return std::ranges::any_of(kSecretParts, [word](std::string_view part) {
    return word.find(part) != std::string_view::npos;
  });
}

bool ends_as_secret(std::string_view word) {
  return std::ranges::any_of(
      kSecretEndings, [word](std::string_view end) { return word.ends_with(end); });
}

}  // namespace

bool may_have_secret_name(std::string_view text) {
  for (std::size_t at = 0; at + 1 < text.size(); ++at) {
    const char third = at + 2 < text.size() ? text[at + 2] : ' ';
    if (may_begin_hint(text[at], text[at + 1], third) && begins_with_hint(text.substr(at)))
      return true;
  }
  return false;
}

bool names_secret(std::string_view name) {
  if (!may_have_secret_name(name)) return false;
  std::vector<std::string> words = words_of(name);
  if (words.empty() || is_one_of(words.back(), kAboutSecrets)) return false;
  if (std::ranges::any_of(words, has_secret_part)) return true;
  while (words.size() > 1 && is_one_of(words.back(), kForms))
    words.pop_back();
  const std::string& last = words.back();
  // Passwords of SNMP users, by what they are for: "auth-md5", "encrypt-aes".
  if (words.size() > 1 && is_one_of(words[words.size() - 2], kPurposes) &&
      is_one_of(last, kAlgorithms))
    return true;
  if (words.size() > 1 && (last == "key" || last == "keys") &&
      is_one_of(words[words.size() - 2], kOpenKeys))
    return false;
  // OpenSM makes its keys of this number.
  if (words.size() > 1 && last == "seed" && words.front() == "key") return true;
  return is_one_of(last, kSecretWords) || ends_as_secret(last);
}

bool is_word_for_secret(std::string_view name) {
  if (!names_secret(name)) return false;
  const std::vector<std::string> words = words_of(name);
  const std::string& last = words.back();
  return words.size() <= 4 && !words.front().starts_with("lib") &&
         (is_one_of(last, kSecretWords) || ends_as_secret(last) || last == "secret" ||
          last.starts_with("passw") || last == "passphrase" || last == "seed");
}

}  // namespace fabric
