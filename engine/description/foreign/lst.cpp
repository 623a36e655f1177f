// SPDX-License-Identifier: Apache-2.0
// The list of links that ibdiagnet and OpenSM keep of a subnet (.lst): a line for each end of each
// link, both ends described in full. All numbers are hexadecimal but those of width and speed.
#include <functional>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "engine/base/limits.hpp"
#include "engine/base/text.hpp"
#include "engine/description/foreign/formats.hpp"
#include "engine/description/foreign/reading.hpp"
#include "engine/description/subnet.hpp"

namespace fabric::description {

namespace {

struct ListedEnd {
  IbNodeType type = IbNodeType::unknown;
  Guid node_guid{0};
  std::uint64_t ports = 0, device = 0, lid = 0, port = 0;
  std::string name;
};

// The number in "Ports:18"; nullopt if missing or no hexadecimal number.
std::optional<std::uint64_t> field(std::string_view words, std::string_view key) {
  while (true) {
    const std::string_view word = take_word(words);
    if (word.empty()) return std::nullopt;
    if (word.size() > key.size() && word.starts_with(key) && word[key.size()] == ':')
      return parse_unsigned(word.substr(key.size() + 1), 16);
  }
}

// Takes one "{ CA Ports:02 ... {name} LID:0002 PN:01 }" off the front of `text`.
std::optional<ListedEnd> take_end(std::string_view& text) {
  text = trim(text);
  if (!text.starts_with('{')) return std::nullopt;
  // The description may be any text: its end is found by what follows.
  const std::size_t open = text.find('{', 1);
  const std::size_t behind = text.find("} LID:", 1);
  const std::size_t close = text.find('}', behind == std::string_view::npos ? behind : behind + 1);
  if (open == std::string_view::npos || close == std::string_view::npos || open > behind)
    return std::nullopt;
  ListedEnd end;
  end.name = trim(text.substr(open + 1, behind - open - 1));
  const std::string_view head = trim(text.substr(1, open - 1));
  const std::string_view tail = text.substr(behind + 1, close - behind - 1);
  text.remove_prefix(close + 1);
  const auto ports = field(head, "Ports");
  const auto guid = field(head, "NodeGUID");
  const auto lid = field(tail, "LID");
  const auto port = field(tail, "PN");
  constexpr std::uint64_t kMostPorts = 254;
  constexpr std::uint64_t kMostLids = 65'535;
  const bool whole = !head.empty() && ports && guid && lid && port && *port > 0 &&
                     *port <= kMostPorts && *ports <= kMostPorts && *lid <= kMostLids;
  if (!whole) return std::nullopt;
  const bool is_switch = head.starts_with("SW");
  if (!is_switch && !head.starts_with("CA")) return std::nullopt;
  end.type = is_switch ? IbNodeType::switch_node : IbNodeType::channel_adapter;
  end.node_guid = Guid{*guid};
  end.ports = *ports;
  end.device = field(head, "DevID").value_or(0) & 0xffffU;
  end.lid = *lid;
  end.port = *port;
  return end;
}

class Links {
 public:
  void add(const ListedEnd& from, const ListedEnd& to, std::size_t line) {
    add_node(from, line);
    add_node(to, line);
    IbPort port;
    port.number = static_cast<std::int64_t>(from.port);
    port.line = line;
    IbPeer peer;
    peer.type = to.type;
    peer.node_guid = to.node_guid;
    peer.port = static_cast<std::int64_t>(to.port);
    peer.name = to.name;
    port.peer = std::move(peer);
    topology_.nodes[places_.at(from.node_guid)].ports.push_back(std::move(port));
  }
  const ObservedTopology& topology() const { return topology_; }

 private:
  void add_node(const ListedEnd& end, std::size_t line) {
    const auto [place, is_new] = places_.emplace(end.node_guid, topology_.nodes.size());
    if (!is_new) return;
    IbNode& node = topology_.nodes.emplace_back();
    node.type = end.type;
    node.guid = end.node_guid;
    if (end.device != 0) node.device_id = static_cast<std::int64_t>(end.device);
    node.port_count = static_cast<std::int64_t>(end.ports);
    node.name = end.name;
    node.line = line;
  }

  ObservedTopology topology_;
  std::map<Guid, std::size_t> places_;
};

// Calls `take` with each link once. Fails on a line that is none.
Result<std::size_t> read_links(
    std::string_view text,
    const std::function<void(const ListedEnd&, const ListedEnd&, std::size_t)>& take) {
  LineReader reader{text};
  std::size_t found = 0;
  while (FABRIC_TRY(reader.next())) {
    std::string_view rest = trim(reader.line());
    if (rest.empty() || rest.front() == '#') continue;
    const std::optional<ListedEnd> from = take_end(rest);
    const std::optional<ListedEnd> to = from ? take_end(rest) : std::nullopt;
    if (!to)
      return refusal(
          reader.number(),
          "expected a link: { CA|SW Ports:N NodeGUID:N ... {name} LID:N PN:N } twice");
    if (++found > 2 * limits::kCables)
      return refusal(reader.number(), fmt::format("more than {} cables", limits::kCables));
    take(*from, *to, reader.number());
  }
  return found;
}

}  // namespace

Result<Description> parse_lst(std::string_view text) {
  // First reads without keeping anything, so that a refused text takes no memory.
  const std::size_t found = FABRIC_TRY(read_links(text, [](const auto&...) {}));
  if (found == 0) return refusal(1, "the file has no link");
  Links links;
  FABRIC_TRY(
      read_links(text, [&links](const ListedEnd& from, const ListedEnd& to, std::size_t line) {
        links.add(from, to, line);
      }));
  return describe(links.topology());
}

}  // namespace fabric::description
