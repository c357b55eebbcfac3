#include "engine/optim/loss_scaler.h"

#include "engine/comm/errors.h"
#include "engine/contract/formats/text.h"

#include <algorithm>
#include <cmath>

namespace engine {
namespace {

constexpr char kScale[] = "loss_scale";
constexpr char kGrowthSteps[] = "loss_scale_growth_steps";
constexpr char kOverflows[] = "loss_scale_overflows";

void require(bool isGood, const char* option, double value, const char* range)
{
    if (!isGood)
        throw EngineError(EngineError::Kind::WrongUsage,
            std::string(option) + " = " + contract::shortestText(value) + ": must be " + range);
}

/// Returns the number named @p name in @p state. @param parse parseReal or parseInteger
template <typename Parse>
auto stateNumber(const std::map<std::string, std::string>& state, const char* name, Parse parse)
{
    const auto found = state.find(name);
    const auto value = found == state.end() ? std::nullopt : parse(found->second);
    if (!value || *value < 0)
        throw EngineError(EngineError::Kind::BadCheckpoint,
            std::string("the checkpoint's state lacks \"") + name + "\", which float16 needs");
    return *value;
}

}  // namespace

LossScaler::LossScaler(const LossScalerOptions& options, at::ScalarType dtype)
    : m_options(options)
    , m_scale(options.initial)
{
    const bool isHalf = dtype == at::kHalf;
    if (!isHalf && dtype != at::kBFloat16 && dtype != at::kFloat)
        throw EngineError(EngineError::Kind::WrongUsage,
            std::string("loss scaling supports float16, bfloat16 and float32, not ") + c10::toString(dtype));
    require(options.initial > 0, "scaler.initial", options.initial, "above 0");
    require(options.minimum > 0, "scaler.min", options.minimum, "above 0");
    require(options.maximum > 0, "scaler.max", options.maximum, "above 0");
    require(isHalf ? options.growth > 1 : options.growth >= 1, "scaler.growth", options.growth,
        isHalf ? "above 1 for fp16" : "at least 1");
    require(options.backoff > 0 && (isHalf ? options.backoff < 1 : options.backoff <= 1), "scaler.backoff",
        options.backoff, isHalf ? "above 0 and below 1 for fp16" : "above 0 and at most 1");
    require(options.growthInterval > 0, "scaler.growth_interval", static_cast<double>(options.growthInterval), "above 0");
    require(options.hysteresis >= 0, "scaler.hysteresis", static_cast<double>(options.hysteresis), "0 or more");
}

void LossScaler::update(bool overflowed)
{
    if (overflowed) {
        m_growthSteps = 0;
        if (++m_overflows >= m_options.hysteresis)
            m_scale = std::max(m_options.minimum, m_scale * m_options.backoff);
    } else if (++m_growthSteps >= m_options.growthInterval) {  // above it after a resume with a shorter interval
        m_growthSteps = 0;
        m_overflows = 0;
        m_scale = std::min(m_options.maximum, m_scale * m_options.growth);
    }
}

std::map<std::string, std::string> LossScaler::toState() const
{
    return {{kScale, contract::shortestText(m_scale)}, {kGrowthSteps, std::to_string(m_growthSteps)},
        {kOverflows, std::to_string(m_overflows)}};
}

void LossScaler::restore(const std::map<std::string, std::string>& state)
{
    m_scale = stateNumber(state, kScale, contract::parseReal);
    m_growthSteps = stateNumber(state, kGrowthSteps, contract::parseInteger);
    m_overflows = stateNumber(state, kOverflows, contract::parseInteger);
    if (m_scale <= 0 || !std::isfinite(m_scale))
        throw EngineError(EngineError::Kind::BadCheckpoint, "the checkpoint's \"loss_scale\" is not a finite number above 0");
}

LossScalerOptions lossScalerOptionsOf(const contract::Experiment& experiment)
{
    if (experiment.text("engine.compute_dtype") != "fp16")
        return kNoLossScaling;
    return {.initial = experiment.real("scaler.initial"),
        .growth = experiment.real("scaler.growth"),
        .backoff = experiment.real("scaler.backoff"),
        .growthInterval = experiment.integer("scaler.growth_interval"),
        .minimum = experiment.real("scaler.min"),
        .maximum = experiment.real("scaler.max"),
        .hysteresis = experiment.integer("scaler.hysteresis")};
}

}  // namespace engine
