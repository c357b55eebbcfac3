#include "engine/diffusion/flow_match_schedule.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace engine {
namespace {

class ConfigReader {
public:
    ConfigReader(const nlohmann::json& document, const std::string& source)
        : m_document(document)
        , m_source(source)
    {
        if (!document.is_object())
            fail("is no JSON object");
    }

    double number(const char* key, double otherwise, double least) const
    {
        const auto found = m_document.find(key);
        if (found == m_document.end() || found->is_null())
            return otherwise;
        if (!found->is_number() || !(found->get<double>() >= least))
            fail(std::string(key) + " must be a number of at least " + nlohmann::json(least).dump());
        return found->get<double>();
    }

    bool flag(const char* key) const
    {
        const auto found = m_document.find(key);
        if (found == m_document.end() || found->is_null())
            return false;
        if (!found->is_boolean())
            fail(std::string(key) + " must be true or false");
        return found->get<bool>();
    }

    std::string word(const char* key, const char* otherwise) const
    {
        const auto found = m_document.find(key);
        if (found == m_document.end() || found->is_null())
            return otherwise;
        if (!found->is_string())
            fail(std::string(key) + " must be text");
        return found->get<std::string>();
    }

    [[noreturn]] void fail(const std::string& what) const { throw std::runtime_error(m_source + ": " + what); }

private:
    const nlohmann::json& m_document;
    const std::string& m_source;
};

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

FlowMatchConfig parseFlowMatchConfig(const nlohmann::json& document, const std::string& source)
{
    const ConfigReader reader(document, source);
    const std::string name = reader.word("_class_name", "FlowMatchEulerDiscreteScheduler");
    if (name != "FlowMatchEulerDiscreteScheduler")
        reader.fail("the scheduler is " + name + "; known: FlowMatchEulerDiscreteScheduler");
    for (const char* key : {"use_karras_sigmas", "use_exponential_sigmas", "use_beta_sigmas", "invert_sigmas", "stochastic_sampling"}) {
        if (reader.flag(key))
            reader.fail(std::string(key) + " is not known here; set it to false");
    }
    FlowMatchConfig config;
    config.trainTimesteps = reader.number("num_train_timesteps", config.trainTimesteps, 1);
    config.shift = reader.number("shift", config.shift, 1e-6);
    config.isDynamic = reader.flag("use_dynamic_shifting");
    config.baseShift = reader.number("base_shift", config.baseShift, 0);
    config.maxShift = reader.number("max_shift", config.maxShift, 0);
    config.baseTokens = reader.number("base_image_seq_len", config.baseTokens, 1);
    config.maxTokens = reader.number("max_image_seq_len", config.maxTokens, 1);
    if (config.maxTokens == config.baseTokens)
        reader.fail("base_image_seq_len and max_image_seq_len must differ");
    const std::string timeShift = reader.word("time_shift_type", "exponential");
    if (timeShift != "exponential" && timeShift != "linear")
        reader.fail("time_shift_type = \"" + timeShift + "\" is not known here; known: exponential, linear");
    config.timeShift = timeShift == "linear" ? FlowMatchConfig::TimeShift::Linear : FlowMatchConfig::TimeShift::Exponential;
    if (const double terminal = reader.number("shift_terminal", 0, 0); terminal > 0) {
        if (terminal >= 1)
            reader.fail("shift_terminal must be less than 1");
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
