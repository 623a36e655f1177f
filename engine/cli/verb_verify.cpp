#include <CLI/CLI.hpp>

#include "engine/cli/connect.hpp"
#include "engine/cli/reality.hpp"
#include "engine/cli/verb.hpp"
#include "engine/cli/verifying.hpp"

namespace fabric::cli {

namespace {

class VerifyVerb final : public Verb {
 public:
  void declare(CLI::App& app) override {
    app.add_option("PATH", path_, "document: a file or a directory")->default_val(".");
    app.add_option("--level", level_, "link: cables by carrier and LLDP; path: pings as well")
        ->check(CLI::IsMember({"link", "path"}))
        ->default_val("path")
        ->type_name("LEVEL");
  }

  Result<ExitCode> run(Context& context) override {
    const VerifyLevel level = level_ == "link" ? VerifyLevel::link : VerifyLevel::path;
    const bool offline = !context.options().facts.empty();
    if (offline && level == VerifyLevel::path) {
      return Error{ErrorCode::invalid, "saved facts can't be pinged: --facts needs --level link"};
    }
    const std::vector<std::string> files = FABRIC_TRY(document_files(path_));
    const Wanted wanted = FABRIC_TRY(read_wanted(context, files, ""));
    const FabricSpec& spec = wanted.document->spec();
    Random random = fresh_random(context.clock());
    std::unique_ptr<remote::StepRunner> runner;
    if (!offline) runner = FABRIC_TRY(connect(context, spec));
    std::vector<NodeFacts> facts = FABRIC_TRY(read_facts(context, wanted, runner.get(), random));
    Diagnostics diagnostics;  // of the resources; here only the wire is judged
    const discovery::Snapshot snapshot =
        discovery::observe(wanted.resources, std::move(facts), wanted.registry, diagnostics);
    const verify::Report report = offline ? verify::judge(spec, snapshot, {})
                                          : verify_now(context, spec, snapshot, *runner, level);
    show(context, report, wanted.document->sources);
    return exit_code_of(report);
  }

 private:
  std::string path_, level_;
};

}  // namespace

std::unique_ptr<Verb> make_verify() {
  return std::make_unique<VerifyVerb>();
}

}  // namespace fabric::cli
