#include "app/cli/experiment_options.h"

#include "app/cli/cli11.h"
#include "app/cli/failure.h"
#include "app/cli/find_run.h"
#include "app/cli/output.h"
#include "engine/contract/formats/text.h"
#include "engine/contract/run/origin.h"
#include "launcher/plan/preflight.h"

namespace app {
namespace {

/// @return empty, or why @p setting is not of the form KEY=VALUE.
std::string checkSetting(const std::string& setting)
{
    const std::size_t equals = setting.find('=');
    if (equals != 0 && equals != std::string::npos)
        return {};
    return contract::shortened(setting) + ": write KEY=VALUE as one word, without spaces around the sign, as in --set optim.lr=1e-4";
}

}  // namespace

void addExperimentChoice(CLI::App& command, ExperimentChoice& choice)
{
    CLI::Option* file = command.add_option("FILE", choice.file, "Experiment file (TOML; - for standard input), ready experiment (digits, emoji) or preset");
    CLI::Option* like = command.add_option("--like", choice.like, "Use the experiment of this run: its id, start of an id, name, or latest")
                            ->type_name("RUN")
                            ->excludes(file);
    command.parse_complete_callback([file, like] {
        if (file->count() == 0 && like->count() == 0)
            throw CLI::RequiredError("FILE or --like");
    });
}

std::filesystem::path chosenFile(const launcher::DataHome& home, const ExperimentChoice& choice)
{
    if (choice.like.empty())
        return experimentFile(choice.file);
    const contract::RunFolder folder = findNewestRun(home, choice.like);
    if (const std::string problem = contract::whyNoExperiment(folder); !problem.empty())
        throw Failure(problem);
    const std::vector<int> attempts = folder.attempts();
    if (attempts.empty())
        throw Failure("run " + folder.id() + " has no attempt whose experiment could be used");
    return folder.config(attempts.back());
}

void addExperimentOptions(CLI::App& command, ExperimentChanges& changes, SetValues values)
{
    const std::string help = "Change an option; may be repeated";
    const std::string lists = ". In the queue, numbers and choices may be listed: optim.lr=1e-4,3e-4 makes two runs";
    // Checked while the command line is parsed: the value of "--set optim.lr 1e-4" would be reported as an unexpected argument.
    command.add_option("--set", changes.settings, values == SetValues::Listed ? help + lists : help)
        ->type_name("KEY=VALUE")
        ->check(checkSetting)
        ->allow_extra_args(false);
    command.add_option_function<std::string>("--profile-steps",
               [&changes](const std::string& steps) { changes.settings.push_back("run.profile_steps=" + steps); },
               "Write a Chrome trace of these steps, for example 10..15")
        ->type_name("FROM..TO");
}

void checkPreflight(const launcher::DataHome& home, const contract::Experiment& experiment)
{
    std::string errors;
    for (const launcher::PreflightItem& item : launcher::preflight(home, experiment)) {
        if (item.level == launcher::PreflightItem::Level::Error)
            errors += (errors.empty() ? "" : "\nerror: ") + item.message;
        else if (item.level == launcher::PreflightItem::Level::Warning)
            printWarning(item.message);
    }
    if (!errors.empty())
        throw Failure(errors);
}

}  // namespace app
