#include "engine/worker/memory_advice.h"

#include <vector>

namespace engine {

std::string memoryAdvice(const contract::Experiment& experiment, int ranks)
{
    std::vector<std::string> ways;
    if (!experiment.boolean("engine.reshard_after_forward"))
        ways.emplace_back("engine.reshard_after_forward = true");
    if (!experiment.boolean("engine.reduce_each_pass") && (experiment.integer("batch.accumulation") > 1 || experiment.integer("batch.global") > 0))
        ways.emplace_back("engine.reduce_each_pass = true");
    if (experiment.text("engine.compute_dtype") == "fp32")
        ways.emplace_back("engine.compute_dtype = bf16");
    if (const std::string& shards = experiment.text("engine.shard_size"); shards != "all" && shards != "auto" && ranks > 1)
        ways.emplace_back("engine.shard_size = all");
    if (experiment.text("engine.keep_gathered") != "none")
        ways.emplace_back("engine.keep_gathered = none");
    if (experiment.text("engine.evaluation_gather") == "model")
        ways.emplace_back("engine.evaluation_gather = auto");
    if (!experiment.boolean("engine.recompute_layers"))
        ways.emplace_back("engine.recompute_layers = true");
    if (experiment.text("engine.recompute") != "all")
        ways.emplace_back("engine.recompute = all");
    if (const auto micro = experiment.integer("batch.micro"); micro > 1)
        ways.push_back("batch.micro below " + std::to_string(micro) + " (raise batch.accumulation to keep the batch size)");
    std::string text;
    for (const std::string& way : ways)
        text += way + ", ";
    if (!text.empty())
        text.replace(text.size() - 2, 2, " or ");
    return text + "more ranks need less";
}

}  // namespace engine
