// SPDX-License-Identifier: Apache-2.0
// What a document wants of a port, what runs there and what its files make of it, as the same
// values and attributes.
#pragma once

#include <optional>
#include <string_view>

#include "engine/model/resource.hpp"
#include "engine/platform/owned_file.hpp"
#include "engine/provider/observation.hpp"
#include "providers/linux/kinds/qos/port_qos.hpp"
#include "providers/linux/kinds/qos/qos_files.hpp"

namespace fabric::providers {

namespace qos {

inline constexpr std::string_view kEcn = "ecn";
inline constexpr std::string_view kCnpDscp = "cnp_dscp";

}  // namespace qos

// What the document wants, as what a script sets.
QosValues values_of(const Resource& resource);
// The same for the running state; unknown parts are left out.
QosValues values_of(const PortQos& port);
// What the files make of the port at the next boot; nullopt: they are not all there.
std::optional<QosValues> kept_values(
    const FileTexts& files,
    const ResourceAddress& address,
    const Card& card,
    const AdapterPort& port);
LayeredReading reading_of(
    const Resource& resource,
    std::string_view attribute,
    const PortQos& port,
    const std::optional<QosValues>& kept);

// What was in force before us, for the day on which it is taken away.
Map recorded(const QosValues& values);
QosValues from_record(const Map& before);

}  // namespace fabric::providers
