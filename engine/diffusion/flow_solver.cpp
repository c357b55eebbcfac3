#include "engine/diffusion/flow_solver.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/add.h>

#include <algorithm>
#include <cmath>
#include <deque>

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

/// UniPC with B(h) = e^h - 1 on predictions of the clean latents (Zhao et al., 2023: "UniPC", algorithms 5 to 8): each step
/// corrects what the last one predicted, now that the model was asked there, and predicts the next.
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
        if (m_clean.size() > kMostOrder)
            m_clean.pop_back();
        m_order = std::min<std::size_t>(static_cast<std::size_t>(m_config.order), m_step + 1);
        if (m_config.isLastOfFirstOrder)
            m_order = std::min(m_order, m_sigmas.size() - 1 - m_step);
        m_latents = here;
        ++m_step;
        return predicted();
    }

private:
    static constexpr std::size_t kMostOrder = 2;

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

    /// Exact where the prediction does not change: both parts of a step begin so.
    static at::Tensor straight(const Interval& along, const at::Tensor& latents, const at::Tensor& clean)
    {
        return latents * (along.toSigma / along.fromSigma) - clean * (along.toAlpha * along.growth);
    }

    /// How fast the prediction changed before @p from, by the way from there to the next level.
    at::Tensor slope(const Interval& along, std::size_t from, const at::Tensor& before, const at::Tensor& here, double* ratio) const
    {
        *ratio = (logRatio(from - 1) - logRatio(from)) / along.step;
        return (before - here) / *ratio;
    }

    at::Tensor predicted() const
    {
        const std::size_t from = m_step - 1;
        const Interval along = interval(from);
        const at::Tensor result = straight(along, m_latents, m_clean[0]);
        if (m_order < 2)
            return result;
        double ratio = 0;
        return result - slope(along, from, m_clean[1], m_clean[0], &ratio) * (along.toAlpha * along.growth * 0.5);
    }

    /// @param clean the prediction at the level that predicted() led to
    at::Tensor corrected(const at::Tensor& clean) const
    {
        const std::size_t from = m_step - 1;
        const Interval along = interval(from);
        const at::Tensor result = straight(along, m_latents, m_clean[0]);
        const at::Tensor change = clean - m_clean[0];
        const double weight = along.toAlpha * along.growth;
        if (m_order < 2)
            return result - change * (weight * 0.5);
        // φ_2 and φ_3 of -h by φ_{k+1} = (φ_k - 1/k!) / -h, and the weights that make both orders exact.
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
    std::size_t m_order = 0;          ///< of the last prediction, and so of its correction
    at::Tensor m_latents;             ///< where the last prediction began
    std::deque<at::Tensor> m_clean;   ///< predictions of clean latents, the latest first
};

}  // namespace

std::unique_ptr<FlowSolver> makeSolver(const NoiseLevels& levels)
{
    if (levels.uniPc)
        return std::make_unique<UniPcSolver>(levels);
    return std::make_unique<EulerSolver>(levels);
}

}  // namespace engine
