// SPDX-License-Identifier: Apache-2.0
// mstflint and flint: query, ri and burn, with the messages of mstflint's own sources (E-flint).
// An image of the lab is a text of three lines:
//   fabric lab firmware image
//   version 16.35.4030
//   psid MT_0000000008
#include <optional>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/names.hpp"
#include "providers/linux/lab/commands/rdma/mst_device.hpp"
#include "providers/linux/lab/commands/rdma/rdma_families.hpp"

namespace fabric::lab::commands {
namespace {

constexpr int kFailed = 1;
constexpr int kAborted = 7;
constexpr int kSegmentationFault = 139;
constexpr Duration kBurnTakes{8'000};
constexpr Duration kReadTakes{3'000};
constexpr std::string_view kImageMark = "fabric lab firmware image";

struct CommandLine {
  std::optional<std::string> device, image;
  bool yes = false;
  bool other_psid = false;  // -allow_psid_change
  bool version = false;
  std::string verb;
  std::vector<std::string> operands;
};

struct Image {
  std::string version, psid;
};

std::optional<Image> parse_image(std::string_view text) {
  const std::vector<std::string_view> lines = split_lines(text);
  if (lines.empty() || lines.front() != kImageMark) return std::nullopt;
  Image image;
  for (const std::string_view line : lines) {
    if (line.starts_with("version ")) image.version = std::string{line.substr(8)};
    if (line.starts_with("psid ")) image.psid = std::string{line.substr(5)};
  }
  return image;
}

class Flint {
 public:
  explicit Flint(Process& process) : process_{process} {}

  int run() {
    if (const int status = read_line(); status != 0) return status;
    if (line_.version) {
      process_.out(fmt::format(
          "{}, {} {}.0, Git SHA Hash: N/A\n",
          process_.name(),
          process_.name() == "flint" ? "mft" : "mstflint",
          process_.machine().profile.tool_version));
      return 0;
    }
    if (line_.verb.empty()) return fail("No command found.");
    if (line_.verb == "q" || line_.verb == "query") return query();
    if (line_.verb == "ri") return read_image();
    if (line_.verb == "b" || line_.verb == "burn") return burn();
    return fail(fmt::format("Invalid command: {}", line_.verb));
  }

 private:
  int fail(const std::string& message) {
    process_.out("-E- " + message + "\n");
    return kFailed;
  }

  int read_line() {
    const std::vector<std::string>& words = process_.arguments;
    for (std::size_t i = 1; i < words.size(); ++i) {
      const std::string& word = words[i];
      const bool more = i + 1 < words.size();
      if (!line_.verb.empty()) {
        line_.operands.push_back(word);
      } else if ((word == "-d" || word == "--device") && more) {
        line_.device = words[++i];
      } else if ((word == "-i" || word == "--image") && more) {
        line_.image = words[++i];
      } else if (word == "-y" || word == "--yes") {
        line_.yes = true;
      } else if (word == "-allow_psid_change" || word == "--allow_psid_change") {
        line_.other_psid = true;
      } else if (word == "-v" || word == "--version") {
        line_.version = true;
      } else if (word.starts_with('-')) {
        return fail(fmt::format("Invalid switch \"{}\" is specified.", word));
      } else {
        line_.verb = word;
      }
    }
    return 0;
  }

  // 0, or the status to end with; `card_` is set.
  int open_device() {
    LinuxHost& machine = process_.machine();
    const std::optional<MstDevice> device = find_device(machine, *line_.device);
    if (!device || !process_.root()) {
      return fail(fmt::format("Cannot open Device: {}. No such file or directory.", *line_.device));
    }
    card_ = &machine.state.cards[device->card];
    if (!too_old(machine, *card_)) return 0;
    process_.err("Segmentation fault\n");
    return kSegmentationFault;
  }

  // 0, or the status to end with; `image_` is set.
  int open_image() {
    std::string text;
    const FileError error = process_.files().read(process_.path(*line_.image), process_.user, text);
    if (error != FileError::none)
      return fail(fmt::format("Cannot open Image: {}. {}", *line_.image, describe(error)));
    const std::optional<Image> image = parse_image(text);
    if (!image) {
      return fail(fmt::format(
          "Cannot open Image: {}. No valid FS4 image found. Check the flash parameters, if "
          "specified.",
          *line_.image));
    }
    image_ = *image;
    return 0;
  }

  int query() {
    if (line_.device && line_.image) return fail("Please specify either Device or Image.");
    if (!line_.device && !line_.image) {
      return fail(fmt::format("For {} command, Please specify Device or Image.", line_.verb));
    }
    if (line_.image) {
      if (const int status = open_image(); status != 0) return status;
      show("FS4", image_, "", "N/A                     ", "N/A                     ", "");
      return 0;
    }
    if (const int status = open_device(); status != 0) return status;
    std::string mac;
    for (const char c : card_->ports.front().mac) {
      if (c != ':') mac += c;
    }
    const std::string count = std::to_string(card_->ports.size() * 2);
    show(
        card_->mlx4() ? "FS2" : "FS4",
        {card_->flash(), card_->psid},
        card_->burned.empty() ? "" : card_->firmware,
        fmt::format("{:016x}        ", card_->base_guid),
        fmt::format("{}            ", mac),
        count);
    return 0;
  }

  // `running`: "" if it is the version in the flash, and then it has no line.
  void show(
      std::string_view type,
      const Image& image,
      const std::string& running,
      const std::string& guid,
      const std::string& mac,
      const std::string& count) {
    std::string product = "rel-" + image.version;
    for (char& c : product)
      c = c == '.' ? '_' : c;
    process_.out(fmt::format(
        "Image type:            {}\nFW Version:            {}\n{}FW Release Date:       "
        "18.4.2024\n"
        "Product Version:       {}\nRom Info:              type=UEFI version=14.29.15 "
        "cpu=AMD64,AARCH64\n"
        "                       type=PXE version=3.6.902 cpu=AMD64\n"
        "Description:           UID                GuidsNumber\n"
        "Base GUID:             {}{}\nBase MAC:              {}{}\n"
        "Image VSD:             N/A\nDevice VSD:            N/A\nPSID:                  {}\n"
        "Security Attributes:   {}\n",
        type,
        image.version,
        running.empty() ? "" : fmt::format("FW Version(Running):   {}\n", running),
        product,
        guid,
        count.empty() ? "4" : count,
        mac,
        count.empty() ? "4" : count,
        image.psid,
        card_ != nullptr && card_->has_secure_firmware() ? "secure-fw" : "N/A"));
  }

  int read_image() {
    if (line_.image) {
      return fail("Command \"ri\" requires device, but both an image file and a device are given.");
    }
    if (!line_.device) return fail("Please specify Device.");
    if (line_.operands.size() != 1) {
      return fail(fmt::format(
          "Command \"ri\" requires 1 arguments, but {} arguments were given",
          line_.operands.size()));
    }
    if (const int status = open_device(); status != 0) return status;
    if (card_->has_secure_firmware())
      return fail("Read image failed. Read image is not supported when using secure FW");
    process_.session.pass(kReadTakes);
    if (process_.session.stopped()) return kFailed;
    const std::string text =
        fmt::format("{}\nversion {}\npsid {}\n", kImageMark, card_->flash(), card_->psid);
    return process_.write_file(line_.operands.front(), text) ? 0 : kFailed;
  }

  // " Do you want to continue ? (y/n) [n] : "
  bool agreed() {
    process_.out("\n Do you want to continue ? (y/n) [n] : ");
    if (line_.yes) {
      process_.out("y\n");
      return true;
    }
    return process_.input_line().value_or("").starts_with('y');
  }

  int burn() {
    if (!line_.device || !line_.image) {
      return fail(fmt::format(
          "Command \"{}\" requires both image and device to be specified.", line_.verb));
    }
    if (const int status = open_device(); status != 0) return status;
    if (const int status = open_image(); status != 0) return status;
    process_.out(fmt::format(
        "\n    Current FW version on flash:  {}\n    New FW version:               {}\n",
        card_->flash(),
        image_.version));
    const Result<Version> before = Version::parse(card_->flash());
    const Result<Version> after = Version::parse(image_.version);
    if (before && after && *after <= *before) {
      process_.out(fmt::format(
          "\n    Note: The new FW version is {} the current FW version on flash.\n",
          *after == *before ? "the same as" : "older than"));
      if (!agreed()) return aborted();
    }
    if (card_->psid != image_.psid) {
      if (!line_.other_psid) {
        process_.out("\n");
        return fail(fmt::format(
            "PSID mismatch. The PSID on flash ({}) differs from the PSID in the given image ({}).",
            card_->psid,
            image_.psid));
      }
      process_.out(fmt::format(
          "\n    You are about to replace current PSID on flash - \"{}\" with a different PSID - "
          "\"{}\".\n    Note: It is highly recommended not to change the PSID.\n",
          card_->psid,
          image_.psid));
      if (!agreed()) return aborted();
    }
    process_.session.pass(kBurnTakes);
    // A burn that is cut short leaves the image before: the new one counts when it is whole.
    if (process_.session.stopped()) return kFailed;
    card_->burned = image_.version == card_->firmware ? "" : image_.version;
    card_->psid = image_.psid;
    process_.machine().note_change();
    process_.out(fmt::format(
        "\nBurning {} FW image without signatures - OK\nRestoring signature                     - "
        "OK\n-I- To load new FW run {} or reboot machine.\n",
        card_->mlx4() ? "FS2" : "FS4",
        process_.name() == "flint" ? "mlxfwreset" : "mstfwreset"));
    return 0;
  }

  int aborted() {
    process_.out("\n-E- Aborted by user\n");
    return kAborted;
  }

  Process& process_;
  CommandLine line_;
  Card* card_ = nullptr;
  Image image_;
};

}  // namespace

int mstflint(Process& process) {
  return Flint{process}.run();
}

}  // namespace fabric::lab::commands
