// atelier data [emoji|list]
#include "app/cli/catalogue.h"
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/find_run.h"
#include "app/cli/format.h"
#include "app/cli/output.h"
#include "app/cli/target_folder.h"
#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/formats/text.h"
#include "engine/contract/run/data_kind.h"
#include "engine/contract/run/data_manifest.h"
#include "engine/emoji/emoji_images.h"

#include <QString>

#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace app {
namespace {

using contract::DataEntry;
using contract::DataKind;
using contract::DataManifest;
using Use = DataEntry::Use;

struct EmojiRequest {
    std::string folder;
    bool isOverwriting = false;
    std::string font = contract::EmojiFiles().font, names = contract::EmojiFiles().names;
};

ExitCode writeEmoji(const EmojiRequest& request)
{
    checkTargetFolder(request.folder, request.isOverwriting);
    try {
        const int written = engine::writeEmojiImages({request.font, request.names}, request.folder);
        printText("Wrote " + std::to_string(written) + " images with their captions to " + request.folder + ".\n");
    } catch (const std::runtime_error& error) {
        throw Failure(error.what());
    }
    return kSuccess;
}

struct DataRequest {
    std::string run;
    std::string kind, text;  ///< of the entries that are listed; empty: any
    bool isAll = false;
    bool isJson = false;
};

std::string sizeText(std::int64_t width, std::int64_t height)
{
    return width > 0 ? std::to_string(width) + " × " + std::to_string(height) : "";
}

/// Images by the size at which they are trained on.
std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> bucketsOf(const DataManifest& data)
{
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> buckets;
    for (const DataEntry& entry : data.entries) {
        if (entry.bucketWidth > 0)
            ++buckets[{entry.bucketWidth, entry.bucketHeight}];
    }
    return buckets;
}

Json entryJson(const DataManifest& data, const DataEntry& entry)
{
    Json json = {{"file", contract::dataPath(data, entry.file).string()}, {"use", useName(entry.use)}, {"caption", entry.caption}};
    if (entry.use == Use::LeftOut) {
        json["reason"] = entry.reason;
        return json;
    }
    json["width"] = entry.width;
    json["height"] = entry.height;
    json["bucket"] = {entry.bucketWidth, entry.bucketHeight};
    json["enlarged"] = entry.isEnlarged();
    json["cropped"] = jsonNumber(entry.croppedPart());
    json["frames"] = entry.frames;
    json["repeats"] = entry.repeats;
    json["mask"] = entry.isAlphaMask ? Json("alpha") : entry.mask.empty() ? Json(nullptr) : Json(contract::dataPath(data, entry.mask).string());
    json["precomputed"] = entry.isPrecomputed;
    return json;
}

std::vector<std::string> kindNames()
{
    std::vector<std::string> names;
    for (int kind = 0; kind < contract::kDataKinds; ++kind)
        names.emplace_back(nameOf(static_cast<DataKind>(kind)));
    return names;
}

DataKind kindNamed(const std::string& name)
{
    int kind = 0;
    while (kind + 1 < contract::kDataKinds && nameOf(static_cast<DataKind>(kind)) != name)
        ++kind;
    return name.empty() ? DataKind::All : static_cast<DataKind>(kind);
}

/// The entries that the request asks for.
std::vector<DataEntry> chosenEntries(const DataManifest& data, const DataRequest& request)
{
    const DataKind kind = kindNamed(request.kind);
    const auto wanted = QString::fromStdString(request.text);
    const auto contains = [&](const std::string& text) { return QString::fromStdString(text).contains(wanted, Qt::CaseInsensitive); };
    std::vector<DataEntry> chosen;
    for (const DataEntry& entry : data.entries) {
        if (isOfKind(entry, kind) && (wanted.isEmpty() || contains(entry.caption) || contains(entry.file) || contains(entry.reason)))
            chosen.push_back(entry);
    }
    return chosen;
}

Json listJson(const contract::RunFolder& run, const DataManifest& data, const DataRequest& request)
{
    Json json = {{"run", run.id()}, {"attempt", data.attempt}, {"folder", data.folder}, {"resolution", data.resolution},
        {"damaged_lines", data.missing}, {"counts", Json::object()}, {"buckets", Json::array()}, {"entries", Json::array()}};
    for (int number = 0; number < contract::kDataKinds; ++number) {
        const auto kind = static_cast<DataKind>(number);
        json["counts"][nameOf(kind)] = std::ranges::count_if(data.entries, [kind](const DataEntry& entry) { return isOfKind(entry, kind); });
    }
    for (const auto& [size, entries] : bucketsOf(data))
        json["buckets"].push_back({{"width", size.first}, {"height", size.second}, {"entries", entries}});
    for (const DataEntry& entry : chosenEntries(data, request))
        json["entries"].push_back(entryJson(data, entry));
    return json;
}

std::string summaryText(const DataManifest& data)
{
    using enum Table::Align;
    const auto count = [&](auto isCounted) { return formatCount(std::ranges::count_if(data.entries, isCounted)); };
    const auto of = [&](Use use) { return count([use](const DataEntry& entry) { return entry.use == use; }); };
    std::string text = "Folder:             " + printable(data.folder) + "\nTrained on:         " + of(Use::Training);
    const std::pair<const char*, std::string> others[] = {{"Held out:           ", of(Use::Validation)}, {"Regularisation:     ", of(Use::Prior)},
        {"Left out:           ", of(Use::LeftOut)},
        {"Without a caption:  ", count([](const DataEntry& entry) { return entry.use != Use::LeftOut && entry.caption.empty(); })},
        {"With a mask:        ", count([](const DataEntry& entry) { return entry.hasMask(); })},
        {"Enlarged:           ", count([](const DataEntry& entry) { return entry.isEnlarged(); })}};
    for (const auto& [label, number] : others) {
        if (number != "0")
            text += std::string("\n") + label + number;
    }
    Table table({{"BUCKET", Right}, {"ENTRIES", Right}});
    for (const auto& [size, entries] : bucketsOf(data))
        table.addRow({sizeText(size.first, size.second), formatCount(entries)});
    return text + "\n" + (table.isEmpty() ? "" : "\n" + table.text());
}

std::string leftOutText(const DataManifest& data)
{
    constexpr int kMostNamed = 20;
    int leftOut = 0;
    std::string text;
    for (const DataEntry& entry : data.entries) {
        if (entry.use == Use::LeftOut && ++leftOut <= kMostNamed)
            text += "left out: " + printable(entry.reason) + "\n";
    }
    if (leftOut > kMostNamed)
        text += "left out: " + formatCount(leftOut - kMostNamed) + " more, which --all lists\n";
    return text.empty() ? "" : "\n" + text;
}

std::string entriesText(const std::vector<DataEntry>& entries)
{
    using enum Table::Align;
    Table table({{"FILE"}, {"USE"}, {"SIZE", Right}, {"BUCKET", Right}, {"CAPTION"}});
    for (const DataEntry& entry : entries)
        table.addRow({printable(entry.file), useName(entry.use), sizeText(entry.width, entry.height), sizeText(entry.bucketWidth, entry.bucketHeight),
            printable(entry.use == Use::LeftOut ? entry.reason : contract::shortened(entry.caption, 60))});
    return table.text();
}

ExitCode listData(const DataRequest& request)
{
    const contract::RunFolder run = findRun(existingHome(), request.run);
    const auto file = run.root() / contract::kDataManifestFile;
    if (!contract::hasEntry(file))
        throw Failure("run " + run.id() + " has listed no images: it has not prepared its data yet, or trains on none");
    DataManifest data;
    try {
        data = contract::readDataManifest(file);
    } catch (const std::runtime_error& error) {
        throw Failure(error.what());
    }
    if (data.missing > 0)
        printWarning(formatCount(data.missing) + " lines of " + file.string() + " are damaged or missing");
    if (request.isJson)
        printJson(listJson(run, data, request));
    else if (request.isAll || !request.kind.empty() || !request.text.empty())
        printText(entriesText(chosenEntries(data, request)));
    else
        printText(summaryText(data) + leftOutText(data));
    return kSuccess;
}

}  // namespace

