// SPDX-License-Identifier: Apache-2.0
#include "providers/infiniband/parsers/ibnetdiscover.hpp"

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

bool is_topology_line(std::string_view line) {
  const std::string_view text = trim(line);
  return is_port(text) || is_id(text) || node_keyword(text) != nullptr;
}

// As parse_ibnetdiscover, but a text without nodes does not fail.
Result<ObservedTopology> read_topology(std::string_view text) {
  return IbnetdiscoverTopologyReader{}.read(text);
}

// The list of ports that `ibnetdiscover -p` prints.

struct Type {
  std::string_view text;
  IbNodeType type;
};

constexpr Type kTypes[] = {
    {"CA ", IbNodeType::channel_adapter},
    {"SW ", IbNodeType::switch_node},
    {"RT ", IbNodeType::router},
    {"?? ", IbNodeType::unknown},
};

std::optional<IbNodeType> take_type(LineCursor& cursor) {
  for (const Type& each : kTypes) {
    if (cursor.take(each.text)) return each.type;
  }
  return std::nullopt;
}

// "SW  1719 10 0x7cfe9003009ce5b0"
struct End {
  IbNodeType type = IbNodeType::unknown;
  std::int64_t lid = 0, port = 0;
  Guid guid{0};
};

std::optional<End> take_end(LineCursor& cursor) {
  const auto type = take_type(cursor);
  const auto lid = type ? cursor.number() : std::nullopt;
  const auto port = lid ? cursor.number() : std::nullopt;
  const auto guid = port ? cursor.hexadecimal() : std::nullopt;
  if (!guid || *lid > kLargestLid || *port > kLargestPort) return std::nullopt;
  return End{*type, *lid, *port, Guid{*guid}};
}

// "( 'node4' - 'S2' )"; both empty if they can't be told apart, nullopt for another shape.
std::optional<std::pair<std::string, std::string>> two_names(std::string_view text) {
  text = trim(text);
  if (!text.starts_with("( '") || !text.ends_with("' )") || text.size() < 6) return std::nullopt;
  text = text.substr(3, text.size() - 6);
  constexpr std::string_view kBetween = "' - '";
  const std::size_t between = text.find(kBetween);
  if (between == std::string_view::npos) return std::nullopt;
  if (text.rfind(kBetween) != between) return std::pair<std::string, std::string>{};
  return std::pair{
      std::string{trim(text.substr(0, between))},
      std::string{trim(text.substr(between + kBetween.size()))}};
}

// 'S2', without quotes in old versions
std::string one_name(std::string_view text) {
  text = trim(text);
  if (text.size() > 1 && text.front() == '\'' && text.back() == '\'')
    text = text.substr(1, text.size() - 2);
  return std::string{trim(text)};
}

struct Rate {
  std::optional<std::int64_t> lanes;
  std::optional<IbSpeed> speed;
};

// "4x EDR", "4x ???", "?? ???"
std::optional<Rate> take_rate(LineCursor& cursor) {
  Rate rate;
  if (!cursor.take("??")) {
    rate.lanes = cursor.number();
    if (!rate.lanes || !is_lane_count(*rate.lanes) || !cursor.take("x")) return std::nullopt;
  }
  const std::string_view name = cursor.word();
  rate.speed = speed_of_name(name);
  if (!rate.speed && name != "???") return std::nullopt;
  return rate;
}

// "CA   134  1 0x7cfe9003003b4bde 4x EDR - SW ..."
bool is_port_list_line(std::string_view line) {
  LineCursor cursor{line};
  return take_type(cursor).has_value() && cursor.number().has_value();
}

class IbnetdiscoverReader {
 public:
  Result<ObservedTopology> read(std::string_view text) {
    while (!text.empty()) {
      const std::string_view line = take_line(text);
      ++number_;
      const std::string_view content = trim(line);
      if (content.empty() || content.front() == '#') continue;
      if (is_port_list_line(line)) {
        FABRIC_TRY(read_line(line));
        FABRIC_TRY(check_size(topology_.nodes.size(), ++ports_, number_));
      } else {
        FABRIC_TRY(add_note(topology_.notes, number_, content));
      }
    }
    return std::move(topology_);
  }

