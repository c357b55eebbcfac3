#include "app/cli/experiment_source.h"

#include "app/cli/failure.h"
#include "engine/contract/formats/text.h"
#include "engine/contract/run/origin.h"
#include "launcher/base/data_home.h"
#include "launcher/home/presets.h"
#include "launcher/home/ready_experiments.h"
#include "launcher/queue/sweep.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <set>

namespace app {
namespace {

namespace fs = std::filesystem;

template <typename Named>
std::string namesOf(const std::vector<Named>& all)
{
    std::string text;
    for (const Named& each : all)
        text += (text.empty() ? "" : ", ") + each.name;
    return text;
}

/// "; ready experiments: digits, emoji; presets: heart".
std::string knownNames(const std::vector<launcher::ReadyExperiment>& ready, const std::vector<launcher::Preset>& presets)
{
    const std::string none = "none found in " + launcher::resourcesFolder().string();
    return "; ready experiments: " + (ready.empty() ? none : namesOf(ready)) + (presets.empty() ? "" : "; presets: " + namesOf(presets));
}

/// Collects problems as lines, each with its place: file and line, or the command-line option.
class ProblemList {
public:
    void add(const contract::Problem& problem, const std::string& place)
    {
        m_keys.insert(problem.key);
        const std::string line = problem.line > 0 ? ":" + std::to_string(problem.line) : "";
        // The message for an unreadable file already begins with the file's name.
        const bool namesItself = !place.empty() && problem.message.starts_with(place);
        m_lines.push_back(
            (place.empty() || namesItself ? "" : place + line + ": ") + problem.message);
    }
    /// Whether a problem of @p key was added. Used to report only one problem per key: a value that could not be read is
    /// not validated as well.
    bool knows(const std::string& key) const { return m_keys.contains(key); }
    bool isEmpty() const { return m_lines.empty(); }
    std::string text() const
    {
        std::string out = m_lines.front();
        for (std::size_t i = 1; i < m_lines.size(); ++i)
            out += "\nerror: " + m_lines[i];
        return out;
    }

private:
    std::set<std::string> m_keys;
    std::vector<std::string> m_lines;
};

void apply(const std::string& setting, contract::Experiment& experiment, ProblemList& problems)
{
    const std::size_t equals = setting.find('=');
    const std::string key = setting.substr(0, equals);
    std::string value = setting.substr(equals + 1);
    const contract::Option* option = contract::findOption(key);
    if (option && contract::hasPaths(*option))
        value = contract::withAbsolutePaths(*option, value, fs::current_path());
    if (const auto problem = experiment.setText(key, value))
        problems.add(*problem, "--set " + contract::shortened(setting));
}

/// The values that a setting lists; only itself where it does not.
launcher::ListedOption listedBy(const std::string& setting)
{
    const std::size_t equals = setting.find('=');
    launcher::ListedOption listed {.key = setting.substr(0, equals), .values = {}};
    const contract::Option* const option = contract::findOption(listed.key);
    const bool mayList = option && launcher::mayList(*option);
    for (std::size_t begin = equals + 1; begin <= setting.size();) {
        const std::size_t end = mayList ? std::min(setting.find(',', begin), setting.size()) : setting.size();
        const std::string value = setting.substr(begin, end - begin);
        listed.values.push_back(mayList ? std::string(contract::trimmed(value)) : value);
        begin = end + 1;
    }
    return listed;
}

/// @throws Failure
std::string readStandardInput()
{
    constexpr std::size_t kMostBytes = std::size_t {1} << 20;
    std::string text;
    char part[65536];
    while (const std::size_t count = std::fread(part, 1, sizeof part, stdin)) {
        text.append(part, count);
        if (text.size() > kMostBytes)
            throw Failure("standard input has more than 1 MiB, which is no experiment");
    }
    if (std::ferror(stdin) != 0)
        throw Failure("standard input cannot be read: " + std::string(std::strerror(errno)));
    return text;
}

contract::Experiment finish(
    contract::ParsedExperiment parsed, const fs::path& from, const ExperimentChanges& changes)
{
    const fs::path file = from == kStandardInput ? "standard input" : from;
    ProblemList problems;
    for (const contract::Problem& problem : parsed.problems)
        problems.add(problem, file.string());
    for (const std::string& setting : changes.settings)
        apply(setting, parsed.experiment, problems);
    if (!changes.name.empty()) {
        if (const auto problem = parsed.experiment.setText("run.name", changes.name))
            problems.add(*problem, "--name " + contract::shortened(changes.name));
    }
    if (!changes.nameEnding.empty())
        parsed.experiment.setText("run.name", parsed.experiment.text("run.name") + changes.nameEnding);
    // When the file cannot be read, its values are unknown, so missing ones are not reported.
    const bool isReadable = !problems.knows("");
    for (const contract::Problem& problem : parsed.experiment.validate()) {
        const auto setting = std::ranges::find_if(changes.settings, [&](const std::string& each) { return each.starts_with(problem.key + "="); });
        if (isReadable && !problems.knows(problem.key))
            problems.add(problem, setting != changes.settings.end() ? "--set " + contract::shortened(*setting) : file.string());
    }
    if (!problems.isEmpty())
        throw Failure(problems.text());
    return parsed.experiment;
}

}  // namespace

std::vector<ExperimentChanges> combinations(const ExperimentChanges& changes)
{
    std::vector<launcher::ListedOption> options;
    for (const std::string& setting : changes.settings)
        options.push_back(listedBy(setting));
    constexpr std::size_t kMostRuns = 10'000;
    std::size_t count = 1;
    for (const launcher::ListedOption& option : options) {
        count *= option.values.size();
        if (count > kMostRuns)
            throw Failure("--set: the listed values make more than 10,000 runs; list fewer", kWrongUsage);
    }
    std::vector<ExperimentChanges> all;
    for (const launcher::SweepRun& run : launcher::combinations(options)) {
        ExperimentChanges& each = all.emplace_back(ExperimentChanges {.settings = {}, .name = changes.name, .nameEnding = run.nameEnding});
        for (std::size_t i = 0; i < options.size(); ++i) {
            each.settings.push_back(options[i].key + "=" + run.values[i]);
            if (options[i].values.size() > 1)
                each.varied.emplace_back(options[i].key, run.values[i]);
        }
    }
    return all;
}

void requireOneRun(const ExperimentChanges& changes)
{
    if (const std::size_t runs = combinations(changes).size(); runs > 1)
        throw Failure("the listed values make " + std::to_string(runs) + " runs, which only the queue takes: add --queue, or give one value", kWrongUsage);
}

contract::ParsedExperiment parsedExperiment(const fs::path& file)
{
    if (file != kStandardInput)
        return contract::loadExperiment(file);
    static const contract::ParsedExperiment given = contract::parseExperiment(readStandardInput(), fs::current_path());
    return given;
}

fs::path experimentFile(const std::string& fileOrName)
{
    if (fileOrName == kStandardInput)
        return fileOrName;
    std::error_code error;
    if (fs::exists(fileOrName, error) && !fs::is_directory(fileOrName, error))
        return fileOrName;
    const auto ready = launcher::readyExperiments();
    const auto named = std::ranges::find(ready, fileOrName, &launcher::ReadyExperiment::name);
    if (named != ready.end())
        return named->file;
    const auto presets = launcher::presets(launcher::DataHome::locate());
    const auto kept = std::ranges::find(presets, fileOrName, &launcher::Preset::name);
    if (kept != presets.end())
        return kept->file;
    throw Failure(contract::shortened(fileOrName, 1000) + (fs::is_directory(fileOrName, error) ? ": is a folder, not an experiment file"
                                                                    : ": no such experiment file")
        + knownNames(ready, presets));
}

contract::Experiment readExperiment(const fs::path& file, const ExperimentChanges& changes)
{
    return finish(parsedExperiment(file), file, changes);
}

contract::Experiment lastExperiment(const contract::RunFolder& folder, const ExperimentChanges& changes)
{
    if (const std::string problem = contract::whyNoExperiment(folder); !problem.empty())
        throw Failure(problem);
    const std::vector<int> attempts = folder.attempts();
    if (attempts.empty())
        throw Failure("run " + folder.id() + " has no attempt to resume: start a new run");
    const fs::path config = folder.config(attempts.back());
    return finish(contract::loadExperiment(config), config, changes);
}

}  // namespace app
