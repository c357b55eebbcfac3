#include "engine/diffusion/flow_match_schedule.h"

#include "engine/contract/formats/text.h"
#include "engine/diffusion/beta_quantile.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace engine {
namespace {

constexpr char kEulerScheduler[] = "FlowMatchEulerDiscreteScheduler", kUniPcScheduler[] = "UniPCMultistepScheduler";
constexpr int kMostTrainTimesteps = 1'000'000;
constexpr double kMinAlpha = 1e-6;  ///< smallest α = 1 - σ of UniPC's first level, since UniPC takes its logarithm

double numberAtLeast(const contract::JsonConfig& json, const char* key, double otherwise, double least)
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

/// @p count evenly spaced numbers from @p first to @p last.
std::vector<double> evenlySpaced(double first, double last, std::int64_t count)
{
    std::vector<double> values(static_cast<std::size_t>(count), first);
    for (std::int64_t i = 1; i < count; ++i)
        values[static_cast<std::size_t>(i)] = first + (last - first) * static_cast<double>(i) / static_cast<double>(count - 1);
    return values;
}

/// @p sigmas spaced anew between the first and the last of them.
void respace(std::vector<double>& sigmas, FlowMatchConfig::Respacing respacing)
{
    using Respacing = FlowMatchConfig::Respacing;
    if (respacing == Respacing::None)
        return;
    constexpr double kKarrasRho = 7, kBetaShape = 0.6;
    const double first = sigmas.front(), last = sigmas.back();
    const auto between = [](double from, double to, double ramp) { return from + ramp * (to - from); };
    const std::vector<double> ramps = evenlySpaced(0, 1, static_cast<std::int64_t>(sigmas.size()));
    std::ranges::transform(ramps, sigmas.begin(), [&](double ramp) {
        if (respacing == Respacing::Karras)
            return std::pow(between(std::pow(first, 1 / kKarrasRho), std::pow(last, 1 / kKarrasRho), ramp), kKarrasRho);
        if (respacing == Respacing::Exponential)
            return std::exp(between(std::log(first), std::log(last), ramp));
        return between(last, first, symmetricBetaQuantile(1 - ramp, kBetaShape));
    });
}

/// The levels of a table before the shift.
std::vector<double> unshifted(const FlowMatchConfig& config, const LevelRequest& request, std::int64_t steps)
{
    // The training levels are already shifted (unless dynamically); their ends are shifted a second time: row A-002.
    const auto endOfTraining = [&](double sigma) {
        return static_cast<double>(static_cast<float>(config.isDynamic ? sigma : shifted(config, sigma, 0)));
    };
    if (config.uniPc) {
        auto sigmas = evenlySpaced(1, 1 / config.trainTimesteps, steps + 1);
        sigmas.pop_back();
        return sigmas;
    }
    if (!request.sigmas.empty() || !request.timesteps.empty()) {
        const bool hasSigmas = !request.sigmas.empty();
        std::vector<double> sigmas;
        for (const double value : hasSigmas ? request.sigmas : request.timesteps)
            sigmas.push_back(static_cast<double>(static_cast<float>(value)) / (hasSigmas ? 1 : config.trainTimesteps));
        return sigmas;
    }
    if (request.spacing == Spacing::Timesteps)
        return evenlySpaced(endOfTraining(1), endOfTraining(1 / config.trainTimesteps), steps);
    return evenlySpaced(1, 1 / static_cast<double>(steps), steps);
}

/// The number of steps of a request that can be met.
std::int64_t stepsOf(const FlowMatchConfig& config, const LevelRequest& request)
{
    const std::size_t sigmas = request.sigmas.size(), timesteps = request.timesteps.size();
    const std::int64_t steps = request.steps > 0 ? request.steps : static_cast<std::int64_t>(std::max(sigmas, timesteps));
    if (steps < 1)
        throw std::invalid_argument("a table of noise levels needs at least one step");
    for (const auto& [count, what] : {std::pair(sigmas, "sigmas"), std::pair(timesteps, "timesteps")}) {
        if (count > 0 && count != static_cast<std::size_t>(steps))
            throw std::invalid_argument(std::to_string(count) + " " + what + " are given for " + std::to_string(steps) + " steps; give one for each step");
    }
    const auto requireWithin = [](const std::vector<double>& values, double highest, const char* what) {
        for (const double value : values) {
            if (!(value > 0 && value <= highest))
                throw std::invalid_argument(std::string("a given ") + what + " is " + contract::shortestText(value)
                    + "; it must be above 0 and at most " + contract::shortestText(highest));
        }
    };
    requireWithin(request.sigmas, 1, "sigma");
    requireWithin(request.timesteps, config.trainTimesteps, "timestep");
    if (config.uniPc && sigmas + timesteps > 0)
        throw std::invalid_argument("UniPC has noise levels of its own; sigmas and timesteps cannot be given");
    if (config.isDynamic && !request.mu)
        throw std::invalid_argument("the scheduler shifts its noise levels dynamically (use_dynamic_shifting), so that mu must be given");
    return steps;
}

/// Supports the options that diffusers' pipelines of flow-matching models use.
UniPcConfig uniPcConfig(const contract::JsonConfig& json)
{
    const auto require = [&](const char* key, const char* otherwise, const char* value) {
        if (json.text(key, otherwise) != value)
            json.fail(key, std::string("has an unsupported value; supported: ") + value);
    };
    if (!json.flag("use_flow_sigmas", false))
        json.fail("use_flow_sigmas", "must be true: only the noise levels of flow matching are supported");
    require("prediction_type", "epsilon", "flow_prediction");
    require("solver_type", "bh2", "bh2");
    require("final_sigmas_type", "zero", "zero");
    if (!json.flag("predict_x0", true))
        json.fail("predict_x0", "must be true");
    for (const char* key : {"thresholding", "rescale_betas_zero_snr"}) {
        if (json.flag(key, false))
            json.fail(key, "is not supported; set it to false");
    }
    UniPcConfig config;
    config.order = json.integer("solver_order", config.order);
    if (config.order != 1 && config.order != 2)
        json.fail("solver_order", "must be 1 or 2");
    config.lowersFinalOrder = json.flag("lower_order_final", true);
    if (!config.lowersFinalOrder && config.order > 1)
        json.fail("lower_order_final", "must be true: the last step ends at sigma 0, where only order 1 is defined");
    config.uncorrectedSteps = json.integers("disable_corrector", std::vector<std::int64_t>());
    return config;
}

FlowMatchConfig::Respacing respacing(const contract::JsonConfig& json)
{
    using Respacing = FlowMatchConfig::Respacing;
    Respacing result = Respacing::None;
    const char* respacedBy = nullptr;
    for (const auto& [key, kind] : {std::pair("use_karras_sigmas", Respacing::Karras), std::pair("use_exponential_sigmas", Respacing::Exponential),
             std::pair("use_beta_sigmas", Respacing::Beta)}) {
        if (!json.flag(key, false))
            continue;
        if (respacedBy)
            json.fail(key, std::string("and ") + respacedBy + " are both true; at most one may be");
        result = kind;
        respacedBy = key;
    }
    return result;
}

}  // namespace

