#include "engine/rounds/experience.h"

namespace engine {
namespace {

class TrajectoryExperience final : public Experience {
public:
    explicit TrajectoryExperience(const Rollout& rollout)
        : m_rollout(rollout)
    {
    }

    std::int64_t timesteps() const override { return m_rollout.stochasticSteps(); }

    TrainedRows rows(DrawnRows drawn, std::int64_t /*round*/) const override
    {
        TrainedRows rows {.drawn = std::move(drawn), .latents = {}, .timesteps = {}, .fields = {}};
        rows.drawn.clean.reset();
        rows.latents = rows.drawn.latents.narrow(1, 0, timesteps());
        rows.fields = {{"old_log_probs", rows.drawn.logProbs}, {"next_latents", rows.drawn.latents.narrow(1, 1, timesteps())}};
        if (rows.drawn.weights.defined())
            rows.fields["rollout_is_weights"] = rows.drawn.weights;
        if (rows.drawn.means.defined())
            rows.fields["old_prev_sample_mean"] = rows.drawn.means;
        for (std::int64_t timestep = 0; timestep < timesteps(); ++timestep)
            rows.timesteps.push_back(m_rollout.timesteps(stepsOf(rows, timestep)));
        return rows;
    }

    NamedTensors outputs(const TrainedRows& rows, std::int64_t timestep, const at::Tensor& velocity) const override
    {
        const auto column = [&](const at::Tensor& values) { return values.select(1, timestep).clone(); };
        const Transition taken = m_rollout.step(column(rows.latents), velocity, stepsOf(rows, timestep));
        return {{"log_probs", logProbability(taken, column(rows.fields.at("next_latents")))}, {"prev_sample_mean", taken.mean},
            {"std_dev_t", taken.deviation}, {"transition_std", taken.spread}, {"sqrt_dt", taken.sqrtDt}, {"noise_pred", velocity}};
    }

private:
    std::vector<RowStep> stepsOf(const TrainedRows& rows, std::int64_t timestep) const
    {
        std::vector<RowStep> steps;
        for (const SdeWindow& window : rows.drawn.windows)
            steps.push_back({window.start + timestep, m_rollout.noiseLevel()});
        return steps;
    }

    const Rollout& m_rollout;
};

}  // namespace

std::unique_ptr<Experience> trajectoryExperience(const Rollout& rollout)
{
    return std::make_unique<TrajectoryExperience>(rollout);
}

}  // namespace engine
