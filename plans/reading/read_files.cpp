#include "plans/reading/read_files.hpp"

#include "engine/base/text.hpp"
#include "engine/value/digest.hpp"

namespace fabric::plans {

namespace {

// "0644" to its number.
std::uint32_t read_mode(Shape& file) {
  const auto mode = parse_unsigned(file.text("mode"), 8);
  if (!mode || *mode > 07777) file.complain("mode", "expected an octal mode");
  return static_cast<std::uint32_t>(mode.value_or(0));
}

// The hex digits of one.
std::string read_digest(Shape& shape, std::string_view key) {
  constexpr std::string_view kPrefix = "sha256:";
  const std::string digest = shape.text(key);
  if (digest.starts_with(kPrefix)) return digest.substr(kPrefix.size());
  shape.complain(key, "expected a digest");
  return {};
}

}  // namespace

std::vector<remote::step::WriteFile> read_writes(Shape& shape) {
  std::vector<remote::step::WriteFile> writes;
  each(shape, "writes", [&](const Value& item, const std::string& path) {
    Shape write{item, path, shape.complaint()};
    remote::step::WriteFile& file = writes.emplace_back();
    file.path = write.text("path");
    if (!file.path.starts_with('/')) write.complain("path", "expected an absolute path");
    file.mode = read_mode(write);
    file.owner = write.text("owner");
    file.content = write.text("content");
    const std::string digest = write.text("sha256");
    if (digest != sha256(std::string_view{file.content})) {
      write.complain("content", "does not have the digest " + digest);
    }
  });
  return writes;
}

std::vector<remote::step::CopyFile> read_copies(Shape& shape) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40U;
  std::vector<remote::step::CopyFile> copies;
  if (shape.optional("copies") == nullptr) return copies;
  each(shape, "copies", [&](const Value& item, const std::string& path) {
    Shape copy{item, path, shape.complaint()};
    remote::step::CopyFile& file = copies.emplace_back();
    file.source = copy.text("source");
    if (file.source.empty()) copy.complain("source", "expected a path");
    file.sha256 = read_digest(copy, "sha256");
    file.bytes = static_cast<std::uint64_t>(copy.number("bytes", kMost));
    file.path = copy.text("path");
    if (!file.path.starts_with('/')) copy.complain("path", "expected an absolute path");
    file.mode = read_mode(copy);
    file.owner = copy.text("owner");
  });
  return copies;
}

std::vector<FileCondition> read_file_conditions(Shape& shape) {
  std::vector<FileCondition> conditions;
  if (shape.optional("file_preconditions") == nullptr) return conditions;
  each(shape, "file_preconditions", [&](const Value& item, const std::string& path) {
    Shape condition{item, path, shape.complaint()};
    FileCondition& file = conditions.emplace_back();
    file.path = condition.text("path");
    if (!file.path.starts_with('/')) condition.complain("path", "expected an absolute path");
    if (!condition.text("digest").empty()) file.digest = read_digest(condition, "digest");
  });
  return conditions;
}

}  // namespace fabric::plans
