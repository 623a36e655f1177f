// SPDX-License-Identifier: Apache-2.0
#include "engine/ssh/config/destination.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric::ssh {
namespace {

constexpr std::size_t kJumps = 8;  // a longer chain is one that leads back to itself

Error unreachable(const std::string& name, std::string_view why) {
  return {ErrorCode::unreachable, fmt::format("{}: ssh config: {}", name, why)};
}

// "[user@]host[:port]", "[user@][v6 address]:port", "ssh://..." ; as ProxyJump writes a hop.
Result<Target> parse_hop(std::string_view text) {
  Target hop;
  std::string_view rest = text;
  if (rest.substr(0, 6) == "ssh://") rest.remove_prefix(6);
  if (const std::size_t at = rest.rfind('@'); at != std::string_view::npos) {
    hop.user = rest.substr(0, at);
    rest.remove_prefix(at + 1);
  }
  std::string_view port;
  if (!rest.empty() && rest.front() == '[') {
    const std::size_t end = rest.find(']');
    if (end == std::string_view::npos) return Error{ErrorCode::invalid, "a bracket is not closed"};
    hop.host = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
    if (!rest.empty() && rest.front() == ':') port = rest.substr(1);
  } else if (std::count(rest.begin(), rest.end(), ':') == 1) {
    hop.host = rest.substr(0, rest.find(':'));
    port = rest.substr(rest.find(':') + 1);
  } else {
    hop.host = rest;  // a name, or an IPv6 address without port
  }
  if (hop.host.empty()) return Error{ErrorCode::invalid, "the host is missing"};
  if (!port.empty()) {
    const auto number = parse_integer(port);
    if (!number || *number < 1 || *number > 65535) {
      return Error{ErrorCode::invalid, fmt::format("'{}' is no port number", port)};
    }
    hop.port = static_cast<std::uint32_t>(*number);
  }
  return hop;
}

std::vector<std::string> hops_of(const std::optional<std::string>& proxy_jump) {
  std::vector<std::string> hops;
  if (!proxy_jump || to_lower(*proxy_jump) == "none") return hops;
  for (const std::string_view hop : split(*proxy_jump, ','))
    hops.emplace_back(trim(hop));
  return hops;
}

// The user's files, then those of the host; what the caller gives replaces both.
std::vector<std::string> known_hosts_of(
    const std::vector<std::string>& given, const HostConfig& host) {
  if (!given.empty()) return given;
  std::vector<std::string> known = host.user_known_hosts_files;
  if (known.empty()) known = {"~/.ssh/known_hosts", "~/.ssh/known_hosts2"};
  std::vector<std::string> global = host.global_known_hosts_files;
  if (global.empty()) global = {"/etc/ssh/ssh_known_hosts"};
  known.insert(known.end(), global.begin(), global.end());
  return known;
}

}  // namespace

Result<void> DestinationResolver::add_files(
    const Target& target,
    const HostConfig& host,
    const Tokens& tokens,
    Destination& destination) const {
  // These come from the document, which may be a stranger's: a variable of this program in the name
  // would appear in the message that there is no such file.
  for (const std::string& file : target.identity_files)
    destination.identity_files.push_back(expand_home(file, local_.home));
  std::vector<std::string> identities = host.identity_files;
  if (!target.identity_files.empty()) {
    identities.clear();
  } else if (identities.empty()) {
    identities = {"~/.ssh/id_ed25519", "~/.ssh/id_ecdsa", "~/.ssh/id_rsa"};
  }
  for (const std::string& file : identities) {
    if (file != "none")
      destination.identity_files.push_back(FABRIC_TRY(expand_tokens(file, tokens)));
  }

  for (const std::string& file : known_hosts_of(options_.known_hosts_files, host)) {
    if (file != "none")
      destination.known_hosts_files.push_back(FABRIC_TRY(expand_tokens(file, tokens)));
  }

  if (!target.use_agent) return {};
  destination.agent_socket = local_.agent_socket;
  if (host.identity_agent && *host.identity_agent == "none") {
    destination.agent_socket.clear();
  } else if (host.identity_agent && *host.identity_agent != "SSH_AUTH_SOCK") {
    destination.agent_socket = FABRIC_TRY(expand_tokens(*host.identity_agent, tokens));
  }
  return {};
}

