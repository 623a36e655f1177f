// SPDX-License-Identifier: Apache-2.0
// usage: corpus_replay NAME PATH...: without libFuzzer, gives each file of a corpus to its target
// once.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "tests/fuzz/fuzzers.hpp"

// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier): names of the linker,
// which puts the first before the second in programs of one target (budget.cpp)
extern "C" int __wrap_LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int __real_LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

const Fuzzer* chosen = nullptr;

std::vector<std::uint8_t> read(const fs::path& path) {
  std::ifstream stream{path, std::ios::binary};
  const std::vector<char> bytes{std::istreambuf_iterator<char>{stream}, {}};
  return {bytes.begin(), bytes.end()};
}

std::set<fs::path> files_below(const fs::path& path) {
  if (!fs::is_directory(path)) return {path};
  std::set<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator{path}) {
    if (entry.is_regular_file()) files.insert(entry.path());
  }
  return files;
}

}  // namespace

extern "C" int __real_LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return chosen->run(data, size);
}

int main(int count, char** arguments) {
  for (const Fuzzer& each : fuzzers()) {
    if (count > 1 && each.name == arguments[1]) chosen = &each;
  }
  if (chosen == nullptr) {
    std::fprintf(stderr, "usage: corpus_replay NAME PATH...; NAME as in fuzz_NAME.cpp\n");
    return 1;
  }
  std::size_t replayed = 0;
  for (int i = 2; i < count; ++i) {
    if (!fs::exists(arguments[i])) {
      std::fprintf(stderr, "%s: no such file or directory\n", arguments[i]);
      return 1;
    }
    for (const fs::path& file : files_below(arguments[i])) {
      // Before the call, so that a crash is below the name of the file that caused it.
      std::fprintf(stderr, "%s\n", file.c_str());
      const std::vector<std::uint8_t> bytes = read(file);
      __wrap_LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
      ++replayed;
    }
  }
  std::printf("%zu inputs replayed\n", replayed);
  return replayed == 0 ? 1 : 0;  // an empty corpus is a mistake
}
// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)
