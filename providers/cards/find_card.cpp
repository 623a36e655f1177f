// SPDX-License-Identifier: Apache-2.0
#include "providers/cards/find_card.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/model/resource_keys.hpp"

namespace fabric::providers {

namespace {

// How well a selector fits a card: the surer the identity, the greater.
enum class Fit : std::uint8_t {
  no,
  in_use,  // a port by its present address, which may be that of its bond
  named    // the card, or a port by its permanent identity
};

struct Match {
  Fit fit = Fit::no;
  const AdapterPort* port = nullptr;  // the port of the selector; null: the selector means the card
};

template <typename Is>
const AdapterPort* port_that(const Card& card, const Is& is) {
  const auto found = std::ranges::find_if(card.ports, is);
  return found == card.ports.end() ? nullptr : &*found;
}

Match by_port(const AdapterPort* port, Fit fit = Fit::named) {
  return port == nullptr ? Match{} : Match{fit, port};
}

Match has_pci(const Card& card, std::string_view text) {
  const Result<PciAddress> wanted = PciAddress::parse(text);
  if (!wanted) return {};
  if (card.address == *wanted) return {Fit::named, nullptr};
  return by_port(
      port_that(card, [&](const AdapterPort& port) { return port.function == *wanted; }));
}

Match has_guid(const Card& card, std::string_view text) {
  const Result<Guid> wanted = Guid::parse(text);
  if (!wanted) return {};
  return by_port(
      port_that(card, [&](const AdapterPort& port) { return port.node_guid == *wanted; }));
}

Match has_mac(const Card& card, std::string_view text) {
  const Result<MacAddress> wanted = MacAddress::parse(text);
  if (!wanted) return {};
  const Match burnt_in = by_port(
      port_that(card, [&](const AdapterPort& port) { return port.permanent_mac == *wanted; }));
  if (burnt_in.fit != Fit::no) return burnt_in;
  return by_port(
      port_that(card, [&](const AdapterPort& port) { return port.mac == *wanted; }), Fit::in_use);
}

Match has_serial(const Card& card, std::string_view text) {
  return {card.serial == text ? Fit::named : Fit::no, nullptr};
}

struct Selector {
  std::string_view key;
  Match (*match)(const Card& card, std::string_view text);
};
constexpr Selector kSelectors[] = {
    {keys::kPci, has_pci},
    {keys::kNodeGuid, has_guid},
    {keys::kMac, has_mac},
    {keys::kSerial, has_serial}};

bool is_of_model(const Card& card, const Value& binding) {
  const List& list = binding.member(keys::kDeviceIds).items();
  return std::ranges::any_of(list, [&](const Value& id) { return id == Value{card.device_id}; });
}

// One board in several slots (Socket Direct): each slot shows the ports again, under one serial
// number (E-socket-direct).
bool is_one_board(const std::vector<const Card*>& cards) {
  return std::ranges::all_of(cards, [&](const Card* card) {
    return !card->serial.empty() && card->serial == cards.front()->serial;
  });
}

// The cards of the model that the selectors fit, without those that fit worse in any way.
std::vector<const Card*> cards_that_fit(const std::vector<Card>& cards, const Value& keys) {
  std::vector<const Card*> candidates;
  Fit best = Fit::in_use;
  for (const Card& card : cards) {
    if (!is_of_model(card, keys)) continue;
    Fit fit = Fit::named;
    for (const Selector& selector : kSelectors) {
      const std::string text = keys.string_or_empty(selector.key);
      if (!text.empty()) fit = std::min(fit, selector.match(card, text).fit);
    }
    if (fit < best) continue;
    if (fit > best) candidates.clear();
    best = fit;
    candidates.push_back(&card);
  }
  return candidates;
}

// A selector for the second port of a card means that port to the document's author, and the card
// to fabric: settings of the document's port 1 would go to the other port.
std::string other_port(const Card& card, const Value& keys) {
  if (card.ports.empty()) return {};
  for (const Selector& selector : kSelectors) {
    const std::string text = keys.string_or_empty(selector.key);
    const Match match = text.empty() ? Match{} : selector.match(card, text);
    if (match.port == nullptr || match.port->number == card.ports.front().number) continue;
    const bool shared = match.port->function == card.ports.front().function;
    if (shared && selector.key != keys::kMac) continue;
    return fmt::format(
        "{} {} is port {} of card {}", selector.key, text, match.port->number, card.text());
  }
  return {};
}

}  // namespace

FoundCard find_card(const std::vector<Card>& cards, const Map& binding) {
  const Value keys{binding};
  const std::string model = keys.string_or_empty("model");
  std::string wanted = "of model " + model;
  FoundCard found{nullptr, cards_that_fit(cards, keys), {}, {}};
  for (const Selector& selector : kSelectors) {
    const std::string text = keys.string_or_empty(selector.key);
    if (!text.empty()) wanted += fmt::format(" with {} {}", selector.key, text);
  }
  if (found.candidates.size() == 1) found.other_port = other_port(*found.candidates.front(), keys);
  if (!found.other_port.empty()) {
    found.why = found.other_port;
  } else if (!found.candidates.empty() && is_one_board(found.candidates)) {
    found.card = found.candidates.front();
  } else if (found.candidates.size() == 1) {
    found.card = found.candidates.front();
  } else if (found.candidates.empty()) {
    found.why = "no card " + wanted;
  } else {
    found.why = fmt::format("{} cards {}", found.candidates.size(), wanted);
  }
  return found;
}

FoundPort find_port(const std::vector<Card>& cards, const Map& binding) {
  const FoundCard found = find_card(cards, binding);
  if (found.card == nullptr) return {nullptr, nullptr, found.why};
  const auto wanted = binding.find(keys::kPort);
  const std::int64_t* number = wanted == binding.end() ? nullptr : wanted->second.as_integer();
  if (number == nullptr) return {found.card, nullptr, "the resource names no port"};
  const AdapterPort* port = *number < 1 || *number > 255
                                ? nullptr
                                : found.card->find_port(static_cast<std::uint32_t>(*number));
  if (port == nullptr) {
    return {
        found.card,
        nullptr,
        fmt::format("card {} has no port {}", found.card->address.str(), *number)};
  }
  return {found.card, port, {}};
}

}  // namespace fabric::providers