void addDataCommand(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<EmojiRequest>();
    CLI::App* data = app.add_subcommand("data", "Create training data, or list what a run is trained on");
    data->require_subcommand(1);
    CLI::App* emoji
        = data->add_subcommand("emoji", "Write the emoji of a colour font, captioned with their names, to a folder");
    emoji->add_option("--to", request->folder, "Folder for NAME.png and NAME.txt; created when missing")->required();
    emoji->add_flag("--overwrite", request->isOverwriting, "Write to the folder even if it holds files");
    emoji->add_option("--font", request->font, "Colour font that contains PNG images")->capture_default_str();
    emoji->add_option("--names", request->names, "Unicode's emoji-test.txt")->capture_default_str();
    emoji->callback([request, &action] { action = [request] { return writeEmoji(*request); }; });

    const auto asked = std::make_shared<DataRequest>();
    CLI::App* lists = data->add_subcommand("list", "List the images or videos that a run is trained on, and what was left out and why");
    lists->add_option("RUN", asked->run, "Id, start of an id, name, or latest")->required();
    lists->add_flag("--all", asked->isAll, "List every entry");
    lists->add_option("--kind", asked->kind, "List only the entries of this kind")->check(CLI::IsMember(kindNames()));
    lists->add_option("--text", asked->text, "List only entries whose caption, file or reason contains this text, in upper or lower case");
    lists->add_flag("--json", asked->isJson, "Print one JSON document with the entries and their numbers by kind");
    lists->callback([asked, &action] { action = [asked] { return listData(*asked); }; });
}

}  // namespace app
