// SPDX-License-Identifier: Apache-2.0
// The first line names a format of `fabric import --from`, the rest is the file: any bytes are
// either refused with a line or become a description whose document loads, with no more in it than
// the description has.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/check.hpp"
#include "engine/description/foreign/formats.hpp"
#include "engine/description/merge.hpp"
#include "engine/description/subnet.hpp"
#include "engine/description/writing/write.hpp"
#include "engine/model/document/load.hpp"
#include "providers/infiniband/parsers/iblinkinfo.hpp"
#include "providers/infiniband/parsers/ibnetdiscover.hpp"

namespace fabric::description {
namespace {

// The shape is right whatever the source says; rules may still find a fabric that nobody could
// build, as the file declared it.
void check_document(const Description& description) {
  const std::string text = write_document(description, "fuzz", {"fuzz"});
  SourceMap sources;
  const FileId file = sources.add("fuzz.yaml", text);
  const LoadedDocument loaded = load_document(sources, {file});
  for (const Diagnostic& each : loaded.diagnostics.items()) {
    for (const char* rule :
         {"yaml-syntax",
          "duplicate-key",
          "unknown-key",
          "wrong-type",
          "missing-key",
          "ambiguous-scalar",
          "bad-node-set",
          "node-unknown",
          "port-unknown"})
      FABRIC_CHECK(each.rule != rule, "what is written has the shape of a document");
  }
  FABRIC_CHECK(
      loaded.spec.nodes.size() == description.nodes.size(), "no node is lost and none is made up");
  std::size_t cables = 0;
  for (const auto& [name, network] : description.networks)
    cables += network.cables.size();
  for (const auto& [name, network] : loaded.spec.networks)
    cables -= network.cables.size();
  FABRIC_CHECK(cables == 0, "no cable is lost and none is made up");
}

void check(const Result<Description>& found) {
  if (found) {
    check_document(*found);
    check_document(merge({{"a", *found}, {"b", *found}}));
    return;
  }
  FABRIC_CHECK(found.error().code == ErrorCode::invalid, "a refusal is of the input");
  FABRIC_CHECK(found.error().message.starts_with("line "), "a refusal has its line");
}

void read_file(std::string_view input) {
  const std::size_t end = input.find('\n');
  if (end == std::string_view::npos) return;
  const std::string_view kind = input.substr(0, end);
  const std::string_view text = input.substr(end + 1);
  for (const ForeignFormat& format : foreign_formats()) {
    const bool recognised = format.recognises(text);
    if (format.name == kind || (kind.empty() && recognised)) check(format.parse(text));
  }
  if (kind == "ibnetdiscover" || kind == "iblinkinfo") {
    const Result<ObservedTopology> subnet = kind == "iblinkinfo"
                                                ? providers::parse_iblinkinfo(text)
                                                : providers::parse_ibnetdiscover(text);
    if (subnet) check(describe(*subnet));
  }
}

}  // namespace
}  // namespace fabric::description

// NOLINTNEXTLINE(readability-identifier-naming): the name is libFuzzer's
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text{data, data + size};
  fabric::description::read_file(text);
  return 0;
}
