// SPDX-License-Identifier: Apache-2.0
// KnownHosts: the known_hosts files, parsed once per run. Our own reader, because libssh reads the
// files twice per session, takes 9 us for each hashed line, and skips @revoked, so that it accepts
// a key that OpenSSH refuses.
//
// Certificates are not supported: an @cert-authority line vouches for nothing here, but is
// mentioned when a key is refused.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fabric::ssh {

// A line of a known_hosts file.
struct KnownKeyPlace {
  std::string file;
  std::uint32_t line = 0;
  bool operator==(const KnownKeyPlace&) const = default;
};

struct KnownKey {
  enum class Marker : std::uint8_t { none, revoked, authority };
  Marker marker = Marker::none;
  std::string type;  // "ssh-ed25519"
  std::string key;   // base64, as in the file
  KnownKeyPlace place;
};

enum class KeyVerdict : std::uint8_t { known, unknown, changed, revoked };

// All known keys of one host.
struct HostKeys {
  std::vector<KnownKey> keys;
  // Lines that name the host without its port. As in OpenSSH they may vouch for a key or revoke
  // it, but a different key there says nothing about this port.
  std::vector<KnownKey> without_port;
  // Why a file could not be read, so that its revoked keys are unknown; "" if all could be.
  std::string problem;

  struct Answer {
    KeyVerdict verdict = KeyVerdict::unknown;
    KnownKeyPlace place;  // the line that decided, or an @cert-authority line
  };
  // The place of an @revoked line with the key for this host.
  std::optional<KnownKeyPlace> revoked(std::string_view type, std::string_view key) const;
  // `changed` only if another key of the same type is known. An empty type or key is `unknown`.
  Answer check(std::string_view type, std::string_view key) const;
  // Types of the keys that could vouch for the host, each once, in order of the files.
  std::vector<std::string> types() const;
};

// The name in known_hosts: "host", or "[host]:port" for another port than 22.
std::string known_hosts_name(std::string_view host, std::uint32_t port);

class KnownHosts {
 public:
  // Reads the files. A missing file has no keys; an unreadable one is a HostKeys::problem.
  static KnownHosts read(const std::vector<std::string>& files);
  // Lines that can't be read are skipped: they vouch for no host.
  void add(std::string_view text, const std::string& file);

  HostKeys find(std::string_view host, std::uint32_t port) const;

 private:
  static constexpr std::size_t kHashBytes = 20;  // SHA-1
  using Hash = std::array<unsigned char, kHashBytes>;
  struct HashedName {
    Hash salt{};
    Hash hash{};
    std::size_t key = 0;
  };
  struct PatternName {
    std::vector<std::string> patterns;
    std::size_t key = 0;
  };

  void add_line(std::string_view line, KnownKeyPlace place);
  void add_hashed(std::string_view name, std::size_t key);
  // Indices into keys_, ascending: the order of the files.
  std::vector<std::size_t> find_name(const std::string& name) const;

  std::string problem_;
  std::vector<KnownKey> keys_;
  std::unordered_map<std::string, std::vector<std::size_t>> plain_;
  std::vector<HashedName> hashed_;
  std::vector<PatternName> patterns_;
};

}  // namespace fabric::ssh
