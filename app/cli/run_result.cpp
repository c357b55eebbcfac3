#include "app/cli/run_result.h"

#include "app/cli/format.h"
#include "engine/contract/attempt/history.h"

namespace app {

void RunResult::add(const contract::JournalLine& line)
{
    namespace record = contract::record;
    if (line.type == record::kSample)
        lastSample = line.text("file");
    else if (line.type == record::kCheckpoint)
        lastCheckpoint = line.text("path");
    else if (line.type == record::kStep || line.type == record::kMetrics) {
        step = std::max(step, line.step);
        for (const contract::JournalField& field : line.fields()) {
            if (field.isNumber)
                metrics[field.name] = field.number;
        }
    }
}

std::string judgementText(const RunResult& result, const contract::Experiment& experiment)
{
    const auto agreement = result.metrics.find(contract::metric::kJudgeAgreement);
    if (agreement == result.metrics.end())
        return {};
    std::string text = formatCount(experiment.integer("sample.judge")) + " guided samples: "
        + formatPercent(agreement->second) + " classified as the requested class";
    const auto accuracy = result.metrics.find(contract::metric::kJudgeAccuracy);
    if (accuracy != result.metrics.end())
        text += " (the classifier's accuracy on held-out data is " + formatPercent(accuracy->second) + ")";
    const auto reward = result.metrics.find(contract::metric::kJudgeReward);
    const auto base = result.metrics.find(contract::metric::kJudgeBaseReward);
    if (reward != result.metrics.end())
        text += "; their mean reward is " + formatNumber(reward->second)
            + (base == result.metrics.end() ? std::string() : ", before training it was " + formatNumber(base->second));
    if (const auto wins = result.metrics.find(contract::metric::kJudgeWins); wins != result.metrics.end())
        text += "; " + formatPercent(wins->second) + " score higher than before from the same noise";
    return text;
}

std::string endText(const RunResult& result, const contract::RunFolder& folder,
    const contract::Experiment& experiment)
{
    std::string text = (result.outcome == "finished" ? "Finished after step " : "Stopped after step ")
        + formatCount(result.step);
    const auto append = [&](const char* name, const char* key) {
        if (const auto found = result.metrics.find(key); found != result.metrics.end())
            text += std::string(", ") + name + " " + formatNumber(found->second);
    };
    append("reward", contract::metric::kReward);
    append("loss", contract::metric::kLoss);
    append("validation loss", contract::metric::kValidationLoss);
    text += result.outcome == "stopped" && !result.cause.empty() ? ": " + result.cause + ".\n" : ".\n";
    if (const std::string judgement = judgementText(result, experiment); !judgement.empty())
        text += judgement + "\n";
    if (!result.lastSample.empty())
        text += "Images:      " + folder.samples().string() + "\n";
    if (!result.lastCheckpoint.empty())
        text += "Checkpoint:  " + (folder.root() / result.lastCheckpoint).string() + "\n";
    return text + resumeHint(result, folder, experiment);
}

std::string resumeHint(const RunResult& result, const contract::RunFolder& folder, const contract::Experiment& experiment)
{
    const std::int64_t steps = experiment.integer("run.total_steps");
    const contract::LatestCheckpoint latest = contract::latestCheckpoint(folder);
    const std::string command = "`atelier resume " + folder.id();
    if (!latest.step) {
        const bool wouldFailAgain = result.outcome == "failed" && result.step == 0;  // before its first step
        const bool hasOthers = !latest.abandoned.empty() || !latest.damaged.empty();
        return result.outcome == "finished" || wouldFailAgain || hasOthers ? "" : command + "` begins again, because there is no checkpoint.\n";
    }
    if (*latest.step >= steps)
        return command + " --set run.total_steps=" + std::to_string(2 * steps) + "` trains it for longer.\n";
    return command + "` continues from step " + formatCount(*latest.step) + ".\n";
}

Json endJson(const RunResult& result, const contract::RunFolder& folder)
{
    Json metrics = Json::object();
    for (const auto& [name, value] : result.metrics)
        metrics[name] = jsonNumber(value);
    return {{"run", folder.id()}, {"folder", folder.root().string()}, {"outcome", result.outcome},
        {"cause", result.cause}, {"step", result.step}, {"metrics", metrics},
        {"last_sample", result.lastSample}, {"last_checkpoint", result.lastCheckpoint}};
}

}  // namespace app
