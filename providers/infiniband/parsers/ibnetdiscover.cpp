// SPDX-License-Identifier: Apache-2.0
#include "providers/infiniband/parsers/ibnetdiscover.hpp"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/infiniband/parsers/ib_messages.hpp"
#include "providers/infiniband/parsers/ibnetdiscover_topology.hpp"
#include "providers/parsers/line_cursor.hpp"
#include "providers/parsers/lines.hpp"

namespace fabric::providers {

namespace {

// The list of ports that `ibnetdiscover -p` prints. Part of ibnetdiscover.hpp.

constexpr std::int64_t kLargestPort = 254;
constexpr std::int64_t kLargestLid = 65535;

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
    const bool is_known =
        std::any_of(node.ports.begin(), node.ports.end(), [&port](const IbPort& each) {
          return each.number == port.number;
        });
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
