// SPDX-License-Identifier: Apache-2.0
#include "engine/labserver/lab_service.hpp"

#include <csignal>

#include <unistd.h>

#include "engine/labserver/directory.hpp"
#include "engine/labserver/served_nodes.hpp"
#include "engine/labserver/server.hpp"

namespace fabric::labserver {
namespace {

// While this exists, SIGTERM and SIGINT come through the server's descriptor, and a client that
// disconnects raises no signal.
class ServiceSignals {
 public:
  ServiceSignals() {
    sigset_t blocked{};
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    sigaddset(&blocked, SIGINT);
    pthread_sigmask(SIG_BLOCK, &blocked, &before_);
    pipe_before_ = signal(SIGPIPE, SIG_IGN);
  }
  ~ServiceSignals() {
    // A pending signal that has ended the service must not end the process as well.
    const timespec now{0, 0};
    sigset_t taken{};
    sigemptyset(&taken);
    sigaddset(&taken, SIGTERM);
    sigaddset(&taken, SIGINT);
    while (sigtimedwait(&taken, nullptr, &now) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    static_cast<void>(signal(SIGPIPE, pipe_before_));
  }
  ServiceSignals(const ServiceSignals&) = delete;
  ServiceSignals& operator=(const ServiceSignals&) = delete;

 private:
  sigset_t before_{};
  void (*pipe_before_)(int) = SIG_DFL;
};

void note_addresses(
    const std::vector<ServedNode>& served, const LabInfo& info, Addresses& addresses) {
  for (const ServedNode& node : served)
    addresses[node.name] = info.addresses.at(node.name.str());
}

// Makes keys, sockets and files for every node, for the server.
Result<Server::Parts> prepare(
    const lab::Lab& lab,
    const LabDirectory& directory,
    const ServeOptions& options,
    LabInfo& info,
    std::string& known_hosts) {
  info.port = options.port;
  Server::Parts parts;
  parts.latency = options.latency;
  parts.credentials = {FABRIC_TRY(make_key()), options.password};
  FABRIC_TRY(write_key(parts.credentials.client_key.get(), directory.file(kIdentityFile)));
  parts.nodes = FABRIC_TRY(open_nodes(lab.nodes(), directory, info, known_hosts));
  note_addresses(parts.nodes, info, parts.addresses);
  parts.control = FABRIC_TRY(listen_control(directory.path(), kSocketFile));

  info.pid = getpid();
  info.identity_file = directory.file(kIdentityFile);
  info.known_hosts_file = directory.file(kKnownHostsFile);
  info.document = options.document;
  return parts;
}

Result<void> serve_in(
    LabDirectory& directory,
    const FabricSpec& fabric,
    lab::LabSpec spec,
    const ServeOptions& options,
    const Clock& clock) {
  lab::Lab lab{fabric, std::move(spec)};
  lab.advance(clock.now());
  LabInfo info;
  std::string known_hosts;
  Server::Parts parts = FABRIC_TRY(prepare(lab, directory, options, info, known_hosts));
  parts.grow = [&](const std::string& path,
                   Addresses& addresses) -> Result<std::vector<ServedNode>> {
    if (!options.reread) return Error{ErrorCode::invalid, "this lab can't grow"};
    const LabSource source = FABRIC_TRY(options.reread(path));
    const std::vector<NodeName> added = lab.add_nodes(*source.fabric, source.lab);
    std::vector<ServedNode> served = FABRIC_TRY(open_nodes(added, directory, info, known_hosts));
    note_addresses(served, info, addresses);
    info.document = source.files;
    FABRIC_TRY(directory.write(info));
    return served;
  };
  Server server{lab, clock, std::move(parts)};
  // Connections queue up from here on, so a reader of lab.json can connect.
  FABRIC_TRY(directory.write(info));
  Result<void> served = server.run();
  directory.clear();
  server.say_goodbye();
  return served;
}

}  // namespace

Result<void> serve(
    const FabricSpec& fabric, lab::LabSpec lab, const ServeOptions& options, const Clock& clock) {
  LabDirectory directory = FABRIC_TRY(LabDirectory::lock(options.directory));
  const ServiceSignals signals;
  raise_descriptor_limit();
  Result<void> served = serve_in(directory, fabric, std::move(lab), options, clock);
  if (!served) directory.clear();
  return served;
}

}  // namespace fabric::labserver
