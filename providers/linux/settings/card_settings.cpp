#include "providers/linux/settings/card_settings.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric::providers {

namespace {

constexpr std::string_view kQueryProbe = "mlxconfig";
constexpr std::string_view kRecordProbe = "settings-records";
constexpr std::string_view kFolder = "/var/lib/fabric/settings/";
constexpr std::string_view kRecordSuffix = ".record";
constexpr std::string_view kBootIdSuffix = ".boot_id";
constexpr const char* kBootIdFile = "/proc/sys/kernel/random/boot_id";
constexpr std::size_t kUuidLength = 36;

// A file that was torn by a power loss must not look like another boot.
std::string whole_uuid(std::string_view text) {
  return text.size() == kUuidLength ? std::string{text} : std::string{};
}

// The lines between "== card ADDRESS" and "== status N", or nullopt.
struct Query {
  std::string text;
  std::string status;
};

std::optional<Query> query_of(std::string_view output, const std::string& card) {
  Query query;
  bool inside = false;
  for (const std::string_view line : split_lines(output)) {
    if (line.starts_with("== card ")) inside = line.substr(8) == card;
    if (!inside) continue;
    if (line.starts_with("== status ")) {
      query.status = std::string{line.substr(10)};
      return query;
    }
    if (!line.starts_with("== card ")) query.text += std::string{line} + "\n";
  }
  return std::nullopt;
}

void read_query(CardSettings& settings, std::string_view output, const std::string& card) {
  for (const std::string_view line : split_lines(output)) {
    if (line.starts_with("== tool ")) settings.tool = std::string{line.substr(8)};
  }
  if (settings.tool.empty()) {
    settings.why = "the node has neither mlxconfig nor mstconfig";
    return;
  }
  const std::optional<Query> query = query_of(output, card);
  if (!query) {
    settings.why = fmt::format("{} did not query {}", settings.tool, card);
    return;
  }
  settings.unknown_to_tool = trim(query->text).empty();
  Result<SettingsQuery> parsed = parse_mlxconfig_query(query->text);
  if (parsed) {
    settings.table = std::move(parsed->tables.front());
  } else {
    settings.why = fmt::format(
        "{} of {} (exit {}): {}", settings.tool, card, query->status, parsed.error().message);
  }
}

void append_line(std::optional<std::string>& file, std::string_view line) {
  if (!file) file.emplace();
  *file += std::string{line} + "\n";
}

void read_record(CardSettings& settings, std::string_view output, const PciAddress& card) {
  const std::string record = record_path(card) + ":";
  const std::string boot_id = boot_id_path(card) + ":";
  const std::string running = fmt::format("{}:", kBootIdFile);
  for (const std::string_view line : split_lines(output)) {
    if (line.starts_with(running)) settings.boot_id = whole_uuid(trim(line.substr(running.size())));
    if (line.starts_with(boot_id)) {
      append_line(settings.record.boot_id_file, line.substr(boot_id.size()));
      settings.record.boot_id = whole_uuid(trim(line.substr(boot_id.size())));
    }
    if (!line.starts_with(record)) continue;
    const std::string_view content = line.substr(record.size());
    append_line(settings.record.record_file, content);
    const std::size_t equals = content.find('=');
    if (content.starts_with('#') || equals == std::string_view::npos) continue;
    settings.record.values[std::string{trim(content.substr(0, equals))}] =
        std::string{trim(content.substr(equals + 1))};
  }
}

}  // namespace

std::vector<Probe> settings_probes() {
  // One query for each card, on its function 0: the settings belong to the card, not to a port. A
  // query that hangs on a sick card must not take the other probes with it.
  return {
      {std::string{kQueryProbe},
       R"sh(tool=
for t in mlxconfig mstconfig /opt/mellanox/bin/mlxconfig; do
  if command -v "$t" >/dev/null 2>&1; then tool=$t; break; fi
done
[ -n "$tool" ] || exit 0
echo "== tool $tool"
echo "== version $("$tool" -v 2>&1 | head -n 1)"
limit=
if timeout 1 true 2>/dev/null; then limit='timeout 30'; fi
for d in /sys/bus/pci/devices/*.0; do
  [ -r "$d/vendor" ] || continue
  read -r vendor <"$d/vendor"
  [ "$vendor" = 0x15b3 ] || continue
  [ ! -e "$d/physfn" ] || continue
  read -r class <"$d/class"
  case $class in 0x02*|0x0c06*) ;; *) continue ;; esac
  echo "== card ${d##*/}"
  $limit "$tool" -d "${d##*/}" -e q 2>&1
  printf '\n== status %s\n' "$?"
done
exit 0
)sh"},
      {std::string{kRecordProbe},
       R"sh(grep -H . /proc/sys/kernel/random/boot_id /var/lib/fabric/settings/* 2>/dev/null
exit 0
)sh"}};
}

CardSettings settings_of(const NodeFacts& facts, const PciAddress& card) {
  CardSettings settings;
  if (const std::string* output = facts.output(kQueryProbe)) {
    read_query(settings, *output, card.str());
  } else {
    settings.why = "the settings of the cards could not be read";
  }
  if (const std::string* output = facts.output(kRecordProbe)) read_record(settings, *output, card);
  return settings;
}

std::string record_path(const PciAddress& card) {
  return fmt::format("{}{}{}", kFolder, card.str(), kRecordSuffix);
}

std::string boot_id_path(const PciAddress& card) {
  return fmt::format("{}{}{}", kFolder, card.str(), kBootIdSuffix);
}

}  // namespace fabric::providers
