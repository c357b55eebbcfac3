// atelier rules
#include "app/cli/catalogue.h"
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/find_run.h"
#include "app/cli/format.h"
#include "app/cli/output.h"
#include "engine/contract/attempt/attempt.h"
#include "engine/contract/formats/text.h"
#include "storage/reports/rule_trial.h"

#include <memory>

namespace app {
namespace {

struct RulesRequest {
    std::string run;
    std::string rules;
    bool isJson = false;
};

constexpr std::size_t kFiringsShown = 20;

std::string valueText(const storage::RuleTrial::Firing& firing, bool showsAttempt)
{
    return "  step " + formatCount(firing.step) + (showsAttempt ? " of attempt " + std::to_string(firing.attempt) : "") + ": "
        + contract::shortestText(firing.value) + "\n";
}

std::string trialText(const storage::RuleTrial& trial)
{
    std::string text = printable(trial.rule.text) + "\n";
    if (!trial.isRecorded)
        return text + "  " + printable(trial.rule.metric) + " was not recorded\n";
    if (trial.firings.empty())
        return text + "  never\n";
    const bool showsAttempt = trial.firings.back().attempt > 1;
    for (std::size_t i = 0; i < trial.firings.size() && i < kFiringsShown; ++i)
        text += valueText(trial.firings[i], showsAttempt);
    if (trial.firings.size() > kFiringsShown)
        text += "  and " + std::to_string(trial.firings.size() - kFiringsShown) + " times more\n";
    return text;
}

Json trialJson(const storage::RuleTrial& trial)
{
    Json firings = Json::array();
    for (const storage::RuleTrial::Firing& firing : trial.firings)
        firings.push_back({{"attempt", firing.attempt}, {"step", firing.step}, {"value", jsonNumber(firing.value)}});
    return {{"rule", trial.rule.text}, {"metric", trial.rule.metric}, {"recorded", trial.isRecorded}, {"firings", firings}};
}

ExitCode rules(const RulesRequest& request)
{
    const launcher::DataHome home = existingHome();
    const contract::RunFolder folder = findRun(home, request.run);
    std::string text = request.rules;
    if (text.empty() && !folder.attempts().empty())
        text = contract::experimentOf(folder, folder.attempts().back()).text("run.rules");
    const contract::ActingRules parsed = contract::parseActingRules(text);
    if (!parsed.problem.empty())
        throw Failure("rules: " + parsed.problem, kWrongUsage);
    if (parsed.rules.empty())
        throw Failure("run " + folder.id() + " has no rules; name some to try with --rules \"loss > 2: stop\"");
    const auto trials = storage::tryRules(openCatalogue(home), folder.id(), parsed.rules);
    if (request.isJson) {
        Json document = Json::array();
        for (const storage::RuleTrial& trial : trials)
            document.push_back(trialJson(trial));
        printJson(document);
        return kSuccess;
    }
    std::string page;
    for (const storage::RuleTrial& trial : trials)
        page += trialText(trial);
    printText(page);
    return kSuccess;
}

}  // namespace

void addRulesCommand(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<RulesRequest>();
    CLI::App* command = app.add_subcommand("rules", "Show at which steps of a run its rules fired, or others would have");
    command->footer("A rule is a condition on a metric and what it does: \"loss is not finite: stop | grad_norm > 100 for 5 steps: notify, "
                    "checkpoint\". `atelier run FILE --set run.rules=RULES` gives a run rules that act while it trains.");
    command->add_option("RUN", request->run, "Id, start of an id, name, or latest")->required();
    command->add_option("--rules", request->rules, "Rules to try instead of the run's own");
    command->add_flag("--json", request->isJson, "Print one JSON document");
    command->callback([request, &action] { action = [request] { return rules(*request); }; });
}

}  // namespace app
