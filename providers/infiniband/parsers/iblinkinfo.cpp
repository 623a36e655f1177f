// SPDX-License-Identifier: Apache-2.0
#include "providers/infiniband/parsers/iblinkinfo.hpp"

#include <unordered_map>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/infiniband/parsers/ib_messages.hpp"
#include "providers/parsers/line_cursor.hpp"
#include "providers/parsers/lines.hpp"

namespace fabric::providers {

namespace {

constexpr std::int64_t kLargestPort = 254;
constexpr std::int64_t kLargestLid = 65535;
constexpr std::string_view kLinkBegin = "==(";
constexpr std::string_view kLinkEnd = ")==>";

struct Heading {
  std::string_view text;
  IbNodeType type;
};

constexpr Heading kHeadings[] = {
    {"CA: ", IbNodeType::channel_adapter},
    {"Switch: ", IbNodeType::switch_node},
    {"Router: ", IbNodeType::router},
    {"??: ", IbNodeType::unknown},
};

struct Place {
  std::int64_t lid = 0, port = 0;
};

// "3   35[  ]": LID, port, external port.
std::optional<Place> take_place(LineCursor& cursor) {
  const auto lid = cursor.number();
  const auto port = lid ? cursor.number() : std::nullopt;
  if (!port || *lid > kLargestLid || *port > kLargestPort || !cursor.take("[")) return std::nullopt;
  cursor.number();
  if (!cursor.take("]")) return std::nullopt;
  return Place{*lid, *port};
}

std::optional<Guid> take_guid(LineCursor& cursor) {
  if (!trim(cursor.rest()).starts_with("0x")) return std::nullopt;
  const auto bits = cursor.hexadecimal();
  return bits ? std::optional{Guid{*bits}} : std::nullopt;
}

// "4X           10.0 Gbps (FDR10) Active/  LinkUp", with "Down/ Polling" for a port without link.
// False: no such text.
bool read_state(std::string_view text, IbPort& port) {
  const std::size_t slash = text.rfind('/');
  if (slash == std::string_view::npos) return false;
  const std::vector<std::string_view> words = split_words(text.substr(0, slash));
  if (words.empty()) return false;
  port.state = port_state(words.back());
  port.physical = physical_state(trim(text.substr(slash + 1)));
  for (std::size_t index = 0; index + 1 < words.size(); ++index) {
    const std::string_view word = words[index];
    if (word.size() > 1 && word.back() == 'X') {
      port.lanes = parse_integer(word.substr(0, word.size() - 1));
      if (!port.lanes || !is_lane_count(*port.lanes)) return false;
    }
    if (words[index + 1] == "Gbps") {
      port.speed = speed_of_rate(word);
      if (!port.speed) return false;
    }
    if (word == "(FDR10)") port.speed = IbSpeed::fdr10;
  }
  return true;
}

// "Could be 12X Could be 10.0 Gbps" to "12X 10.0 Gbps"
std::string hints(std::string_view text) {
  std::string kept;
  constexpr std::string_view kCouldBe = "Could be";
  for (std::size_t at = text.find(kCouldBe); at != std::string_view::npos;
       at = text.find(kCouldBe)) {
    text = text.substr(at + kCouldBe.size());
    const std::string_view what = trim(text.substr(0, text.find(kCouldBe)));
    kept += kept.empty() ? "" : " ";
    kept += what;
  }
  return kept;
}

// A line of a port, at its three parts.
struct PortLine {
  std::string_view head, link, tail;
  std::size_t tail_column = 1;
};

std::optional<PortLine> port_line(std::string_view line) {
  const std::size_t begin = line.find(kLinkBegin);
  const std::size_t end = line.find(kLinkEnd, begin);
  if (begin == std::string_view::npos || end == std::string_view::npos) return std::nullopt;
  const std::size_t link = begin + kLinkBegin.size();
  const std::size_t tail = end + kLinkEnd.size();
  std::string_view inside = line.substr(link, end - link);
  // Removes the end that -p adds: "...LinkUp) (HOQ:7 VL_Stall:7".
  inside = inside.substr(0, inside.find(") (HOQ:"));
  return PortLine{line.substr(0, begin), inside, line.substr(tail), tail + 1};
}

class IblinkinfoReader {
 public:
  Result<ObservedTopology> read(std::string_view text) {
    while (!text.empty()) {
      const std::string_view line = take_line(text);
      ++number_;
      FABRIC_TRY(read_line(line));
      FABRIC_TRY(check_size(topology_.nodes.size(), ports_, number_));
    }
    if (topology_.nodes.empty()) return nothing();
    // Lines say no type. Each port of an adapter has a GUID of its own, those of a switch have that
    // of its port 0.
    for (const auto& [guid, index] : nodes_) {
      IbNode& node = topology_.nodes[index];
      if (node.ports.size() > 1) node.type = IbNodeType::switch_node;
    }
    return std::move(topology_);
  }