FlowMatchConfig flowMatchConfig(const contract::JsonConfig& json)
{
    const std::string name = json.text("_class_name", kEulerScheduler);
    if (name != kEulerScheduler && name != kUniPcScheduler)
        json.fail("_class_name", "is " + name + ", which is not supported; supported: " + kEulerScheduler + ", " + kUniPcScheduler);
    const bool isUniPc = name == kUniPcScheduler;
    FlowMatchConfig config;
    config.respacing = respacing(json);
    config.isInverted = json.flag("invert_sigmas", false);
    config.isStochastic = json.flag("stochastic_sampling", false);
    if (isUniPc) {
        for (const char* key : {"use_karras_sigmas", "use_exponential_sigmas", "use_beta_sigmas", "invert_sigmas", "stochastic_sampling"}) {
            if (json.flag(key, false))
                json.fail(key, "is not supported with UniPC; set it to false");
        }
    }
    if (isUniPc)
        config.uniPc = uniPcConfig(json);
    config.trainTimesteps = numberAtLeast(json, "num_train_timesteps", config.trainTimesteps, 1);
    if (config.trainTimesteps > kMostTrainTimesteps)
        json.fail("num_train_timesteps", "must be at most " + std::to_string(kMostTrainTimesteps));
    config.shift = numberAtLeast(json, isUniPc ? "flow_shift" : "shift", config.shift, 1e-6);
    config.isDynamic = json.flag("use_dynamic_shifting", false);
    config.baseShift = numberAtLeast(json, "base_shift", config.baseShift, 0);
    config.maxShift = numberAtLeast(json, "max_shift", config.maxShift, 0);
    config.baseTokens = numberAtLeast(json, "base_image_seq_len", config.baseTokens, 1);
    config.maxTokens = numberAtLeast(json, "max_image_seq_len", config.maxTokens, 1);
    if (config.maxTokens == config.baseTokens)
        json.fail("max_image_seq_len", "must differ from base_image_seq_len");
    const std::string timeShift = json.text("time_shift_type", "exponential");
    if (timeShift != "exponential" && timeShift != "linear")
        json.fail("time_shift_type", "has an unsupported value; supported: exponential, linear");
    config.timeShift = timeShift == "linear" ? FlowMatchConfig::TimeShift::Linear : FlowMatchConfig::TimeShift::Exponential;
    if (const double terminal = numberAtLeast(json, "shift_terminal", 0, 0); terminal > 0) {
        if (terminal >= 1)
            json.fail("shift_terminal", "must be less than 1");
        config.terminal = terminal;
    }
    return config;
}

