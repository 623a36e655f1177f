#include <CLI/CLI.hpp>

#include "engine/cli/connect.hpp"
#include "engine/cli/reality.hpp"
#include "engine/cli/verb.hpp"
#include "engine/cli/verifying.hpp"
#include "engine/provider/peers.hpp"
#include "engine/report/flow_table.hpp"

namespace fabric::cli {

namespace {

class VerifyVerb final : public Verb {
 public:
  void declare(CLI::App& app) override {
    app.add_option("PATH", path_, "document: a file or a directory")->default_val(".");
    app.add_option(
           "--level",
           level_,
           "link: cables by carrier and LLDP; path: pings as well; rdma: RDMA between the ends; "
           "perf: bandwidth by RDMA and TCP; failover: path, and every port of every bond is "
           "closed "
           "for some seconds, one after the other")
        ->check(CLI::IsMember({"link", "path", "rdma", "perf", "failover"}))
        ->default_val("path")
        ->type_name("LEVEL");
    app.add_option("--seconds", seconds_, "how long perf measures each flow")
        ->check(CLI::Range(1, 3600))
        ->default_val(5)
        ->type_name("N");
    app.add_option("--csv", csv_, "write what rdma and perf measured, one row a flow")
        ->type_name("FILE");
  }

  Result<ExitCode> run(Context& context) override {
    const VerifyWish wish{level(), Duration{seconds_ * 1000}, level_ == "failover"};
    const bool offline = !context.options().facts.empty();
    if (offline && wish.level != VerifyLevel::link) {
      return Error{ErrorCode::invalid, "saved facts can't be pinged: --facts needs --level link"};
    }
    if (!csv_.empty() && wish.level < VerifyLevel::rdma) {
      return Error{ErrorCode::invalid, "--csv needs --level rdma or perf: nothing else measures"};
    }
    const std::vector<std::string> files = FABRIC_TRY(document_files(path_));
    const Wanted wanted = FABRIC_TRY(read_wanted(context, files, ""));
    const FabricSpec& spec = wanted.document->spec();
    Random random = fresh_random(context.clock());
    std::unique_ptr<remote::StepRunner> runner;
    if (!offline) runner = FABRIC_TRY(connect(context, spec));
    std::vector<NodeFacts> facts = FABRIC_TRY(read_facts(context, wanted, runner.get(), random));
    Diagnostics of_resources;
    const std::vector<Resource> resources =
        with_port_guids(wanted.resources, facts, wanted.registry);
    const discovery::Snapshot snapshot =
        discovery::observe(resources, std::move(facts), wanted.registry, of_resources);
    const verify::Report report =
        offline ? verify::judge(spec, snapshot, {}, of_resources)
                : verify_now(context, {spec, snapshot, of_resources}, *runner, wish, random);
    show(context, report, wanted.document->sources);
    if (!csv_.empty()) FABRIC_TRY(write_text_file(csv_, report::flow_csv(report.flows)));
    return exit_code_of(report);
  }

 private:
  VerifyLevel level() const {
    if (level_ == "link") return VerifyLevel::link;
    if (level_ == "rdma") return VerifyLevel::rdma;
    return level_ == "perf" ? VerifyLevel::perf : VerifyLevel::path;
  }

  std::string path_, level_, csv_;
  std::int64_t seconds_ = 5;
};

}  // namespace

std::unique_ptr<Verb> make_verify() {
  return std::make_unique<VerifyVerb>();
}

}  // namespace fabric::cli
