// SPDX-License-Identifier: Apache-2.0
#include "engine/report/html/page.hpp"

#include <string_view>

#include <fmt/format.h>

#include "engine/report/html/page_files.hpp"
#include "engine/report/tables/tables.hpp"
#include "engine/value/digest.hpp"
#include "engine/value/json.hpp"

namespace fabric::report {

namespace {

// The parts that are equal on all pages.
struct Surroundings {
  std::string style, script, policy;
};

// In the order of their names, as the build has them.
std::string joined(std::string_view suffix) {
  std::string all;
  for (const schema::EmbeddedFile& file : page_files()) {
    if (file.name.ends_with(suffix)) all += file.text;
  }
  return all;
}

Surroundings surroundings() {
  Surroundings around{joined(".css"), joined(".js"), {}};
  around.policy = fmt::format(
      "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; base-uri 'none'; "
      "form-action 'none'",
      sha256_base64(around.script),
      sha256_base64(around.style));
  return around;
}

}  // namespace

std::string script_data(const Value& data) {
  std::string safe;
  for (const char c : to_json(data)) {
    // These characters only occur within strings: "</script>", "<!--", "]]>".
    if (c == '<' || c == '>' || c == '&') {
      safe += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string html_page(const Value& data) {
  static const Surroundings around = surroundings();
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<title>{}</title>\n<style>{}</style></head>\n"
      "<body><noscript>This page is drawn by its script, which is switched off here. `fabric` "
      "prints the same as text.</noscript>\n"
      "<script type=\"application/json\" id=\"data\">{}</script>\n"
      "<script>{}</script></body></html>\n",
      around.policy,
      html_text(data.string_or_empty("title")),
      around.style,
      script_data(data),
      around.script);
}

}  // namespace fabric::report
