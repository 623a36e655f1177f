// From the document and lab.yaml to simulated hosts and cables. Private to engine/lab.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "engine/lab/lab_spec.hpp"
#include "engine/lab/linux/host/machine.hpp"
#include "engine/lab/wire/world.hpp"
#include "engine/model/spec.hpp"

namespace fabric::lab {

// A host as it comes from the installer, with its cards, switched off.
std::unique_ptr<Machine> build_machine(
    const NodeSpec& node, const LabHost& host, std::uint64_t seed);
// Gives a card whose GUID one of `taken` has already the next free one, and adds its own. Of
// hundreds of hosts two would draw the same.
void tell_cards_apart(Machine& machine, std::set<std::uint64_t>& taken);
// Somebody's settings that wait for the next boot; done after the first boot.
void arm_settings(Machine& machine, const LabHost& host);
// The cables of lab.yaml, or of the document, without the unplugged ones.
void plug_cables(World& world, const FabricSpec& fabric, const LabSpec& lab);

// 1767225600000 = 2026-01-01T00:00:00Z: the lab's clock starts there in every run.
inline constexpr std::int64_t kEpochMilliseconds = 1'767'225'600'000;

}  // namespace fabric::lab
