// atelier doctor
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/format.h"
#include "app/cli/output.h"
#include "app/doctor/finding.h"

#include <algorithm>
#include <memory>

namespace app {
namespace {

std::string_view levelName(Finding::Level level)
{
    switch (level) {
    case Finding::Level::Good:
        return "good";
    case Finding::Level::Note:
        return "note";
    case Finding::Level::Problem:
        return "problem";
    }
    return "";
}

Findings examineAll()
{
    Findings all;
    for (Findings (*const examine)() : {examineGpus, examineNccl, examineTorch, examineWorker,
             examineKernels, examinePlaces, examineDatabase, examineDisplay})
        std::ranges::move(examine(), std::back_inserter(all));
    return all;
}

ExitCode doctor(bool isJson)
{
    const Findings findings = examineAll();
    Json list = Json::array();
    Table table({{""}, {"CHECK"}, {"RESULT AND MEANING"}});
    for (const Finding& each : findings) {
        list.push_back({{"what", each.what}, {"level", levelName(each.level)}, {"found", each.found},
            {"meaning", each.meaning}});
        table.addRow({std::string(levelName(each.level)), each.what, each.found});
        table.addRow({"", "", each.meaning});
    }
    if (isJson)
        printJson(list);
    else
        printText(table.text());
    return std::ranges::count(findings, Finding::Level::Problem, &Finding::level) ? kFailed : kSuccess;
}

}  // namespace

void addDoctorCommand(CLI::App& app, Action& action)
{
    const auto isJson = std::make_shared<bool>(false);
    CLI::App* command = app.add_subcommand(
        "doctor", "Check GPUs, libraries, worker, disk, database and display; the exit code is 1 after a problem");
    command->add_flag("--json", *isJson, "Print one JSON document");
    command->callback([isJson, &action] { action = [isJson] { return doctor(*isJson); }; });
}

}  // namespace app
