#include "plans/session_diversion.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace fabric::plans {

namespace {

void add(std::vector<Subnet>& subnets, const Result<Subnet>& subnet) {
  if (subnet) subnets.push_back(*subnet);
}

// Of one attribute of a link: "gateway": text, "addresses": texts, "routes": mappings.
std::vector<Subnet> destinations(std::string_view attribute, const Value& value) {
  std::vector<Subnet> found;
  if (attribute == "gateway") add(found, Subnet::parse("0.0.0.0/0"));
  if (attribute == "gateway6") add(found, Subnet::parse("::/0"));
  const List* list = value.as_list();
  if (list == nullptr) return found;
  for (const Value& each : *list) {
    if (attribute == "addresses") add(found, Subnet::of_address(to_text(each)));
    if (attribute == "routes") add(found, Subnet::parse(each.string_or_empty("to")));
  }
  return found;
}

}  // namespace

std::optional<Diversion> diversion_by(const Change& change, const platform::SessionPath& path) {
  const Result<IpAddress> client = IpAddress::parse(path.client);
  if (!client || change.kind == ChangeKind::remove) return std::nullopt;
  std::optional<std::uint32_t> longest;
  for (const Subnet& route : path.routes) {
    if (route.contains(*client)) longest = std::max(longest.value_or(0), route.prefix_length());
  }
  if (!longest) return std::nullopt;
  for (const AttributeChange& attribute : change.attributes) {
    std::vector<Subnet> before;
    if (attribute.observed.running && attribute.observed.running->value() != nullptr)
      before = destinations(attribute.attribute, *attribute.observed.running->value());
    for (const Subnet& subnet : destinations(attribute.attribute, attribute.desired)) {
      const bool is_new = std::find(before.begin(), before.end(), subnet) == before.end();
      if (is_new && subnet.contains(*client) && subnet.prefix_length() >= *longest)
        return Diversion{subnet, attribute.source};
    }
  }
  return std::nullopt;
}

}  // namespace fabric::plans
