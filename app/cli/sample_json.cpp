#include "app/commands/sample_json.h"

namespace app {
namespace {

Json standingJson(const storage::Standing& standing)
{
    Json json {{"round", standing.round}, {"reward", jsonNumber(standing.reward)}, {"prompt_reward", jsonNumber(standing.promptReward)},
        {"prompt_place", standing.promptPlace}, {"prompts", standing.prompts}, {"place", standing.place}, {"samples", standing.samples}};
    if (standing.goldReward)
        json["gold_reward"] = jsonNumber(*standing.goldReward);
    return json;
}

}  // namespace

Json sampleJson(const storage::SampleRow& sample)
{
    Json json {{"step", sample.step}, {"attempt", sample.attempt}, {"file", sample.file}, {"prompt", sample.prompt}, {"seed", sample.seed},
        {"guidance", jsonNumber(sample.guidance)}, {"weights", sample.weights}};
    if (sample.standing)
        json.update(standingJson(*sample.standing));
    return json;
}

}  // namespace app
