// SPDX-License-Identifier: Apache-2.0
// A document decoded without schema and rules, and its findings as short lines.
#pragma once

#include <string>
#include <vector>

#include "engine/base/source.hpp"
#include "engine/model/document/load.hpp"
#include "engine/model/spec.hpp"
#include "engine/yaml/parse.hpp"

namespace fabric {

struct Decoded {
  SourceMap sources;
  yaml::Node document;
  FabricSpec spec;
  Diagnostics diagnostics;

  const NodeSpec& node(const char* name) const { return spec.nodes.at(*NodeName::parse(name)); }
  const NetworkSpec& network(const char* name) const { return spec.networks.at(name); }

  // "3:5 node-unknown: there is no node 'x'", in order of place.
  std::vector<std::string> findings() const {
    Diagnostics sorted = diagnostics;
    sorted.sort();
    std::vector<std::string> lines;
    for (const Diagnostic& each : sorted.items()) {
      lines.push_back(place(each.range) + " " + each.rule + ": " + each.message);
    }
    return lines;
  }

  std::string place(SourceRange range) const {
    const Position position = sources.position(range.file, range.begin);
    return std::to_string(position.line) + ":" + std::to_string(position.column);
  }
};

inline Decoded decode(std::string text) {
  Decoded decoded;
  const FileId file = decoded.sources.add("fabric.yaml", std::move(text));
  decoded.document = yaml::parse(decoded.sources, file, decoded.diagnostics);
  decoded.spec = decode_document(decoded.document, decoded.diagnostics);
  return decoded;
}

// Cables as "pve1/cx5/1 - pve2/cx5/2".
inline std::vector<std::string> cable_lines(const NetworkSpec& network) {
  std::vector<std::string> lines;
  for (const CableSpec& cable : network.cables) {
    lines.push_back(cable.a.value.str() + " - " + cable.b.value.str());
  }
  return lines;
}

// Addresses as "pve1/cx5/1 10.30.0.1".
inline std::vector<std::string> address_lines(const IpSpec& ip) {
  std::vector<std::string> lines;
  for (const auto& [port, addresses] : ip.addresses) {
    for (const Sourced<IpAddress>& address : addresses) {
      lines.push_back(port.str() + " " + address.value.str());
    }
  }
  return lines;
}

}  // namespace fabric