 private:
  Result<std::monostate> read_line(std::string_view line) {
    const std::string_view text = trim(line);
    if (text.empty()) return std::monostate{};
    if (line.find(kLinkBegin) != std::string_view::npos) return read_port(line);
    for (const Heading& heading : kHeadings) {
      if (text.starts_with(heading.text) && text.ends_with(':'))
        return open_node(heading.type, text.substr(heading.text.size()));
    }
    FABRIC_TRY(add_note(topology_.notes, number_, text));
    // A warning may come anywhere; after another line it is unknown whose ports would follow.
    if (!is_diagnostic(text)) open_ = false;
    return std::monostate{};
  }

  // "0x0002c902004b2678 Infiniscale-IV Mellanox Technologies:"
  Result<std::monostate> open_node(IbNodeType type, std::string_view text) {
    LineCursor cursor{text};
    guid_ = std::nullopt;
    if (type == IbNodeType::switch_node) {
      guid_ = take_guid(cursor);
      if (!guid_) return error_at(number_, 1, "expected Switch: GUID NAME:");
    }
    const std::string_view name = trim(cursor.rest());
    IbNode& node = topology_.nodes.emplace_back();
    node.type = type;
    node.line = number_;
    node.name = trim(name.substr(0, name.empty() ? 0 : name.size() - 1));
    open_ = true;
    return std::monostate{};
  }

  Result<std::monostate> read_port(std::string_view line) {
    const auto parts = port_line(line);
    if (!parts) return error_at(number_, line.find(kLinkBegin) + 1, "the line ends in the link");
    LineCursor head{parts->head};
    IbPort port;
    port.line = number_;
    port.guid = take_guid(head);
    const auto name = port.guid ? head.quoted(true) : std::nullopt;
    const auto place = take_place(head);
    if (!place || place->port == 0 || !head.at_end())
      return error_at(number_, head.column(), "expected LID PORT[EXTERNAL]");
    port.number = place->port;
    if (!read_state(parts->link, port))
      return error_at(
          number_,
          parts->head.size() + 1,
          fmt::format("'{}' is no width, speed and state", trim(parts->link)));
    FABRIC_TRY(read_tail(*parts, port));
    return name ? put_line(*place, trim(*name), std::move(port)) : put(*place, std::move(port));
  }

  // `0x0000000000200000      2   35[  ] "S1" (Could be 12X)`, `[  ] "" ( )`, `"Port not available"`
  Result<std::monostate> read_tail(const PortLine& line, IbPort& port) const {
    const std::string_view text = trim(line.tail);
    if (text == "\"Port not available\"") {
      port.peer_not_read = true;
      return std::monostate{};
    }
    const std::size_t open = text.rfind("\" (");
    if (open == std::string_view::npos || !text.ends_with(')'))
      return error_at(number_, line.tail_column, R"(expected "NAME" (...) at the end)");
    if (text.starts_with('[')) return std::monostate{};
    LineCursor cursor{text.substr(0, open + 1)};
    IbPeer peer;
    peer.port_guid = take_guid(cursor);
    const auto place = take_place(cursor);
    const auto name = place ? cursor.quoted(true) : std::nullopt;
    if (!name) return error_at(number_, line.tail_column, R"(expected LID PORT[EXTERNAL] "NAME")");
    peer.lid = assigned_lid(place->lid);
    peer.port = place->port;
    peer.name = trim(*name);
    port.peer = std::move(peer);
    port.could_be = hints(text.substr(open, text.size() - open - 1));
    return std::monostate{};
  }

  // Adds a port in the form by node.
  Result<std::monostate> put(const Place& place, IbPort port) {
    if (!open_) return error_at(number_, 1, "a port that belongs to no node");
    IbNode& node = topology_.nodes.back();
    if (node.type == IbNodeType::switch_node) {
      node.lid = assigned_lid(place.lid);
      port.guid = guid_;
    } else {
      port.lid = assigned_lid(place.lid);
    }
    node.ports.push_back(std::move(port));
    ++ports_;
    return std::monostate{};
  }

  // In lines.
  Result<std::monostate> put_line(const Place& place, std::string_view name, IbPort port) {
    const auto [known, is_new] = nodes_.emplace(port.guid->bits(), topology_.nodes.size());
    if (is_new) {
      IbNode& node = topology_.nodes.emplace_back();
      node.name = name;
      node.line = number_;
    }
    port.lid = assigned_lid(place.lid);
    topology_.nodes[known->second].ports.push_back(std::move(port));
    ++ports_;
    open_ = false;
    return std::monostate{};
  }

  Error nothing() const {
    for (const ToolNote& note : topology_.notes) {
      if (is_fatal(note.text)) return error_at(note.line, 1, note.text);
    }
    return error_at(
        topology_.notes.empty() ? 1 : topology_.notes.front().line, 1, "no port of a subnet");
  }

  std::size_t number_ = 0;
  std::size_t ports_ = 0;
  ObservedTopology topology_;
  bool open_ = false;         // ports belong to the last node
  std::optional<Guid> guid_;  // of its port 0, if it is a switch
  std::unordered_map<std::uint64_t, std::size_t> nodes_;
};

}  // namespace

Result<ObservedTopology> parse_iblinkinfo(std::string_view text) {
  return IblinkinfoReader{}.read(text);
}

}  // namespace fabric::providers
