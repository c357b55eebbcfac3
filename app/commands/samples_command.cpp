// atelier samples; diff has a file of its own
#include "app/cli/catalogue.h"
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/find_run.h"
#include "app/cli/format.h"
#include "app/cli/output.h"
#include "app/commands/sample_json.h"

#include <algorithm>
#include <memory>
#include <optional>

namespace app {
namespace {

struct SamplesRequest {
    std::string run;
    std::optional<std::int64_t> step;
    std::string prompt;
    std::optional<std::size_t> limit;
    bool isJson = false;
};

ExitCode samples(const SamplesRequest& request)
{
    if (request.run.empty())
        throw Failure("samples: name a run, as in `atelier samples latest`", kWrongUsage);
    const launcher::DataHome home = existingHome();
    const contract::RunFolder folder = findRun(home, request.run);
    std::vector<storage::SampleRow> rows = openCatalogue(home).samples(folder.id());
    std::erase_if(rows, [&](const storage::SampleRow& row) {
        return (request.step && row.step != *request.step) || row.prompt.find(request.prompt) == std::string::npos;
    });
    const std::size_t omitted = rows.size() - std::min(rows.size(), request.limit.value_or(rows.size()));
    rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(omitted));
    Json list = Json::array();
    using enum Table::Align;
    Table table({{"STEP", Right}, {"PROMPT"}, {"SEED", Right}, {"GUIDANCE", Right}, {"FILE"}});
    for (const storage::SampleRow& row : rows) {
        list.push_back(sampleJson(row));
        table.addRow({formatCount(row.step), row.prompt, std::to_string(row.seed), formatNumber(row.guidance), (folder.root() / row.file).string()});
    }
    if (request.isJson)
        printJson({{"run", folder.id()}, {"folder", folder.root().string()}, {"omitted", omitted}, {"samples", list}});
    else
        printText(table.isEmpty() ? "Run " + folder.id() + " has no such samples.\n" : table.text());
    return kSuccess;
}

}  // namespace

void addSamplesCommand(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<SamplesRequest>();
    CLI::App* command = app.add_subcommand("samples", "List the images that a run has drawn, with prompt, seed and guidance, or compare them");
    command->add_option("RUN", request->run, "Id, start of an id, name, or latest");
    command->add_option("--step", request->step, "Only those of this step");
    command->add_option("--prompt", request->prompt, "Only those whose prompt contains this text")->type_name("TEXT");
    command->add_option("-n,--number", request->limit, "The last of them, at most this number");
    command->add_flag("--json", request->isJson, "Print one JSON document");
    command->callback([request, command, &action] {
        if (command->get_subcommands().empty())
            action = [request] { return samples(*request); };
    });
    addSamplesDiffCommand(*command, action);
}

}  // namespace app
