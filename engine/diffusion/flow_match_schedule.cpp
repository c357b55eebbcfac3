#include "engine/diffusion/flow_match_schedule.h"

#include "engine/contract/text.h"

#include <cmath>

namespace engine {
namespace {

double numberOf(const contract::JsonConfig& json, const char* key, double otherwise, double least)
{
    const double value = json.real(key, otherwise);
    if (!(value >= least))
        json.fail(key, "must be at least " + contract::shortestText(least));
    return value;
}

double shifted(const FlowMatchConfig& config, double sigma, double mu)
{
    if (!config.isDynamic)
        return config.shift * sigma / (1 + (config.shift - 1) * sigma);
    const double weight = config.timeShift == FlowMatchConfig::TimeShift::Exponential ? std::exp(mu) : mu;
    return weight / (weight + (1 / sigma - 1));
}

/// @p count numbers evenly from @p first to @p last.
std::vector<double> evenly(double first, double last, std::int64_t count)
{
    std::vector<double> values(static_cast<std::size_t>(count), first);
    for (std::int64_t i = 1; i < count; ++i)
        values[static_cast<std::size_t>(i)] = first + (last - first) * static_cast<double>(i) / static_cast<double>(count - 1);
    return values;
}

}  // namespace

FlowMatchConfig flowMatchConfig(const contract::JsonConfig& json)
{
    constexpr char kName[] = "FlowMatchEulerDiscreteScheduler";
    if (const std::string name = json.text("_class_name", kName); name != kName)
        json.fail("_class_name", "is " + name + ", which is not known here; known: " + kName);
    for (const char* key : {"use_karras_sigmas", "use_exponential_sigmas", "use_beta_sigmas", "invert_sigmas", "stochastic_sampling"}) {
        if (json.flag(key, false))
            json.fail(key, "is not known here; set it to false");
    }
    FlowMatchConfig config;
    config.trainTimesteps = numberOf(json, "num_train_timesteps", config.trainTimesteps, 1);
    config.shift = numberOf(json, "shift", config.shift, 1e-6);
    config.isDynamic = json.flag("use_dynamic_shifting", false);
    config.baseShift = numberOf(json, "base_shift", config.baseShift, 0);
    config.maxShift = numberOf(json, "max_shift", config.maxShift, 0);
    config.baseTokens = numberOf(json, "base_image_seq_len", config.baseTokens, 1);
    config.maxTokens = numberOf(json, "max_image_seq_len", config.maxTokens, 1);
    if (config.maxTokens == config.baseTokens)
        json.fail("max_image_seq_len", "must differ from base_image_seq_len");
    const std::string timeShift = json.text("time_shift_type", "exponential");
    if (timeShift != "exponential" && timeShift != "linear")
        json.fail("time_shift_type", "is not known here; known: exponential, linear");
    config.timeShift = timeShift == "linear" ? FlowMatchConfig::TimeShift::Linear : FlowMatchConfig::TimeShift::Exponential;
    if (const double terminal = numberOf(json, "shift_terminal", 0, 0); terminal > 0) {
        if (terminal >= 1)
            json.fail("shift_terminal", "must be less than 1");
        config.terminal = terminal;
    }
    return config;
}

NoiseLevels noiseLevels(const FlowMatchConfig& config, Spacing spacing, std::int64_t steps, std::int64_t imageTokens)
{
    const double slope = (config.maxShift - config.baseShift) / (config.maxTokens - config.baseTokens);
    const double mu = slope * (static_cast<double>(imageTokens) - config.baseTokens) + config.baseShift;
    // The table of training is shifted once already (but not dynamically), and so its ends twice: row A-002.
    const auto endOfTraining = [&](double sigma) {
        return static_cast<double>(static_cast<float>(config.isDynamic ? sigma : shifted(config, sigma, 0)));
    };
    std::vector<double> sigmas = spacing == Spacing::Timesteps
        ? evenly(endOfTraining(1), endOfTraining(1 / config.trainTimesteps), steps)
        : evenly(1, 1 / static_cast<double>(steps), steps);
    for (double& sigma : sigmas)
        sigma = shifted(config, sigma, mu);
    if (config.terminal && sigmas.back() < 1) {
        const double stretch = (1 - sigmas.back()) / (1 - *config.terminal);
        for (double& sigma : sigmas)
            sigma = 1 - (1 - sigma) / stretch;
    }
    NoiseLevels levels;
    for (const double sigma : sigmas) {
        levels.sigmas.push_back(static_cast<float>(sigma));
        levels.timesteps.push_back(levels.sigmas.back() * static_cast<float>(config.trainTimesteps));
    }
    levels.sigmas.push_back(0);
    return levels;
}

}  // namespace engine
