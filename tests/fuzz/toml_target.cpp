#include "engine/contract/adapters/adapter_targets.h"
#include "engine/contract/experiment/experiment.h"
#include "engine/contract/experiment/unit_selection.h"
#include "engine/contract/formats/name_pattern.h"
#include "tests/fuzz/targets.h"
#include "tests/fuzz/verdict.h"

namespace fuzz {
namespace {

using contract::Experiment;

void checkProblems(const std::vector<contract::Problem>& problems)
{
    for (const contract::Problem& problem : problems)
        checkMessage(problem.message);
}

/// What is written is read back as it was.
void checkRoundTrip(const Experiment& experiment, const std::filesystem::path& folder)
{
    for (const auto what : {Experiment::Write::Everything, Experiment::Write::ChangedOnly}) {
        const contract::ParsedExperiment again = contract::parseExperiment(experiment.toToml(what), folder);
        require(again.problems.empty(), again.problems.empty() ? "" : "written TOML is refused: " + again.problems.front().message);
        require(again.experiment == experiment, "written TOML is read back as another experiment");
    }
}

/// Rules by which an experiment selects layers and blocks.
void applyPatterns(const Experiment& experiment)
{
    const std::vector<std::string> modules = {"blocks.0.attn.to_q", "blocks.0.attn.to_out.0", "blocks.10.ff.net.0.proj",
        "transformer_blocks.7.norm1_context.linear_with_a_rather_long_name_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"};
    accepts([&] { contract::AdapterTargets::ofText(experiment.text("lora.targets")).matching(modules); });
    for (const char* key : {"model.trainable", "engine.keep_gathered", "engine.fp32_blocks"}) {
        for (const std::string_view pattern : contract::namePatterns(experiment.text(key))) {
            for (const std::string& module : modules)
                contract::matchesPattern(module, pattern);
        }
    }
    if (const auto selection = contract::UnitSelection::parse(experiment.text("engine.recompute"))) {
        for (std::size_t index = 0; index < modules.size(); ++index)
            selection->contains(index, modules[index]);
    }
}

class TomlTarget final : public Target {
    void read(const std::filesystem::path& folder, const Input& input) override
    {
        const contract::ParsedExperiment parsed = contract::loadExperiment(folder / input.origin->files.begin()->first);
        require(input.damaged.empty() ? parsed.problems.empty() : true, "an undamaged experiment is refused");
        checkProblems(parsed.problems);
        accepts([&] { checkProblems(parsed.experiment.validate()); });
        checkRoundTrip(parsed.experiment, folder);
        applyPatterns(parsed.experiment);
    }
};

}  // namespace

std::unique_ptr<Target> tomlTarget() { return std::make_unique<TomlTarget>(); }

}  // namespace fuzz