LocalEnvironment local_environment() {
  const char* agent = std::getenv("SSH_AUTH_SOCK");
  return {home_directory(), local_user(), agent != nullptr ? agent : ""};
}

Result<Config> read_config(const Options& options) {
  if (options.config_file && options.config_file->empty()) return Config{};
  const std::string home = home_directory();
  return Config::read(options.config_file.value_or(home + "/.ssh/config"), home);
}

Result<Destination> DestinationResolver::resolve_host(
    const std::string& name, const Target& target, HostConfig& host) const {
  host = config_.for_host(target.host, target.user);
  Destination destination;
  destination.name = name;
  destination.host = host.host_name.value_or(target.host);
  destination.known_as = host.host_key_alias.value_or(destination.host);
  destination.port = target.port != 0 ? target.port : host.port.value_or(22);
  destination.user = !target.user.empty() ? target.user : host.user.value_or(local_.user);
  destination.pinned_host_key = trim(target.pinned_host_key);
  destination.pin_is_operators = target.pin_is_operators;
  destination.legacy_algorithms = target.legacy_algorithms;
  destination.identities_only = host.identities_only.value_or(false);
  destination.notes = host.notes;

  const Tokens tokens{
      local_.home, destination.host, target.host, destination.port, destination.user, local_.user};
  Result<void> added = add_files(target, host, tokens, destination);
  if (!added) return unreachable(name, added.error().message);
  return destination;
}

Result<std::vector<Destination>> DestinationResolver::resolve_jumps(
    std::vector<std::string> hops, const Target& target) const {
  std::vector<Destination> jumps;
  // Back to front, because only the nearest hop may need hops of its own: a later one is reached
  // through the one before it, whatever the config has for it.
  while (!hops.empty()) {
    if (jumps.size() == kJumps) {
      return Error{ErrorCode::invalid, fmt::format("more than {} jump hosts: a loop?", kJumps)};
    }
    const std::string text = hops.back();
    hops.pop_back();
    Result<Target> hop = parse_hop(text);
    if (!hop) return with_context(hop.error(), fmt::format("jump '{}'", text));
    // A jump host that the config gives no key of its own is entered with the node's key.
    hop->use_agent = target.use_agent;
    if (config_.for_host(hop->host, hop->user).identity_files.empty()) {
      hop->identity_files = target.identity_files;
    }
    HostConfig host;
    jumps.push_back(FABRIC_TRY(resolve_host("jump host " + text, *hop, host)));
    if (!hops.empty()) continue;
    if (host.proxy_command && *host.proxy_command != "none") {
      return Error{
          ErrorCode::invalid, fmt::format("ProxyCommand of jump '{}' is not supported", text)};
    }
    hops = hops_of(host.proxy_jump);
  }
  std::reverse(jumps.begin(), jumps.end());
  return jumps;
}

Result<Destination> DestinationResolver::resolve(
    const std::string& name, const Target& target) const {
  HostConfig host;
  Destination destination = FABRIC_TRY(resolve_host(name, target, host));
  if (target.jumps.empty() && host.proxy_command && *host.proxy_command != "none") {
    return unreachable(
        name, "ProxyCommand is not supported; use ProxyJump, or ssh.jump in the document");
  }
  Result<std::vector<Destination>> jumps =
      resolve_jumps(target.jumps.empty() ? hops_of(host.proxy_jump) : target.jumps, target);
  if (!jumps) return unreachable(name, jumps.error().message);
  destination.jumps = std::move(*jumps);
  return destination;
}

std::string way_to(const Destination& destination) {
  std::string way;
  for (const Destination& hop : destination.jumps)
    way += fmt::format("{}@{}:{} > ", hop.user, hop.host, hop.port);
  return way + fmt::format("{}@{}:{}", destination.user, destination.host, destination.port);
}

}  // namespace fabric::ssh