double dynamicShift(const FlowMatchConfig& config, std::int64_t imageTokens)
{
    const double slope = (config.maxShift - config.baseShift) / (config.maxTokens - config.baseTokens);
    return slope * (static_cast<double>(imageTokens) - config.baseTokens) + config.baseShift;
}

NoiseLevels noiseLevels(const FlowMatchConfig& config, Spacing spacing, std::int64_t steps, std::int64_t imageTokens)
{
    return noiseLevels(config, {.steps = steps, .spacing = spacing, .mu = dynamicShift(config, imageTokens)});
}

NoiseLevels noiseLevels(const FlowMatchConfig& config, const LevelRequest& request)
{
    std::vector<double> sigmas = unshifted(config, request, stepsOf(config, request));
    for (double& sigma : sigmas)
        sigma = shifted(config, sigma, request.mu.value_or(0));
    if (config.terminal && sigmas.back() < 1) {
        const double stretch = (1 - sigmas.back()) / (1 - *config.terminal);
        for (double& sigma : sigmas)
            sigma = 1 - (1 - sigma) / stretch;
    }
    respace(sigmas, config.respacing);
    if (config.uniPc)
        sigmas.front() = std::min(sigmas.front(), 1 - kMinAlpha);
    NoiseLevels levels;
    levels.trainTimesteps = config.trainTimesteps;
    levels.isStochastic = config.isStochastic;
    levels.uniPc = config.uniPc;
    for (const double sigma : sigmas) {
        levels.sigmas.push_back(config.isInverted ? 1 - static_cast<float>(sigma) : static_cast<float>(sigma));
        levels.timesteps.push_back(config.uniPc ? static_cast<float>(std::floor(sigma * config.trainTimesteps))
                                                : levels.sigmas.back() * static_cast<float>(config.trainTimesteps));
    }
    if (!config.isInverted)
        std::ranges::transform(request.timesteps, levels.timesteps.begin(), [](double timestep) { return static_cast<float>(timestep); });
    levels.sigmas.push_back(config.isInverted ? 1.0F : 0.0F);
    return levels;
}

TrainingLevels trainingLevels(const FlowMatchConfig& config)
{
    TrainingLevels levels;
    for (auto timestep = static_cast<std::int64_t>(config.trainTimesteps); timestep >= 1; --timestep) {
        const double sigma = static_cast<double>(timestep) / config.trainTimesteps;
        levels.sigmas.push_back(static_cast<float>(config.isDynamic ? sigma : shifted(config, sigma, 0)));
        levels.timesteps.push_back(levels.sigmas.back() * static_cast<float>(config.trainTimesteps));
    }
    return levels;
}

std::size_t indexOfTimestep(std::span<const float> timesteps, double timestep)
{
    constexpr double kTolerance = 1e-4;
    const auto distance = [timestep](float entry) { return std::abs(static_cast<double>(entry) - timestep); };
    const auto nearest = std::ranges::min_element(timesteps, {}, distance);
    if (nearest == timesteps.end() || !(distance(*nearest) <= kTolerance * std::abs(static_cast<double>(*nearest))))
        throw std::invalid_argument("timestep " + contract::shortestText(timestep) + " is none of the " + std::to_string(timesteps.size())
            + " of the table" + (timesteps.empty() ? "" : "; the nearest is " + contract::shortestText(static_cast<double>(*nearest))));
    const auto second = std::find(std::next(nearest), timesteps.end(), *nearest);
    return static_cast<std::size_t>((second == timesteps.end() ? nearest : second) - timesteps.begin());
}

}  // namespace engine
