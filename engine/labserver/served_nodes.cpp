// SPDX-License-Identifier: Apache-2.0
#include "engine/labserver/served_nodes.hpp"

#include <cerrno>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <libssh/libssh.h>
#include <libssh/server.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "engine/files/write.hpp"

namespace fabric::labserver {

Result<KeyHandle> make_key() {
  ssh_key key = nullptr;
  if (ssh_pki_generate(SSH_KEYTYPE_ED25519, 0, &key) != SSH_OK) {
    return Error{ErrorCode::denied, "no ed25519 key can be made"};
  }
  return KeyHandle{key};
}

std::string public_line(ssh_key_struct* key) {
  char* text = nullptr;
  if (ssh_pki_export_pubkey_base64(key, &text) != SSH_OK) return "";
  std::string line = fmt::format("{} {}", ssh_key_type_to_char(ssh_key_type(key)), text);
  ssh_string_free_char(text);
  return line;
}

Result<void> write_key(ssh_key_struct* key, const std::string& path) {
  // Not through a link that another user has put there.
  FABRIC_TRY(files::remove_file(path));
  const mode_t before = umask(0077);
  const int written = ssh_pki_export_privkey_file(key, nullptr, nullptr, nullptr, path.c_str());
  umask(before);
  if (written == SSH_OK) {
    return files::write_file(
        path + ".pub", public_line(key) + " fabric-lab\n", files::Readers::everybody);
  }
  return Error{ErrorCode::invalid, path + " can't be written"};
}

BindHandle bind_with_key(KeyHandle key) {
  BindHandle bind{ssh_bind_new()};
  // Else accepting would read /etc/ssh/libssh_server_config.
  const bool off = false;
  ssh_bind_options_set(bind.get(), SSH_BIND_OPTIONS_PROCESS_CONFIG, &off);
  ssh_bind_options_set(bind.get(), SSH_BIND_OPTIONS_IMPORT_KEY, key.release());  // now the bind's
  return bind;
}

namespace {

// The addresses of a lab: one of 127.0.0.0/8 for each node, all on one port.

struct Listener {
  std::string address;  // "127.93.4.1"
  FileDescriptor socket;
};
struct Listeners {
  std::uint32_t port = 0;
  std::vector<Listener> sockets;  // in the order of the nodes
};

constexpr std::size_t kHosts = 254;              // of a /24, without .0 and .255
constexpr std::size_t kFirstBlock = 64UL * 256;  // 127.64.0.0: below lie 127.0.0.1 and its like
constexpr std::size_t kBlocks = 191UL * 256;     // up to 127.254.255.0
constexpr int kAttempts = 32;
constexpr int kBacklog = 1024;  // all clients come at the same moment

// FNV-1a: the same directory gives the same block in every program and run.
std::size_t block_of(const std::string& directory) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : directory) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3ULL;
  }
  return hash % kBlocks;
}

std::uint32_t address_of(std::size_t block, std::size_t node) {
  const std::size_t number = kFirstBlock + (block + node / kHosts) % kBlocks;
  return static_cast<std::uint32_t>(std::size_t{127} << 24U | number << 8U | (node % kHosts + 1));
}

std::string in_words(std::uint32_t address) {
  return fmt::format(
      "{}.{}.{}.{}",
      address >> 24U,
      (address >> 16U) & 0xffU,
      (address >> 8U) & 0xffU,
      address & 0xffU);
}

// `port` 0 is replaced by the kernel's choice. An invalid socket: see errno.
FileDescriptor listen_on(std::uint32_t address, std::uint32_t& port) {
  FileDescriptor descriptor{socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  if (!descriptor) return descriptor;
  const int one = 1;
  setsockopt(descriptor.get(), SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = htons(static_cast<std::uint16_t>(port));
  name.sin_addr.s_addr = htonl(address);
  if (bind(descriptor.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0) return {};
  if (listen(descriptor.get(), kBacklog) != 0) return {};
  socklen_t size = sizeof name;
  getsockname(descriptor.get(), reinterpret_cast<sockaddr*>(&name), &size);
  port = ntohs(name.sin_port);
  return descriptor;
}

// The k-th node gets the k-th address of consecutive 127.x.y.0/24 (1..254 of each). The first of
// them is derived from `directory`, so that a lab keeps its addresses; if anything else listens
// there on `port`, the next free block is taken. `port` 0 = a free one.
// Fails with ErrorCode::invalid if no block is free.
Result<Listeners> listen_for(std::size_t nodes, std::uint32_t port, const std::string& directory) {
  const std::size_t blocks = nodes / kHosts + 1;
  std::string problem;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const std::size_t block = block_of(directory) + static_cast<std::size_t>(attempt) * blocks;
    Listeners listeners;
    listeners.port = port;
    while (listeners.sockets.size() < nodes) {
      const std::uint32_t address = address_of(block, listeners.sockets.size());
      FileDescriptor socket = listen_on(address, listeners.port);
      if (!socket) {
        problem = fmt::format(
            "{} port {}: {}",
            in_words(address),
            listeners.port,
            std::generic_category().message(errno));
        break;
      }
      listeners.sockets.push_back({in_words(address), std::move(socket)});
    }
    if (listeners.sockets.size() == nodes) return listeners;
  }
  return Error{ErrorCode::invalid, "the lab finds no free addresses: " + problem};
}

}  // namespace

Result<std::vector<ServedNode>> open_nodes(
    const std::vector<NodeName>& nodes,
    const LabDirectory& directory,
    LabInfo& info,
    std::string& known_hosts) {
  Listeners listeners = FABRIC_TRY(listen_for(nodes.size(), info.port, directory.path()));
  info.port = listeners.port;
  std::vector<ServedNode> served;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    KeyHandle host_key = FABRIC_TRY(make_key());
    const std::string& address = listeners.sockets[i].address;
    known_hosts +=
        fmt::format("[{}]:{} {}\n", address, listeners.port, public_line(host_key.get()));
    info.addresses[nodes[i].str()] = address;
    served.push_back(
        {nodes[i], std::move(listeners.sockets[i].socket), bind_with_key(std::move(host_key))});
  }
  FABRIC_TRY(
      files::write_file(directory.file(kKnownHostsFile), known_hosts, files::Readers::owner));
  return served;
}

}  // namespace fabric::labserver
