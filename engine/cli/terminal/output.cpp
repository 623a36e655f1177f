// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/terminal/output.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include <sys/ioctl.h>
#include <unistd.h>

#include "engine/base/text.hpp"

namespace fabric::cli {

namespace {

// Narrower terminals get lines of this width all the same: less can't be read.
constexpr std::size_t kNarrowest = 40;
constexpr std::size_t kUsual = 80;
constexpr std::size_t kWidest = 160;

std::FILE* file_of(Stream stream) {
  return stream == Stream::standard_output ? stdout : stderr;
}

std::size_t width_of(Stream stream) {
  winsize size{};
  std::size_t width = kUsual;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): read before any thread starts.
  const char* written = std::getenv("COLUMNS");
  if (ioctl(fileno(file_of(stream)), TIOCGWINSZ, &size) == 0 && size.ws_col != 0) {
    width = size.ws_col;
  } else if (written != nullptr) {
    width = static_cast<std::size_t>(parse_unsigned(written, 10).value_or(kUsual));
  }
  return std::clamp(width, kNarrowest, kWidest);
}

bool colour_wanted(const GlobalOptions& options) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): read before any thread starts.
  const char* refused = std::getenv("NO_COLOR");
  return !options.no_color && (refused == nullptr || *refused == '\0');
}

}  // namespace

void write(Stream stream, const report::Text& text) {
  // A failure stays noted in the stream: flush_output() reports it at the end.
  static_cast<void>(std::fwrite(text.str().data(), 1, text.str().size(), file_of(stream)));
  static_cast<void>(std::fflush(file_of(stream)));
}

bool flush_output() {
  return std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
}

bool is_terminal(Stream stream) {
  return isatty(fileno(file_of(stream))) == 1;
}

report::Style style_for(Stream stream, const GlobalOptions& options) {
  return {is_terminal(stream) && colour_wanted(options), width_of(stream), options.verbose};
}

std::optional<std::string> ask(const report::Text& question) {
  if (isatty(STDIN_FILENO) != 1) return std::nullopt;
  write(Stream::standard_error, question);
  std::string answer;
  if (!std::getline(std::cin, answer)) return std::nullopt;
  return answer;
}

}  // namespace fabric::cli
