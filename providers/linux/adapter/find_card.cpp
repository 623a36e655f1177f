// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/adapter/find_card.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/model/resource_keys.hpp"

namespace fabric::providers {

namespace {

bool has_pci(const Card& card, std::string_view text) {
  const Result<PciAddress> wanted = PciAddress::parse(text);
  return wanted && (card.address == *wanted ||
                    std::any_of(card.ports.begin(), card.ports.end(), [&](const AdapterPort& port) {
                      return port.function == *wanted;
                    }));
}

bool has_guid(const Card& card, std::string_view text) {
  const Result<Guid> wanted = Guid::parse(text);
  return wanted && std::any_of(card.ports.begin(), card.ports.end(), [&](const AdapterPort& port) {
           return port.node_guid == *wanted;
         });
}

bool has_mac(const Card& card, std::string_view text) {
  const Result<MacAddress> wanted = MacAddress::parse(text);
  return wanted && std::any_of(card.ports.begin(), card.ports.end(), [&](const AdapterPort& port) {
           return port.permanent_mac == *wanted || port.mac == *wanted;
         });
}

bool has_serial(const Card& card, std::string_view text) {
  return card.serial == text;
}

struct Selector {
  std::string_view key;
  bool (*matches)(const Card& card, std::string_view text);
};
constexpr Selector kSelectors[] = {
    {keys::kPci, has_pci},
    {keys::kNodeGuid, has_guid},
    {keys::kMac, has_mac},
    {keys::kSerial, has_serial}};

bool is_of_model(const Card& card, const Value& binding) {
  const Value* ids = binding.find(keys::kDeviceIds);
  const List* list = ids == nullptr ? nullptr : ids->as_list();
  return list != nullptr && std::any_of(list->begin(), list->end(), [&](const Value& id) {
           return id == Value{card.device_id};
         });
}

// One board in several slots (Socket Direct): each slot shows the ports again, under one serial
// number (E-socket-direct).
bool is_one_board(const std::vector<const Card*>& cards) {
  return std::all_of(cards.begin(), cards.end(), [&](const Card* card) {
    return !card->serial.empty() && card->serial == cards.front()->serial;
  });
}

}  // namespace

FoundCard find_card(const std::vector<Card>& cards, const Map& binding) {
  const Value keys{binding};
  const std::string model = keys.string_or_empty("model");
  std::string wanted = "of model " + model;
  FoundCard found;
  for (const Card& card : cards) {
    if (!is_of_model(card, keys)) continue;
    bool fits = true;
    for (const Selector& selector : kSelectors) {
      const std::string text = keys.string_or_empty(selector.key);
      fits = fits && (text.empty() || selector.matches(card, text));
    }
    if (fits) found.candidates.push_back(&card);
  }
  for (const Selector& selector : kSelectors) {
    const std::string text = keys.string_or_empty(selector.key);
    if (!text.empty()) wanted += fmt::format(" with {} {}", selector.key, text);
  }
  if (!found.candidates.empty() && is_one_board(found.candidates)) {
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