 private:
  Result<std::monostate> read_line(std::string_view line) {
    LineCursor cursor{line};
    const auto end = take_end(cursor);
    if (!end || end->port == 0)
      return error_at(number_, cursor.column(), "expected TYPE LID PORT GUID");
    const auto rate = take_rate(cursor);
    if (!rate) return error_at(number_, cursor.column(), "expected width and speed as 4x EDR");
    IbPort port;
    port.line = number_;
    port.number = end->port;
    port.guid = end->guid;
    std::string name;
    if (cursor.take("- ")) {
      port.lanes = rate->lanes;
      port.speed = rate->speed;
      name = FABRIC_TRY(read_peer(cursor, port.peer.emplace()));
    } else {
      // Without a link, width and speed have no meaning.
      name = one_name(cursor.rest());
    }
    return put(*end, std::move(port), std::move(name));
  }

  // The name of this end comes with that of the other.
  Result<std::string> read_peer(LineCursor& cursor, IbPeer& peer) const {
    const auto end = take_end(cursor);
    if (!end) return error_at(number_, cursor.column(), "expected TYPE LID PORT GUID of the peer");
    auto names = two_names(cursor.rest());
    if (!names) return error_at(number_, cursor.column(), "expected ( 'NAME' - 'NAME' )");
    peer.type = end->type;
    peer.lid = assigned_lid(end->lid);
    peer.port = end->port;
    peer.port_guid = end->guid;
    peer.name = std::move(names->second);
    return std::move(names->first);
  }

  Result<std::monostate> put(const End& end, IbPort port, std::string name) {
    const auto [known, is_new] = nodes_.emplace(end.guid.bits(), topology_.nodes.size());
    if (is_new) {
      IbNode& node = topology_.nodes.emplace_back();
      node.type = end.type;
      node.line = number_;
      if (end.type == IbNodeType::switch_node) node.lid = assigned_lid(end.lid);
    }
    IbNode& node = topology_.nodes[known->second];
    if (node.type != end.type)
      return error_at(number_, 1, fmt::format("{} has two types", end.guid.str()));
    const bool is_known = std::ranges::any_of(
        node.ports, [&port](const IbPort& each) { return each.number == port.number; });
    if (is_known)
      return error_at(number_, 1, fmt::format("port {} is described twice", port.number));
    if (node.name.empty()) node.name = std::move(name);
    if (end.type != IbNodeType::switch_node) port.lid = assigned_lid(end.lid);
    node.ports.push_back(std::move(port));
    return std::monostate{};
  }

  std::size_t number_ = 0;
  std::size_t ports_ = 0;
  ObservedTopology topology_;
  std::unordered_map<std::uint64_t, std::size_t> nodes_;  // by GUID
};

// As parse_ibnetdiscover, but a text without nodes does not fail. The format has only port GUIDs,
// so each port of an adapter is a node of its own. Names with "' - '" are ambiguous and left out.
Result<ObservedTopology> read_port_list(std::string_view text) {
  return IbnetdiscoverReader{}.read(text);
}

// The first line of either form decides.
bool is_port_list(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (is_port_list_line(line)) return true;
    if (is_topology_line(line)) return false;
  }
  return false;
}

Error no_nodes(const ObservedTopology& topology) {
  for (const ToolNote& note : topology.notes) {
    if (is_fatal(note.text)) return error_at(note.line, 1, note.text);
  }
  const std::size_t line = topology.notes.empty() ? 1 : topology.notes.front().line;
  return error_at(line, 1, "no node of a subnet");
}

}  // namespace

Result<ObservedTopology> parse_ibnetdiscover(std::string_view text) {
  ObservedTopology topology =
      FABRIC_TRY(is_port_list(text) ? read_port_list(text) : read_topology(text));
  if (topology.nodes.empty()) return no_nodes(topology);
  return topology;
}

}  // namespace fabric::providers
