// SPDX-License-Identifier: Apache-2.0
#include "providers/infiniband/parsers/ibnetdiscover_topology.hpp"

#include <algorithm>
#include <bitset>
#include <iterator>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/infiniband/parsers/ib_messages.hpp"
#include "providers/parsers/line_cursor.hpp"
#include "providers/parsers/lines.hpp"

namespace fabric::providers {

namespace {

constexpr std::int64_t kLargestPort = 254;
constexpr std::int64_t kLargestLid = 65535;
constexpr std::int64_t kLargestLmc = 7;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// "S-0000000000200001"
struct NodeId {
  IbNodeType type = IbNodeType::unknown;
  Guid guid{0};
};

std::optional<NodeId> node_id(std::string_view text) {
  if (text.size() < 3 || text[1] != '-') return std::nullopt;
  const auto bits = parse_unsigned(text.substr(2), 16);
  if (!bits) return std::nullopt;
  switch (text.front()) {
    case 'S':
      return NodeId{IbNodeType::switch_node, Guid{*bits}};
    case 'H':
      return NodeId{IbNodeType::channel_adapter, Guid{*bits}};
    case 'R':
      return NodeId{IbNodeType::router, Guid{*bits}};
    case '?':
      return NodeId{IbNodeType::unknown, Guid{*bits}};
    default:
      return std::nullopt;
  }
}

// A port without GUID prints 0.
std::optional<Guid> known_guid(std::uint64_t bits) {
  return bits == 0 ? std::nullopt : std::optional{Guid{bits}};
}

struct NodeKeyword {
  std::string_view keyword;
  IbNodeType type;
};

constexpr NodeKeyword kNodeKeywords[] = {
    {"Switch", IbNodeType::switch_node},
    {"Ca", IbNodeType::channel_adapter},
    {"Rt", IbNodeType::router},
    {"???", IbNodeType::unknown},
};

// The keyword of "Switch 36 ..." and of "Switch36 ...".
const NodeKeyword* node_keyword(std::string_view line) {
  for (const NodeKeyword& each : kNodeKeywords) {
    if (!line.starts_with(each.keyword)) continue;
    const std::string_view after = trim(line.substr(each.keyword.size()));
    if (!after.empty() && is_digit(after.front())) return &each;
  }
  return nullptr;
}

constexpr std::string_view kIdKeys[] = {
    "vendid=", "devid=", "sysimgguid=", "switchguid=", "caguid=", "rtguid=", "???guid="};

bool is_id(std::string_view line) {
  return std::any_of(std::begin(kIdKeys), std::end(kIdKeys), [line](std::string_view key) {
    return line.starts_with(key);
  });
}

bool is_port(std::string_view line) {
  return line.size() > 1 && line[0] == '[' && is_digit(line[1]);
}

// Headings of `ibnetdiscover -g`.
bool is_heading(std::string_view line) {
  return line == "Non-Chassis Nodes" || line.starts_with("Chassis ") ||
         line.starts_with("Hostname: ");
}

// Reads one line of the format.
class Fields {
 public:
  Fields(std::string_view line, std::size_t number) : cursor_{line}, number_{number} {}

  LineCursor& cursor() { return cursor_; }

  Error expected(std::string_view what) { return expected_at(cursor_, what); }

  Result<std::int64_t> number(std::int64_t largest, std::string_view what) {
    const LineCursor before = cursor_;
    const auto value = cursor_.number();
    if (!value || *value > largest) return expected_at(before, what);
    return *value;
  }

  // "[23]", then perhaps "[ext 5]".
  Result<std::int64_t> port() {
    if (!cursor_.take("[")) return expected("[PORT]");
    const std::int64_t value = FABRIC_TRY(number(kLargestPort, "a port number"));
    if (!cursor_.take("]")) return expected("]");
    if (cursor_.take("[ext")) {
      FABRIC_TRY(number(kLargestPort, "an external port number"));
      if (!cursor_.take("]")) return expected("]");
    }
    return value;
  }

  // "(100009)", if there is one.
  Result<std::optional<Guid>> port_guid() {
    if (!cursor_.take("(")) return std::optional<Guid>{};
    const auto bits = cursor_.hexadecimal();
    if (!bits) return expected("a port GUID");
    if (!cursor_.take(")")) return expected(")");
    return known_guid(*bits);
  }

  Result<NodeId> id() {
    const LineCursor before = cursor_;
    const auto text = cursor_.quoted();
    const auto value = text ? node_id(*text) : std::nullopt;
    if (!value) return expected_at(before, R"("S-GUID", "H-GUID" or "R-GUID")");
    return *value;
  }

  // The node description, the only quoted text in the rest of the line.
  Result<std::string_view> name() {
    const auto text = cursor_.quoted(true);
    if (!text) return expected("a node description in quotation marks");
    return trim(*text);
  }

