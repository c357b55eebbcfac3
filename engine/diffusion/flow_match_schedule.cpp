#include "engine/diffusion/flow_match_schedule.h"

#include "engine/contract/text.h"

#include <algorithm>
#include <cmath>

namespace engine {
namespace {

constexpr char kEulerScheduler[] = "FlowMatchEulerDiscreteScheduler", kUniPcScheduler[] = "UniPCMultistepScheduler";
constexpr double kLeastClean = 1e-6;  ///< α of UniPC's first level, whose logarithm it takes

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

/// What of it diffusers' pipelines of flow-matching models use.
UniPcConfig uniPcConfig(const contract::JsonConfig& json)
{
    const auto require = [&](const char* key, const char* otherwise, const char* value) {
        if (json.text(key, otherwise) != value)
            json.fail(key, std::string("is not known here; known: ") + value);
    };
    if (!json.flag("use_flow_sigmas", false))
        json.fail("use_flow_sigmas", "must be true: other noise levels than those of flow matching are not known here");
    require("prediction_type", "epsilon", "flow_prediction");
    require("solver_type", "bh2", "bh2");
    require("final_sigmas_type", "zero", "zero");
    if (!json.flag("predict_x0", true))
        json.fail("predict_x0", "must be true");
    for (const char* key : {"thresholding", "rescale_betas_zero_snr"}) {
        if (json.flag(key, false))
            json.fail(key, "is not known here; set it to false");
    }
    UniPcConfig config;
    config.order = json.integer("solver_order", config.order);
    if (config.order != 1 && config.order != 2)
        json.fail("solver_order", "must be 1 or 2");
    config.isLastOfFirstOrder = json.flag("lower_order_final", true);
    if (!config.isLastOfFirstOrder && config.order > 1)
        json.fail("lower_order_final", "must be true: the last step leads to no noise at all");
    config.uncorrectedSteps = json.integers("disable_corrector", std::vector<std::int64_t>());
    return config;
}

}  // namespace

FlowMatchConfig flowMatchConfig(const contract::JsonConfig& json)
{
    const std::string name = json.text("_class_name", kEulerScheduler);
    if (name != kEulerScheduler && name != kUniPcScheduler)
        json.fail("_class_name", "is " + name + ", which is not known here; known: " + kEulerScheduler + ", " + kUniPcScheduler);
    const bool isUniPc = name == kUniPcScheduler;
    for (const char* key : {"use_karras_sigmas", "use_exponential_sigmas", "use_beta_sigmas", "invert_sigmas", "stochastic_sampling"}) {
        if (json.flag(key, false))
            json.fail(key, "is not known here; set it to false");
    }
    FlowMatchConfig config;
    if (isUniPc)
        config.uniPc = uniPcConfig(json);
    config.trainTimesteps = numberOf(json, "num_train_timesteps", config.trainTimesteps, 1);
    config.shift = numberOf(json, isUniPc ? "flow_shift" : "shift", config.shift, 1e-6);
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
    std::vector<double> sigmas;
    if (config.uniPc) {
        sigmas = evenly(1, 1 / config.trainTimesteps, steps + 1);
        sigmas.pop_back();
    } else {
        sigmas = spacing == Spacing::Timesteps ? evenly(endOfTraining(1), endOfTraining(1 / config.trainTimesteps), steps)
                                               : evenly(1, 1 / static_cast<double>(steps), steps);
    }
    for (double& sigma : sigmas)
        sigma = shifted(config, sigma, mu);
    if (config.terminal && sigmas.back() < 1) {
        const double stretch = (1 - sigmas.back()) / (1 - *config.terminal);
        for (double& sigma : sigmas)
            sigma = 1 - (1 - sigma) / stretch;
    }
    if (config.uniPc)
        sigmas.front() = std::min(sigmas.front(), 1 - kLeastClean);
    NoiseLevels levels {{}, {}, config.trainTimesteps, config.uniPc};
    for (const double sigma : sigmas) {
        levels.sigmas.push_back(static_cast<float>(sigma));
        levels.timesteps.push_back(config.uniPc ? static_cast<float>(std::floor(sigma * config.trainTimesteps))
                                                : levels.sigmas.back() * static_cast<float>(config.trainTimesteps));
    }
    levels.sigmas.push_back(0);
    return levels;
}

}  // namespace engine
