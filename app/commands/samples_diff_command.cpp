// atelier samples diff
#include "app/cli/catalogue.h"
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/find_run.h"
#include "app/cli/format.h"
#include "app/cli/output.h"
#include "app/cli/target_folder.h"
#include "ui/gallery/image_difference.h"
#include "ui/gallery/image_loader.h"
#include "ui/gallery/sample_grid.h"

#include <QSaveFile>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace app {
namespace {

struct SamplesDiffRequest {
    std::string run;
    std::string other;  ///< the run of the second samples; empty: the same
    std::optional<std::int64_t> from, to;
    std::string prompt;
    std::string output;
    bool isOverwriting = false;
    int gain = 1;
    bool isJson = false;
};

/// A sample, the one that it is compared with, and how they differ or why that cannot be said.
struct SamplePair {
    const storage::SampleRow* first = nullptr;
    const storage::SampleRow* second = nullptr;
    std::optional<ui::ImageDifference> difference = {};
    std::string problem = {};
};

/// @throws Failure when the run has no samples, or none at @p step
std::int64_t stepOf(const contract::RunFolder& run, const ui::SampleGrid& grid, std::optional<std::int64_t> step, bool isOldest)
{
    if (grid.isEmpty())
        throw Failure("run " + run.id() + " has no samples yet");
    if (!step)
        return grid.step(isOldest ? 0 : grid.rows() - 1);
    if (grid.step(*grid.rowOf(*step)) != *step)
        throw Failure("run " + run.id() + " has no samples of step " + std::to_string(*step));
    return *step;
}

void compare(SamplePair& pair, const contract::RunFolder& firstRun, const contract::RunFolder& secondRun, int gain)
{
    const auto load = [&pair](const contract::RunFolder& run, const storage::SampleRow& sample) {
        const ui::LoadedImage image = ui::loadImage(QString::fromStdString((run.root() / sample.file).string()));
        if (pair.problem.empty())
            pair.problem = image.error.toStdString();
        return image.pixels;
    };
    const QImage first = load(firstRun, *pair.first), second = load(secondRun, *pair.second);
    pair.difference = ui::differenceOf(first, second, gain);
    if (!pair.difference && pair.problem.empty())
        pair.problem = "the images have " + std::to_string(first.width()) + " × " + std::to_string(first.height()) + " and " + std::to_string(second.width()) + " × "
            + std::to_string(second.height()) + " pixels";
}

std::string pictureOf(const std::string& folder, const SamplePair& pair)
{
    return (std::filesystem::path(folder) / std::filesystem::path(pair.first->file).filename()).replace_extension(".png").string();
}

void writePictures(const std::string& folder, const std::vector<SamplePair>& pairs)
{
    std::error_code error;
    if (std::filesystem::create_directories(folder, error); error)
        throw Failure(folder + " cannot be created: " + error.message());
    for (const SamplePair& pair : pairs) {
        QSaveFile file(QString::fromStdString(pictureOf(folder, pair)));
        if (pair.difference && !(file.open(QIODevice::WriteOnly) && pair.difference->pixels.save(&file, "PNG") && file.commit()))
            throw Failure(file.fileName().toStdString() + " cannot be written: " + file.errorString().toStdString());
    }
}

Json pairJson(const SamplesDiffRequest& request, const SamplePair& pair)
{
    Json json {{"prompt", pair.first->prompt}, {"first_step", pair.first->step}, {"first_file", pair.first->file}, {"second_step", pair.second->step},
        {"second_file", pair.second->file}, {"problem", pair.problem}};
    const auto number = [&pair](double value) { return pair.difference ? jsonNumber(value) : Json(nullptr); };
    const ui::ImageDifference difference = pair.difference.value_or(ui::ImageDifference());
    json["mean"] = number(difference.mean);
    json["largest"] = pair.difference ? Json(difference.largest) : Json(nullptr);
    json["changed"] = number(difference.changed);
    json["picture"] = pair.difference && !request.output.empty() ? Json(pictureOf(request.output, pair)) : Json(nullptr);
    return json;
}

std::string tableText(const std::vector<SamplePair>& pairs)
{
    using enum Table::Align;
    Table table({{"PROMPT"}, {"STEP", Right}, {"AND", Right}, {"MEAN", Right}, {"LARGEST", Right}, {"CHANGED", Right}, {""}});
    for (const SamplePair& pair : pairs) {
        std::vector<std::string> cells {printable(pair.first->prompt), formatCount(pair.first->step), formatCount(pair.second->step), "", "", "", printable(pair.problem)};
        if (pair.difference) {
            cells[3] = formatNumber(pair.difference->mean);
            cells[4] = std::to_string(pair.difference->largest);
            cells[5] = formatPercent(pair.difference->changed);
        }
        table.addRow(std::move(cells));
    }
    return table.text();
}

ExitCode diff(const SamplesDiffRequest& request)
{
    if (request.run.empty())
        throw Failure("samples diff: name a run, as in `atelier samples diff latest`", kWrongUsage);
    const launcher::DataHome home = existingHome();
    const contract::RunFolder run = findRun(home, request.run), otherRun = request.other.empty() ? run : findRun(home, request.other);
    if (!request.output.empty())
        checkTargetFolder(request.output, request.isOverwriting);
    const storage::Store store = openCatalogue(home);
    const ui::SampleGrid grid(store.samples(run.id())), otherGrid(store.samples(otherRun.id()));
    const std::int64_t from = stepOf(run, grid, request.from, run.id() == otherRun.id());
    const std::int64_t to = stepOf(otherRun, otherGrid, request.to, false);
    std::vector<SamplePair> pairs;
    for (int column = 0; column < grid.columns(); ++column) {
        const storage::SampleRow* const first = grid.sample(*grid.rowOf(from), column);
        const storage::SampleRow* const second = otherGrid.counterpart(grid.column(column), to);
        if (first && second && first->prompt.find(request.prompt) != std::string::npos)
            compare(pairs.emplace_back(SamplePair {.first = first, .second = second}), run, otherRun, request.gain);
    }
    if (pairs.empty())
        throw Failure("samples diff: the runs have no samples for the same prompt");
    if (!request.output.empty())
        writePictures(request.output, pairs);
    if (!request.isJson) {
        printText(tableText(pairs));
        return kSuccess;
    }
    Json list = Json::array();
    for (const SamplePair& pair : pairs)
        list.push_back(pairJson(request, pair));
    printJson({{"first", run.root().string()}, {"second", otherRun.root().string()}, {"samples", list}});
    return kSuccess;
}

}  // namespace

