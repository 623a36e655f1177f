// SPDX-License-Identifier: Apache-2.0
#include "engine/ssh/host_key.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <libssh/libssh.h>

#include "engine/base/text.hpp"
#include "engine/remote/shell.hpp"
#include "engine/ssh/failure.hpp"

namespace fabric::ssh {
namespace {

struct Algorithm {
  std::string_view name;
  std::string_view key_type;
};
constexpr std::array kAlgorithms{
    Algorithm{"ssh-ed25519", "ssh-ed25519"},
    Algorithm{"ecdsa-sha2-nistp521", "ecdsa-sha2-nistp521"},
    Algorithm{"ecdsa-sha2-nistp384", "ecdsa-sha2-nistp384"},
    Algorithm{"ecdsa-sha2-nistp256", "ecdsa-sha2-nistp256"},
    Algorithm{"rsa-sha2-512", "ssh-rsa"},
    Algorithm{"rsa-sha2-256", "ssh-rsa"}};

// The file that new keys belong in: the user's own, which is the first.
std::string own_file(const Destination& destination) {
  return destination.known_hosts_files.empty() ? "~/.ssh/known_hosts"
                                               : destination.known_hosts_files.front();
}

// The text as the replacement of sed's command `s`, where "/e" would run a command.
std::string sed_replacement(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '/' || c == '\\' || c == '&' || c == '\n') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

// The command that puts the host's keys into known_hosts. The operator copies it into a shell, so
// each word of the document is quoted, and none can be taken for an option.
std::string accepting_command(const Destination& destination) {
  if (!destination.jumps.empty()) {
    // ssh-keyscan can't go through a jump host; ssh itself asks before it writes the key down.
    std::vector<std::string> hops;
    for (const Destination& jump : destination.jumps) {
      hops.push_back(fmt::format("{}@{}:{}", jump.user, jump.host, jump.port));
    }
    return remote::command_line(
        {"ssh",
         "-o",
         "StrictHostKeyChecking=ask",
         "-o",
         "UserKnownHostsFile=" + own_file(destination),
         "-o",
         "HostKeyAlias=" + destination.known_as,
         "-J",
         join(hops, ","),
         "-p",
         std::to_string(destination.port),
         "--",
         fmt::format("{}@{}", destination.user, destination.host),
         "true"});
  }
  const std::string scan = remote::command_line(
      {"ssh-keyscan", "-p", std::to_string(destination.port), "--", destination.host});
  const std::string file = remote::quote(own_file(destination));
  if (destination.known_as == destination.host) return fmt::format("{} >> {}", scan, file);
  return fmt::format(
      "{} | sed {} >> {}",
      scan,
      remote::quote(fmt::format(
          "s/^[^ ]*/{}/",
          sed_replacement(known_hosts_name(destination.known_as, destination.port)))),
      file);
}

std::string in_words(const PresentedKey& presented, const Destination& destination) {
  return fmt::format(
      "the key that {} shows, {} {},",
      known_hosts_name(destination.known_as, destination.port),
      presented.type,
      presented.fingerprint);
}

Result<void> judge_pinned(const PresentedKey& presented, const Destination& destination) {
  if (is_pinned(presented, destination.pinned_host_key)) return {};
  return unreachable(
      destination,
      Stage::host_key,
      fmt::format(
          "{} is not the one that ssh.host_key pins: {}",
          in_words(presented, destination),
          destination.pinned_host_key));
}

Error refuse_revoked(
    const PresentedKey& presented, const Destination& destination, const KnownKeyPlace& place) {
  return unreachable(
      destination,
      Stage::host_key,
      fmt::format(
          "{} is revoked by {}:{}", in_words(presented, destination), place.file, place.line));
}

PresentedKey key_of(const std::string& type, const std::string& base64) {
  ssh_key raw = nullptr;
  if (ssh_pki_import_pubkey_base64(base64.c_str(), ssh_key_type_from_name(type.c_str()), &raw) !=
      SSH_OK)
    return {};
  const KeyHandle key{raw};
  return present(key.get());
}

// Any other text of a document is not shown, because a user may copy it.
bool is_fingerprint(std::string_view text) {
  constexpr std::string_view kBegin = "SHA256:";
  return text.starts_with(kBegin) &&
         text.find_first_not_of(
             "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", kBegin.size()) ==
             std::string_view::npos;
}

// The keys that known_hosts vouches for.
std::vector<PresentedKey> keys_of(const HostKeys& known) {
  std::vector<PresentedKey> keys;
  for (const auto* list : {&known.keys, &known.without_port}) {
    for (const KnownKey& each : *list) {
      PresentedKey key = key_of(each.type, each.key);
      if (known.check(key.type, key.key).verdict == KeyVerdict::known)
        keys.push_back(std::move(key));
    }
  }
  return keys;
}

}  // namespace

PresentedKey present(ssh_key_struct* key) {
  PresentedKey presented;
  const char* type = ssh_key_type_to_char(ssh_key_type(key));
  if (type != nullptr) presented.type = type;
  char* text = nullptr;
  if (ssh_pki_export_pubkey_base64(key, &text) == SSH_OK) {
    presented.key = text;
    ssh_string_free_char(text);
  }
  unsigned char* hash = nullptr;
  std::size_t length = 0;
  if (ssh_get_publickey_hash(key, SSH_PUBLICKEY_HASH_SHA256, &hash, &length) == 0) {
    char* fingerprint = ssh_get_fingerprint_hash(SSH_PUBLICKEY_HASH_SHA256, hash, length);
    if (fingerprint != nullptr) presented.fingerprint = fingerprint;
    ssh_string_free_char(fingerprint);
    ssh_clean_pubkey_hash(&hash);
  }
  return presented;
}

bool is_pinned(const PresentedKey& presented, std::string_view pin) {
  const std::vector<std::string_view> words = split_words(pin);
  return words.size() >= 2 ? words[0] == presented.type && words[1] == presented.key
                           : pin == presented.fingerprint;
}

bool operator_vouches(
    const PresentedKey& presented, const HostKeys& known, const Destination& destination) {
  if (!destination.pinned_host_key.empty() && destination.pin_is_operators) return true;
  return known.check(presented.type, presented.key).verdict == KeyVerdict::known;
}

Result<void> judge_host_key(
    const PresentedKey& presented, const HostKeys& known, const Destination& destination) {
  // A key that can't be told apart from another one is not judged.
  if (presented.type.empty() || presented.key.empty() || presented.fingerprint.empty())
    return unreachable(destination, Stage::host_key, "the key that it shows can't be read");
  if (!known.problem.empty()) {
    return unreachable(
        destination,
        Stage::host_key,
        known.problem +
            ", so it is not known which keys are revoked; repair the file, or name others as "
            "UserKnownHostsFile and GlobalKnownHostsFile in the ssh config");
  }
  // Revocation also wins over the key that the document pins.
  if (const auto place = known.revoked(presented.type, presented.key))
    return refuse_revoked(presented, destination, *place);
  if (!destination.pinned_host_key.empty()) return judge_pinned(presented, destination);
  const HostKeys::Answer answer = known.check(presented.type, presented.key);
  const std::string key = in_words(presented, destination);
  const std::string place = fmt::format("{}:{}", answer.place.file, answer.place.line);
  switch (answer.verdict) {
    case KeyVerdict::known:
      return {};
    case KeyVerdict::revoked:
      return refuse_revoked(presented, destination, answer.place);
    case KeyVerdict::changed:
      return unreachable(
          destination,
          Stage::host_key,
          fmt::format(
              "{} differs from the one in {}: the machine was installed anew, or another machine "
              "intercepts the connection; {}, accept it with: {} && {}",
              key,
              place,
              kSeenAtConsole,
              remote::command_line(
                  {"ssh-keygen",
                   "-R",
                   known_hosts_name(destination.known_as, destination.port),
                   "-f",
                   answer.place.file}),
              accepting_command(destination)));
    case KeyVerdict::unknown:
      break;
  }
  std::string what = fmt::format("{} is not in {}", key, own_file(destination));
  if (!known.types().empty()) what += fmt::format(" (known are: {})", join(known.types(), ", "));
  if (!answer.place.file.empty()) {
    what += fmt::format(" ({} trusts a certificate authority, which fabric does not)", place);
  }
  return unreachable(
      destination,
      Stage::host_key,
      fmt::format(
          "{}. Compare the fingerprint with the machine's own (ssh-keygen -lf "
          "/etc/ssh/ssh_host_*_key.pub on its console), then accept it with: {}",
          what,
          accepting_command(destination)));
}

std::string host_key_algorithms(const HostKeys& known, const Destination& destination) {
  std::vector<std::string> types = known.types();
  // A pinned key names its type, a pinned fingerprint does not.
  const std::vector<std::string_view> pinned = split_words(destination.pinned_host_key);
  if (pinned.size() >= 2) types = {std::string{pinned[0]}};
  std::vector<std::string> first;
  std::vector<std::string> rest;
  for (const Algorithm& algorithm : kAlgorithms) {
    const bool is_known = std::find(types.begin(), types.end(), algorithm.key_type) != types.end();
    (is_known ? first : rest).emplace_back(algorithm.name);
  }
  first.insert(first.end(), rest.begin(), rest.end());
  if (destination.legacy_algorithms) first.emplace_back("ssh-rsa");
  return join(first, ",");
}

ExpectedHosts::ExpectedHosts(const Options& options)
    : options_{options}, config_{read_config(options_)} {}

Result<ExpectedHost> ExpectedHosts::find(const NodeName& node, const Target& target) {
  if (!config_) return config_.error();
  const Destination destination = FABRIC_TRY(
      DestinationResolver(*config_, options_, local_environment()).resolve(node.str(), target));
  const HostKeys known =
      known_hosts_.load(destination.known_hosts_files).find(destination.known_as, destination.port);
  ExpectedHost host;
  host.address = fmt::format("{} port {}", destination.host, destination.port);
  const std::string& pin = destination.pinned_host_key;
  for (const PresentedKey& key : keys_of(known)) {
    if (pin.empty() || is_pinned(key, pin)) host.fingerprints.push_back(key.fingerprint);
  }
  host.vouched = !host.fingerprints.empty() || destination.pin_is_operators;
  if (!host.fingerprints.empty() || pin.empty()) return host;
  const std::vector<std::string_view> words = split_words(pin);
  if (words.size() < 2) {
    if (is_fingerprint(pin)) host.fingerprints.push_back(pin);
    return host;
  }
  const PresentedKey key = key_of(std::string{words[0]}, std::string{words[1]});
  if (key.fingerprint.empty()) return host;
  host.fingerprints.push_back(key.fingerprint);
  host.known_hosts_line = fmt::format(
      "{} {} {}", known_hosts_name(destination.known_as, destination.port), key.type, key.key);
  return host;
}

}  // namespace fabric::ssh