  Result<std::optional<std::int64_t>> lid() {
    return assigned_lid(FABRIC_TRY(number(kLargestLid, "a LID")));
  }

  Result<std::int64_t> lmc() { return number(kLargestLmc, "an LMC of 0 to 7"); }

  // "4xSDR", "12xFDR10", "4x???", "?????".
  Result<std::monostate> link_rate(IbPort& port) {
    const LineCursor before = cursor_;
    const bool unknown_width = cursor_.take("??");
    if (!unknown_width) port.lanes = cursor_.number();
    const bool has_width =
        unknown_width || (port.lanes && is_lane_count(*port.lanes) && cursor_.take("x"));
    const std::string_view name = has_width ? cursor_.word() : "";
    port.speed = speed_of_name(name);
    if (!port.speed && name != "???") return expected_at(before, "width and speed as 4xEDR");
    return std::monostate{};
  }

 private:
  // `cursor`: its position before the missing token.
  Error expected_at(LineCursor cursor, std::string_view what) const {
    const std::string found =
        cursor.at_end() ? "the end of the line" : fmt::format("'{}'", trim(cursor.rest()));
    return error_at(number_, cursor.column(), fmt::format("expected {}, found {}", what, found));
  }

  LineCursor cursor_;
  std::size_t number_;
};

class IbnetdiscoverTopologyReader {
 public:
  Result<ObservedTopology> read(std::string_view text) {
    while (!text.empty()) {
      const std::string_view line = take_line(text);
      ++number_;
      FABRIC_TRY(read_line(line));
      FABRIC_TRY(check_size(topology_.nodes.size(), ports_, number_));
    }
    FABRIC_TRY(close());
    return std::move(topology_);
  }

 private:
  Result<std::monostate> read_line(std::string_view line) {
    const std::string_view text = trim(line);
    if (text.empty()) return std::monostate{};
    if (text.front() == '#') return read_comment(text);
    if (is_port(text)) return read_port(line);
    if (is_id(text)) return read_id(line);
    if (node_keyword(text) != nullptr) return read_node(line);
    if (is_heading(text)) return std::monostate{};
    FABRIC_TRY(add_note(topology_.notes, number_, text));
    // A warning may come anywhere; after another line it is unknown whose ports would follow.
    return is_diagnostic(text) ? std::monostate{} : close();
  }

  // "# Initiated from node 0008f10403960558 port 0008f10403960559"
  Result<std::monostate> read_comment(std::string_view line) {
    LineCursor cursor{line.substr(1)};
    if (!cursor.take("Initiated from node")) return std::monostate{};
    const auto node = cursor.hexadecimal();
    const auto port = cursor.take("port") ? cursor.hexadecimal() : std::nullopt;
    if (node) topology_.from_node = known_guid(*node);
    if (port) topology_.from_port = known_guid(*port);
    return std::monostate{};
  }

  // "switchguid=0x200001(200001)", "vendid=0x2c9"
  Result<std::monostate> read_id(std::string_view line) {
    FABRIC_TRY(close());
    Fields fields{line, number_};
    const std::string_view text = trim(line);
    const std::string_view key = text.substr(0, text.find('='));
    fields.cursor().take(key);
    fields.cursor().take("=");
    const auto value = fields.cursor().hexadecimal();
    if (!value) return fields.expected("a hexadecimal number");
    const bool is_number = key == "vendid" || key == "devid";
    if (is_number && *value > UINT32_MAX)
      return error_at(number_, 1, fmt::format("{} has more than 32 bits", key));
    if (key == "vendid") {
      next_ = IbNode{};
      next_.vendor_id = static_cast<std::int64_t>(*value);
    } else if (key == "devid") {
      next_.device_id = static_cast<std::int64_t>(*value);
    } else if (key == "sysimgguid") {
      next_.system_image = known_guid(*value);
    } else {
      next_.guid = Guid{*value};
      next_port0_ = FABRIC_TRY(fields.port_guid());
    }
    return std::monostate{};
  }

  // `Switch  36 "S-0000000000200001"  # "S2" base port 0 lid 3 lmc 0`
  Result<std::monostate> read_node(std::string_view line) {
    FABRIC_TRY(close());
    Fields fields{line, number_};
    const NodeKeyword& keyword = *node_keyword(trim(line));
    fields.cursor().take(keyword.keyword);
    next_.port_count = FABRIC_TRY(fields.number(kLargestPort, "the number of ports"));
    const NodeId id = FABRIC_TRY(fields.id());
    if (id.type != keyword.type || next_.guid.value_or(id.guid) != id.guid)
      return error_at(number_, 1, "the node has another type or GUID than the lines above");
    if (!fields.cursor().take("#")) return fields.expected("# and a node description");
    next_.type = id.type;
    next_.guid = id.guid;
    next_.name = FABRIC_TRY(fields.name());
    next_.line = number_;
    FABRIC_TRY(read_node_words(fields));
    const auto [known, is_new] = lines_.emplace(id.guid.bits(), number_);
    if (!is_new) {
      return error_at(
          number_,
          1,
          fmt::format("{} is described twice, first in line {}", id.guid.str(), known->second));
    }
    topology_.nodes.push_back(std::move(next_));
    next_ = IbNode{};
    port0_ = std::exchange(next_port0_, std::nullopt);
    open_ = true;
    return std::monostate{};
  }

