// atelier gpus
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/format.h"
#include "app/cli/output.h"
#include "launcher/machine/gpus.h"
#include "launcher/remote/plan_answer.h"

#include <memory>
#include <string>

namespace app {
namespace {

std::string loadText(const launcher::GpuLoad& load)
{
    std::string text = load.load ? formatPercent(*load.load) : "not known";
    if (load.celsius)
        text += ", " + formatNumber(*load.celsius) + " °C";
    return load.isThrottled.value_or(false) ? text + ", slowed down" : text;
}

std::string usersText(const launcher::Gpu& gpu)
{
    std::string text;
    for (const launcher::GpuProcess& process : gpu.processes)
        text += (text.empty() ? "" : "; ") + process.words();
    return text;
}

ExitCode listGpus(bool isJson)
{
    const launcher::GpuList list = launcher::readGpus();
    if (isJson) {
        printJson({{"gpus", launcher::gpusJson(list)}});
        return kSuccess;
    }
    if (!list.problem.empty() && !list.gpus.empty())
        printWarning(list.problem);
    using enum Table::Align;
    Table table({{"GPU", Right}, {"NAME"}, {"MEMORY USED"}, {"LOAD"}, {"USED BY"}});
    for (const launcher::Gpu& gpu : list.gpus)
        table.addRow({std::to_string(gpu.index), gpu.name, formatBytes(gpu.usedBytes()) + " of " + formatBytes(gpu.totalBytes), loadText(gpu.now), usersText(gpu)});
    printText(table.isEmpty() ? "No GPU: " + printable(list.problem) + ".\n" : table.text());
    return kSuccess;
}

}  // namespace

void addGpusCommand(CLI::App& app, Action& action)
{
    const auto isJson = std::make_shared<bool>(false);
    CLI::App* command = app.add_subcommand("gpus", "Show the GPUs of this machine: memory, load, temperature, and whose processes are on them");
    command->add_flag("--json", *isJson, "Print one JSON document");
    command->callback([isJson, &action] { action = [isJson] { return listGpus(*isJson); }; });
}

}  // namespace app
