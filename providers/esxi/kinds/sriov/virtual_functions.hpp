// SPDX-License-Identifier: Apache-2.0
// The virtual functions of an ESXi host's cards.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/model/names.hpp"
#include "engine/platform/facts.hpp"
#include "engine/provider/provider.hpp"
#include "engine/remote/command.hpp"
#include "providers/esxi/kinds/cards.hpp"

namespace fabric::providers::esxi {

// The virtual functions of an ESXi host's NICs, and the machines that have them.
// The probe of `esxcli network sriovnic vf list` for every NIC.
Probe virtual_functions_probe();
// The probe's output by NIC. Fails with ErrorCode::invalid where the probe did not run.
Result<std::map<std::string, std::string>> virtual_functions_said(const NodeFacts& facts);

// The guests that hold one. Fails with ErrorCode::invalid where a list can't be read.
Result<std::set<std::string>> owners_of_functions(const NodeFacts& facts);

// The option max_vfs of the cards' driver: a list with one number for each port of the driver, in
// PCI order over all cards (E-esxi-vfs). A port that a guest has is not a port of the driver
// (E-esxi-vfs-passthrough).
using Ports = std::vector<PciAddress>;

// The ports of the driver, without those of the cards in `gone` (PCI addresses of first functions).
Ports driver_ports(const std::vector<EsxCard>& cards, const std::set<PciAddress>& gone);

std::optional<std::size_t> place_of(const Ports& ports, const AdapterPort& port);

// The number at `place`, 0 if the list is shorter; nullopt: the entry is no number.
std::optional<std::int64_t> entry_of(const std::string& list, std::size_t place);

// The list rewritten from the ports `now` to the ports `then`: ports that are new get 0, ports that
// are gone lose their entry, and entries beyond those of `now` stay.
std::string list_moved(const std::string& list, const Ports& now, const Ports& then);

// The note of the cards on which fabric has made virtual functions. It is an advanced setting
// (E-esxi-advanced), because an ESXi host keeps no file of fabric over a boot (E-esxi-files).
// The probe of all advanced settings that were added to the host.
Probe notes_probe();
// The text of a note; "" = there is none. Fails with ErrorCode::invalid where notes can't be read.
Result<std::string> note_of(const NodeFacts& facts, std::string_view name);

// Puts the card into the note, or takes it out.
remote::Argv note_functions(const std::string& adapter, const Card& card, bool has_functions);
bool has_noted(const NodeFacts& facts, const std::string& adapter, const Card& card);

// Orphans for the cards of the note that are not in `wanted`: the attributes of `desired` go back
// to their values in `before`; attributes that `before` lacks shall be absent.
std::vector<Resource> left_on_cards(
    std::string_view kind,
    std::span<const Resource> wanted,
    const NodeFacts& facts,
    const Map& before,
    const DesiredAttributes& desired);

}  // namespace fabric::providers::esxi