  // "enhanced port 0 lid 174 lmc 0"; what chassis add is no concern here.
  Result<std::monostate> read_node_words(Fields& fields) {
    for (std::string_view word = fields.cursor().word(); !word.empty();
         word = fields.cursor().word()) {
      if (word == "base" || word == "enhanced") next_.enhanced_port0 = word == "enhanced";
      if (word == "lid") next_.lid = FABRIC_TRY(fields.lid());
      if (word == "lmc") next_.lmc = FABRIC_TRY(fields.lmc());
    }
    return std::monostate{};
  }

  // `[1](100009)  "S-0000000000200001"[1]  # lid 6 lmc 0 "S2" lid 3 4xSDR`
  Result<std::monostate> read_port(std::string_view line) {
    if (!open_) return error_at(number_, 1, "a port that belongs to no node");
    IbNode& node = topology_.nodes.back();
    Fields fields{line, number_};
    IbPort port;
    port.line = number_;
    port.number = FABRIC_TRY(fields.port());
    FABRIC_TRY(check_number(node, port.number));
    port.guid = FABRIC_TRY(fields.port_guid());
    if (node.type == IbNodeType::switch_node) port.guid = port0_;
    FABRIC_TRY(read_peer(fields, port.peer.emplace()));
    FABRIC_TRY(read_link(fields, port));
    node.ports.push_back(std::move(port));
    ++ports_;
    return std::monostate{};
  }

  // `# lid 6 lmc 0 "S2" lid 3 4xSDR`: of this end, then of the other.
  static Result<std::monostate> read_link(Fields& fields, IbPort& port) {
    if (!fields.cursor().take("#")) return fields.expected("# and a node description");
    if (fields.cursor().take("lid")) port.lid = FABRIC_TRY(fields.lid());
    if (fields.cursor().take("lmc")) port.lmc = FABRIC_TRY(fields.lmc());
    port.peer->name = FABRIC_TRY(fields.name());
    if (!fields.cursor().take("lid")) return fields.expected("lid");
    port.peer->lid = FABRIC_TRY(fields.lid());
    return fields.link_rate(port);
  }

  static Result<std::monostate> read_peer(Fields& fields, IbPeer& peer) {
    const NodeId id = FABRIC_TRY(fields.id());
    peer.type = id.type;
    peer.node_guid = id.guid;
    peer.port = FABRIC_TRY(fields.port());
    peer.port_guid = FABRIC_TRY(fields.port_guid());
    return std::monostate{};
  }

  Result<std::monostate> check_number(const IbNode& node, std::int64_t port) {
    if (port > node.port_count.value_or(kLargestPort) || port == 0)
      return error_at(number_, 1, fmt::format("port {} of {}", port, *node.port_count));
    if (seen_.test(static_cast<std::size_t>(port)))
      return error_at(number_, 1, fmt::format("port {} is described twice", port));
    seen_.set(static_cast<std::size_t>(port));
    return std::monostate{};
  }

  // No more ports of the last node.
  Result<std::monostate> close() {
    const bool was_open = open_;
    open_ = false;
    seen_.reset();
    if (!was_open || !topology_.nodes.back().ports.empty()) return std::monostate{};
    const IbNode& node = topology_.nodes.back();
    return error_at(
        node.line,
        1,
        fmt::format(
            "{} has no link: the text is cut, or the tool ran at a port without one",
            node.guid->str()));
  }

  std::size_t number_ = 0;
  std::size_t ports_ = 0;
  ObservedTopology topology_;
  // The node whose lines are being read, before its `Switch`, `Ca` or `Rt`.
  IbNode next_;
  std::optional<Guid> next_port0_;
  std::optional<Guid> port0_;                             // of the last node
  bool open_ = false;                                     // ports belong to the last node
  std::bitset<kLargestPort + 1> seen_;                    // the node's ports so far
  std::unordered_map<std::uint64_t, std::size_t> lines_;  // of nodes, by GUID
};

}  // namespace

bool is_topology_line(std::string_view line) {
  const std::string_view text = trim(line);
  return is_port(text) || is_id(text) || node_keyword(text) != nullptr;
}

Result<ObservedTopology> read_topology(std::string_view text) {
  return IbnetdiscoverTopologyReader{}.read(text);
}

}  // namespace fabric::providers
