// SPDX-License-Identifier: Apache-2.0
// How fast ibnetdiscover's text is read: CPU seconds of the fastest of a few runs, on one line with
// the number of bytes. usage: read_subnet DUMP
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>

#include "providers/infiniband/parsers/ibnetdiscover.hpp"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ifstream file{argv[1]};
  const std::string text{std::istreambuf_iterator<char>{file}, {}};
  double best = 1e9;
  constexpr int kRuns = 5;
  for (int run = 0; run < kRuns; ++run) {
    const std::clock_t begin = std::clock();
    const auto topology = fabric::providers::parse_ibnetdiscover(text);
    const std::clock_t end = std::clock();
    if (!topology) {
      std::fprintf(stderr, "%s\n", topology.error().message.c_str());
      return 1;
    }
    best = std::min(best, static_cast<double>(end - begin) / CLOCKS_PER_SEC);
  }
  std::printf("%zu %.6f\n", text.size(), best);
  return 0;
}