void addSamplesDiffCommand(CLI::App& samples, Action& action)
{
    const auto request = std::make_shared<SamplesDiffRequest>();
    CLI::App* command = samples.add_subcommand("diff", "Say how samples of the same prompt differ, of two steps or two runs");
    command->add_option("RUN", request->run, "Id, start of an id, name, or latest");
    command->add_option("--from", request->from, "Step of the first samples; the oldest otherwise, of two runs the latest")->type_name("STEP");
    command->add_option("--to", request->to, "Step of the second; the latest otherwise")->type_name("STEP");
    command->add_option("--to-run", request->other, "Run of the second; the same otherwise")->type_name("RUN");
    command->add_option("--prompt", request->prompt, "Only those whose prompt contains this text")->type_name("TEXT");
    command->add_option("-o,--output", request->output, "Folder for pictures of the differences, named as the first samples")->type_name("DIR");
    command->add_flag("--overwrite", request->isOverwriting, "Write to DIR even if it holds files; those of the same names are replaced");
    command->add_option("--gain", request->gain, "How many times as bright the pictures show the differences")->check(CLI::Range(1, 255))->capture_default_str();
    command->add_flag("--json", request->isJson, "Print one JSON document");
    command->footer("MEAN and LARGEST: of the absolute differences of all pixels and colours, of 255. CHANGED: pixels that differ. A prompt that has no sample at "
                    "the second step is compared with the nearest step, as in the window.");
    command->callback([request, &action] { action = [request] { return diff(*request); }; });
}

}  // namespace app
