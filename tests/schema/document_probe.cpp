// SPDX-License-Identifier: Apache-2.0
// What the reader and the validator say, for the Python tests of this folder.
//
//   document_probe judge FILE           one document per line; prints "valid" or the slugs found
//   document_probe render FORMAT FILE...   prints the findings of each document as FORMAT (text,
//   json,
//                                          sarif, junit, github), a zero byte after each
#include <cstdio>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/text.hpp"
#include "engine/report/diagnostics/ci.hpp"
#include "engine/report/diagnostics/text.hpp"
#include "engine/schema/catalog.hpp"
#include "engine/schema/schema.hpp"
#include "engine/schema/validate.hpp"
#include "engine/yaml/parse.hpp"

namespace fabric {
namespace {

Diagnostics check(const SourceMap& sources, FileId file) {
  static const schema::Schema kSchema = *schema::Schema::load(schema::find_schema("fabric"));
  Diagnostics diagnostics;
  const yaml::Node root = yaml::parse(sources, file, diagnostics);
  schema::validate(root, kSchema, diagnostics);
  diagnostics.sort();
  return diagnostics;
}

std::string verdict(std::string_view line) {
  SourceMap sources;
  const FileId file = sources.add("document", std::string{line});
  std::set<std::string> slugs;
  const Diagnostics found = check(sources, file);
  for (const Diagnostic& item : found.items())
    slugs.insert(item.rule);
  if (slugs.empty()) return "valid";
  return join(std::vector<std::string>{slugs.begin(), slugs.end()}, " ");
}

std::string render(std::string_view format, const std::string& path, std::string text) {
  SourceMap sources;
  const Diagnostics found = check(sources, sources.add(path, std::move(text)));
  if (format == "json") return report::diagnostics_json(found, sources);
  if (format == "sarif") return report::diagnostics_sarif(found, sources, {"0.0.0", ""});
  if (format == "junit") return report::diagnostics_junit(found, sources, "fabric validate");
  if (format == "github") return report::diagnostics_github(found, sources, "").str();
  return report::diagnostics_text(found, sources, report::Style{}).str() +
         report::diagnostics_summary(found) + "\n";
}

std::string read(const std::string& path) {
  std::ifstream stream{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{stream}, {}};
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.size() == 2 && arguments[0] == "judge") {
    const std::string documents = read(arguments[1]);
    for (const std::string_view line : split_lines(documents)) {
      std::printf("%s\n", verdict(line).c_str());
    }
    return 0;
  }
  if (arguments.size() >= 3 && arguments[0] == "render") {
    for (std::size_t i = 2; i < arguments.size(); ++i) {
      std::fputs(render(arguments[1], arguments[i], read(arguments[i])).c_str(), stdout);
      std::fputc(0, stdout);
    }
    return 0;
  }
  std::fputs("usage: document_probe judge FILE | render FORMAT FILE...\n", stderr);
  return 3;
}

}  // namespace
}  // namespace fabric

int main(int count, char** arguments) {
  return fabric::run({arguments + 1, arguments + count});
}
