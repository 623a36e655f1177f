// SPDX-License-Identifier: Apache-2.0
#include "engine/files/tar.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace fabric::files {

namespace {

constexpr std::size_t kBlock = 512;
constexpr std::size_t kNameBytes = 100;
// The offsets of the fields in a header.
constexpr std::size_t kMode = 100, kOwner = 108, kGroup = 116, kSize = 124, kTime = 136, kSum = 148,
                      kType = 156, kMagic = 257;

void put(std::string& header, std::size_t at, std::string_view text) {
  std::copy(text.begin(), text.end(), header.begin() + static_cast<std::ptrdiff_t>(at));
}

std::string octal(std::uint64_t number, int digits) {
  return fmt::format("{:0{}o}", number, digits);
}

void append_entry(
    std::string& archive,
    std::string_view path,
    std::string_view text,
    std::uint64_t modified,
    char type) {
  std::string header(kBlock, '\0');
  put(header, 0, path.substr(0, kNameBytes));
  put(header, kMode, "0000600");
  put(header, kOwner, "0000000");
  put(header, kGroup, "0000000");
  put(header, kSize, octal(text.size(), 11));
  put(header, kTime, octal(modified, 11));
  put(header, kSum, "        ");  // counts as blanks
  header[kType] = type;
  put(header, kMagic, std::string_view{"ustar\00000", 8});
  const auto sum = std::accumulate(
      header.begin(), header.end(), std::uint64_t{0}, [](std::uint64_t all, char byte) {
        return all + static_cast<unsigned char>(byte);
      });
  put(header, kSum, octal(sum, 6) + '\0');
  archive += header;
  archive += text;
  archive.append((kBlock - text.size() % kBlock) % kBlock, '\0');
}

// "30 path=a/b\n", whose number is the length of all of it.
std::string pax_record(std::string_view path) {
  const std::string rest = fmt::format(" path={}\n", path);
  std::size_t length = rest.size();
  while (fmt::format("{}", length).size() + rest.size() != length)
    length = fmt::format("{}", length).size() + rest.size();
  return fmt::format("{}{}", length, rest);
}

}  // namespace

std::string tar_archive(const std::vector<ArchivedFile>& files, std::uint64_t modified) {
  std::string archive;
  for (const ArchivedFile& file : files) {
    if (file.path.size() > kNameBytes)
      append_entry(archive, "PaxHeader", pax_record(file.path), modified, 'x');
    append_entry(archive, file.path, file.text, modified, '0');
  }
  archive.append(2 * kBlock, '\0');
  return archive;
}

}  // namespace fabric::files
