// atelier report
#include "app/cli/catalogue.h"
#include "app/cli/checks.h"
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/find_run.h"
#include "app/cli/format.h"
#include "app/cli/output.h"
#include "launcher/state/failure_report.h"

#include <memory>

namespace app {
namespace {

struct ReportRequest {
    std::string run;
    int attempt = 0;
    bool isJson = false;
};

Json traceJson(const launcher::RankTrace& rank)
{
    Json memory = Json::object();
    for (const auto& [name, bytes] : rank.memory)
        memory[name] = jsonNumber(bytes);
    return {{"rank", rank.rank}, {"end", rank.end}, {"end_unix_ms", rank.endUnixMs}, {"ended_by_supervisor", rank.endedBySupervisor},
        {"step", rank.step}, {"last_record_unix_ms", rank.lastRecordUnixMs}, {"activity", rank.activity}, {"memory", memory}};
}

Json reportJson(const launcher::FailureReport& report)
{
    Json document {{"id", report.run}, {"attempt", report.attempt}, {"stalled", report.isStalled}, {"cause", report.cause}, {"first_rank", report.first},
        {"machine_memory_used_bytes", report.machineMemory ? jsonNumber(*report.machineMemory) : Json(nullptr)}, {"log", report.log},
        {"last_lines", report.lastLines}};
    Json& ranks = document["ranks"] = Json::array();
    for (const launcher::RankTrace& rank : report.ranks)
        ranks.push_back(traceJson(rank));
    return document;
}

std::string reportText(const launcher::FailureReport& report)
{
    std::string text;
    const std::string page = launcher::failureText(report);
    for (std::size_t begin = 0; begin < page.size();) {
        const std::size_t end = page.find('\n', begin);
        text += printable(page.substr(begin, end - begin)) + "\n";
        begin = end == std::string::npos ? page.size() : end + 1;
    }
    return text;
}

ExitCode reportFailure(const ReportRequest& request)
{
    const contract::RunFolder folder = findRun(existingHome(), request.run);
    const auto report = launcher::readFailure(folder, request.attempt);
    if (!report)
        throw Failure(request.attempt > 0 ? "attempt " + std::to_string(request.attempt) + " of run " + folder.id() + " has not failed"
                                          : "run " + folder.id() + " has not failed or stalled");
    if (request.isJson)
        printJson(reportJson(*report));
    else
        printText(reportText(*report));
    return kSuccess;
}

}  // namespace

void addReportCommand(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<ReportRequest>();
    CLI::App* command = app.add_subcommand("report", "Show on one page what went wrong in a run that failed, or what the ranks of a stalled run do");
    command->footer("The page says which rank went first and how, its memory and its last log lines, and what the other ranks did meanwhile. Of a run "
                    "that has stalled, it says which rank is furthest behind, and what each process does.");
    command->add_option("RUN", request->run, "Id, start of an id, name, or latest")->required();
    command->add_option("--attempt", request->attempt, "This attempt instead of the last one that failed")->check(wholeNumberFrom(1));
    command->add_flag("--json", request->isJson, "Print one JSON document");
    command->callback([request, &action] { action = [request] { return reportFailure(*request); }; });
}

}  // namespace app
