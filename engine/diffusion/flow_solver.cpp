#include "engine/diffusion/flow_solver.h"

#include "engine/shard/upload.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/add.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <stdexcept>
#include <utility>

namespace engine {
namespace {

/// x ← x + (σ_next - σ) v
class EulerSolver final : public FlowSolver {
public:
    explicit EulerSolver(const NoiseLevels& levels)
        : m_sigmas(levels.sigmas)
    {
    }

    at::Tensor next(const at::Tensor& latents, const at::Tensor& velocity) override
    {
        const double from = m_sigmas.at(m_step), to = m_sigmas.at(m_step + 1);
        ++m_step;
        return at::add(latents, velocity, to - from);
    }

private:
    const std::vector<float>& m_sigmas;
    std::size_t m_step = 0;
};

/// x_0 = x - σ v; x ← (1 - σ_next) x_0 + σ_next noise: stochastic_sampling of diffusers' FlowMatchEulerDiscreteScheduler.
class RenoisingSolver final : public FlowSolver {
public:
    RenoisingSolver(const NoiseLevels& levels, StepNoise noise)
        : m_sigmas(levels.sigmas)
        , m_noise(std::move(noise))
    {
    }

    at::Tensor next(const at::Tensor& latents, const at::Tensor& velocity) override
    {
        const double from = m_sigmas.at(m_step), to = m_sigmas.at(m_step + 1);
        const at::Tensor clean = latents - velocity * from, noise = uploaded(m_noise(m_step), latents.device());
        ++m_step;
        return clean * (1 - to) + noise * to;
    }

private:
    const std::vector<float>& m_sigmas;
    StepNoise m_noise;
    std::size_t m_step = 0;
};

/// UniPC with B(h) = e^h - 1 on predictions of the clean latents (Zhao et al., 2023: "UniPC", algorithms 5 to 8). Each step
/// first corrects the latents that the previous step predicted, using the model's output there, then predicts the next ones.
/// The path is x = α x_0 + σ noise with α = 1 - σ; λ = ln(α / σ).
class UniPcSolver final : public FlowSolver {
public:
    explicit UniPcSolver(const NoiseLevels& levels)
        : m_sigmas(levels.sigmas)
        , m_config(*levels.uniPc)
    {
    }

    at::Tensor next(const at::Tensor& latents, const at::Tensor& velocity) override
    {
        const at::Tensor clean = latents - velocity * static_cast<double>(m_sigmas.at(m_step));
        const at::Tensor here = m_step > 0 && !isUncorrected(m_step - 1) ? corrected(clean) : latents;
        m_clean.push_front(clean);
        if (m_clean.size() > kMaxOrder)
            m_clean.pop_back();
        m_order = std::min<std::size_t>(static_cast<std::size_t>(m_config.order), m_step + 1);
        if (m_config.lowersFinalOrder)
            m_order = std::min(m_order, m_sigmas.size() - 1 - m_step);
        m_latents = here;
        ++m_step;
        return predicted();
    }

private:
    static constexpr std::size_t kMaxOrder = 2;

    /// From level i to level i + 1.
    struct Interval {
        double fromSigma, toSigma, toAlpha;
        double step;      ///< h = λ_to - λ_from
        double growth;    ///< e^-h - 1
    };

    double logRatio(std::size_t level) const
    {
        const double sigma = m_sigmas[level];
        return std::log(1 - sigma) - std::log(sigma);
    }
    Interval interval(std::size_t from) const
    {
        const double step = logRatio(from + 1) - logRatio(from);
        return {m_sigmas[from], m_sigmas[from + 1], 1.0 - m_sigmas[from + 1], step, std::expm1(-step)};
    }
    bool isUncorrected(std::size_t step) const { return std::ranges::count(m_config.uncorrectedSteps, static_cast<std::int64_t>(step)) > 0; }

    /// The first-order step, exact where the prediction does not change. Predictor and corrector both start from it.
    static at::Tensor firstOrderStep(const Interval& along, const at::Tensor& latents, const at::Tensor& clean)
    {
        return latents * (along.toSigma / along.fromSigma) - clean * (along.toAlpha * along.growth);
    }

    /// Change of the prediction from the previous level to level @p from, scaled to the length of @p along.
    at::Tensor slope(const Interval& along, std::size_t from, const at::Tensor& before, const at::Tensor& here, double* ratio) const
    {
        *ratio = (logRatio(from - 1) - logRatio(from)) / along.step;
        return (before - here) / *ratio;
    }

    at::Tensor predicted() const
    {
        const std::size_t from = m_step - 1;
        const Interval along = interval(from);
        const at::Tensor result = firstOrderStep(along, m_latents, m_clean[0]);
        if (m_order < 2)
            return result;
        double ratio = 0;
        return result - slope(along, from, m_clean[1], m_clean[0], &ratio) * (along.toAlpha * along.growth * 0.5);
    }

    /// @param clean the prediction at the level that predicted() reached
    at::Tensor corrected(const at::Tensor& clean) const
    {
        const std::size_t from = m_step - 1;
        const Interval along = interval(from);
        const at::Tensor result = firstOrderStep(along, m_latents, m_clean[0]);
        const at::Tensor change = clean - m_clean[0];
        const double weight = along.toAlpha * along.growth;
        if (m_order < 2)
            return result - change * (weight * 0.5);
        // φ_2 and φ_3 at -h, by φ_{k+1} = (φ_k - 1/k!) / -h; the weights make both orders exact.
        const double back = -along.step;
        const double second = along.growth / back - 1, third = second / back - 0.5;
        const double first = second / along.growth, other = third * 2 / along.growth;
        double ratio = 0;
        const at::Tensor before = slope(along, from, m_clean[1], m_clean[0], &ratio);
        const double ofSlope = (first - other) / (1 - ratio);
        return result - (before * ofSlope + change * (first - ofSlope)) * weight;
    }

    const std::vector<float>& m_sigmas;
    const UniPcConfig& m_config;
    std::size_t m_step = 0;
    std::size_t m_order = 0;         ///< order of the last predictor step, and of its corrector
    at::Tensor m_latents;            ///< latents from which the last predictor step started
    std::deque<at::Tensor> m_clean;  ///< predictions of the clean latents, the latest first
};

}  // namespace

std::unique_ptr<FlowSolver> makeSolver(const NoiseLevels& levels, StepNoise noise)
{
    if (levels.uniPc)
        return std::make_unique<UniPcSolver>(levels);
    if (levels.isStochastic && !noise)
        throw std::invalid_argument("the scheduler adds noise at each step (stochastic_sampling), and none is given");
    if (levels.isStochastic)
        return std::make_unique<RenoisingSolver>(levels, std::move(noise));
    return std::make_unique<EulerSolver>(levels);
}

}  // namespace engine
