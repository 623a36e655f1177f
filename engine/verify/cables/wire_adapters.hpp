// SPDX-License-Identifier: Apache-2.0
// Maps adapters of the subnet to those of the document: by GUID, by the adapter's own name, by the
// port that it is cabled to, and by elimination. Each step maps an adapter only if the steps before
// left one choice.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/model/spec.hpp"
#include "engine/subnet/node_description.hpp"
#include "engine/verify/cables/wire_ports.hpp"
#include "engine/verify/cables/wire_switches.hpp"
#include "engine/verify/cables/wire_view.hpp"

namespace fabric::verify {

class WireAdapters {
 public:
  // The arguments must outlive this object.
  WireAdapters(
      const FabricSpec& spec,
      const WireEvidence& evidence,
      const WirePorts& ports,
      const WireSwitches& switches);

  Place place(const PortRef& port) const;
  // The document's port at that place of the subnet; nullopt if it is not known to be one.
  std::optional<PortRef> port_at(const WirePlace& place) const;
  // The host that has the adapter with this index in WirePorts::nodes(); null if it is not known.
  const NodeSpec* host_of(std::size_t index) const;
  // True if the port at that place may be `port`, as far as known. REQUIRES: no place(port).at
  bool may_be(const WirePlace& place, const PortRef& port) const;

 private:
  // A port of the document.
  struct Wanted {
    PortRef port;
    const NodeSpec* node = nullptr;
    const AdapterSpec* adapter = nullptr;
    std::set<std::string> names;  // device names that it may have there, in lower case
    std::vector<PortRef> peers;   // the other ends of the port's cables
    bool member = false;          // it is in an InfiniBand network
    bool by_guid = false;         // the document gives a GUID, seen in the subnet or not
    Place place;
  };

  struct Host {
    std::vector<Wanted*> wanted;
    std::vector<std::size_t> adapters;  // that give its name, or share a card with one that does
  };

  void read_descriptions();
  void take_along_cards();
  void read_hosts();
  static Guid port_guid_of(const Wanted& wanted, Guid node_guid);
  bool is_second_of_card(std::size_t index, const AdapterSpec& adapter) const;
  void take_by_guid(Wanted& wanted);
  void take_by_name(Host& host);
  bool take_by_cable();
  bool take_what_is_left();
  bool take_unnamed();

  std::optional<WirePlace> named_place(const Host& host, const Wanted& wanted) const;
  std::optional<WirePlace> port_of_card(
      std::size_t index, const AdapterSpec& adapter, std::int64_t number) const;
  std::optional<WirePlace> other_end(const Wanted& wanted) const;
  std::vector<WirePlace> free_places(const Host& host) const;
  bool is_other_end_dark(const Wanted& wanted) const;
  bool contradicts(const Wanted& wanted, const WirePlace& place) const;
  bool has_model(const Wanted& wanted, std::size_t index) const;
  bool is_free(const WirePlace& place) const;
  void take(Wanted& wanted, const WirePlace& place);
  std::string why_not(const Wanted& wanted) const;

  const FabricSpec& spec_;
  const WireEvidence& evidence_;
  const WirePorts& ports_;
  const WireSwitches& switches_;
  std::vector<AdapterDescription> described_;  // by index; of channel adapters
  std::vector<const NodeSpec*> host_of_;       // by index
  std::set<std::string> called_;               // labels of hosts that some adapter names
  std::map<NodeName, Host> hosts_;
  std::map<PortRef, Wanted> wanted_;
  std::map<WirePlace, PortRef> taken_;
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> cards_;  // by system image
};

}  // namespace fabric::verify
