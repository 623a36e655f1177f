#include "providers/linux/firmware/card_firmware.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/parsers/card_tools.hpp"

namespace fabric::providers {

namespace {

constexpr std::string_view kQueryProbe = "flint";
constexpr std::string_view kFilesProbe = "firmware-files";
constexpr std::string_view kRefused = "== status connectx-3";

// The lines of one card, and what the tool ended with.
struct Query {
  std::string text;
  std::string status;  // "" = there is no query of this card
  bool refused = false;
};

Query query_of(std::string_view output, const std::string& card) {
  Query query;
  bool inside = false;
  for (const std::string_view line : split_lines(output)) {
    if (line.starts_with("== card ")) {
      inside = line.substr(8) == card;
    } else if (inside && line == kRefused) {
      query.refused = true;
      return query;
    } else if (inside && line.starts_with("== status ")) {
      query.status = std::string{line.substr(10)};
      return query;
    } else if (inside) {
      query.text += std::string{line} + "\n";
    }
  }
  return query;
}

void read_query(CardFirmware& firmware, std::string_view output, const std::string& card) {
  for (const std::string_view line : split_lines(output)) {
    if (line.starts_with("== tool ")) firmware.tool = std::string{line.substr(8)};
  }
  if (firmware.tool.empty()) {
    firmware.why = "the node has neither flint nor mstflint";
    return;
  }
  const Query query = query_of(output, card);
  if (query.refused) {
    firmware.why = fmt::format(
        "the {} of this node does not know ConnectX-3; mstflint before 4.26 does", firmware.tool);
    return;
  }
  if (query.status.empty()) {
    firmware.why = fmt::format("{} did not query {}", firmware.tool, card);
    return;
  }
  const Result<Value> parsed = parse_mstflint_query(query.text);
  // What is printed before a failure is no evidence: a query that crashed may have told a part.
  if (!parsed || query.status != "0") {
    firmware.why = fmt::format(
        "{} of {} (exit {}): {}",
        firmware.tool,
        card,
        query.status,
        parsed ? std::string{"the query failed"} : parsed.error().message);
    return;
  }
  firmware.flash = parsed->string_or_empty("fw_version");
  firmware.psid = parsed->string_or_empty("psid");
  const std::string running = parsed->string_or_empty("fw_version_running");
  firmware.running = running.empty() ? firmware.flash : running;
}

void read_files(CardFirmware& firmware, std::string_view output, const std::string& card) {
  for (const std::string_view line : split_lines(output)) {
    const std::vector<std::string_view> words = split_words(line);
    if (words.size() == 3 && words[0] == "upload") {
      firmware.uploads.emplace(words[2], words[1]);
    } else if (words.size() == 2 && words[0] == "backup") {
      firmware.backups.emplace(words[1]);
    } else if (words.size() == 2 && words[0] == "burning" && words[1] == card) {
      firmware.burning = true;
    }
  }
}

// What may stand in the name of a file.
std::string plain(std::string_view text) {
  std::string name{text};
  std::replace_if(
      name.begin(),
      name.end(),
      [](char c) {
        const bool harmless = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                              (c >= '0' && c <= '9') || c == '.' || c == '-' || c == ':';
        return !harmless;
      },
      '_');
  return name;
}

}  // namespace

std::vector<Probe> firmware_probes() {
  // The boot is compared by the shell: cmp -s of diffutils goes by sizes, and files of /proc have
  // none. The queries are of function 0 of each card. mstflint from 4.26 on ends with a
  // segmentation fault on a ConnectX-3, which would stand in the kernel's log at every look.
  return {
      {std::string{kQueryProbe},
       R"sh(tool=
for t in flint mstflint /opt/mellanox/bin/flint; do
  if command -v "$t" >/dev/null 2>&1; then tool=$t; break; fi
done
[ -n "$tool" ] || exit 0
echo "== tool $tool"
old=
case $("$tool" -v 2>&1) in
  *" 4."[0-9].*|*" 4.1"[0-9].*|*" 4.2"[0-5].*) old=yes ;;
esac
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
  driver=
  [ -e "$d/driver" ] && driver=$(readlink "$d/driver")
  if [ "${driver##*/}" = mlx4_core ] && [ -z "$old" ]; then
    echo "== status connectx-3"
    continue
  fi
  $limit "$tool" -d "${d##*/}" q 2>&1
  printf '\n== status %s\n' "$?"
done
exit 0
)sh"},
      {std::string{kFilesProbe},
       R"sh(cd /var/lib/fabric/firmware 2>/dev/null || exit 0
for f in upload-*; do
  [ -f "$f" ] || continue
  digest=$(sha256sum <"$f") && echo "upload ${digest%% *} $PWD/$f"
done
now=
[ ! -r /proc/sys/kernel/random/boot_id ] || read -r now </proc/sys/kernel/random/boot_id
for f in backup-*.bin; do
  [ -s "$f" ] && [ -s "$f.settings" ] && [ -s "$f.boot" ] || continue
  read -r made <"$f.boot"
  if [ -n "$now" ] && [ "$made" = "$now" ]; then echo "backup $PWD/$f"; fi
done
for f in *.burning; do
  [ -f "$f" ] || continue
  read -r pid <"$f"
  [ -r "/proc/$pid/cmdline" ] || continue
  if tr '\0' ' ' <"/proc/$pid/cmdline" | grep -q fabric-burn; then
    echo "burning ${f%.burning}"
  fi
done
exit 0
)sh"}};
}

CardFirmware firmware_of(const NodeFacts& facts, const Card& card) {
  CardFirmware firmware;
  const std::string address = card.address.str();
  if (const std::string* output = facts.output(kQueryProbe)) {
    read_query(firmware, *output, address);
  } else {
    firmware.why = "the firmware of the cards could not be read";
  }
  if (firmware.running.empty()) firmware.running = card.firmware;
  if (firmware.psid.empty()) firmware.psid = card.psid;
  if (const std::string* output = facts.output(kFilesProbe)) read_files(firmware, *output, address);
  return firmware;
}

std::string upload_path(const PciAddress& card, std::string_view sha256) {
  constexpr std::size_t kEnough = 16;
  return fmt::format("{}/upload-{}-{}", kFirmwareFolder, card.str(), sha256.substr(0, kEnough));
}

std::string backup_path(const Card& card, const CardFirmware& firmware) {
  return fmt::format(
      "{}/backup-{}-{}-{}.bin",
      kFirmwareFolder,
      plain(card.serial.empty() ? card.address.str() : card.serial),
      plain(firmware.psid),
      plain(firmware.flash));
}

}  // namespace fabric::providers
