#include "engine/rounds/stored_round.h"

#include <ATen/ops/tensor.h>

#include <utility>

namespace engine {

StoredRound::StoredRound(
    const contract::PolicySettings& settings, const RolloutNeeds& needs, const std::vector<std::string>& predictions, Sizes sizes)
    : m_sizes(std::move(sizes))
{
    if (settings.isForward) {
        m_samples = {{"clean", &DrawnRows::clean, m_sizes.latent}};
        m_samples.front().shape.insert(m_samples.front().shape.begin(), m_sizes.rows);
    } else {
        m_samples = {{"latents", &DrawnRows::latents, latents(m_sizes.stochasticSteps + 1)},
            {"log_probs", &DrawnRows::logProbs, {m_sizes.rows, m_sizes.stochasticSteps}}};
        if (needs.stepMeans)
            m_samples.push_back({"means", &DrawnRows::means, latents(m_sizes.stochasticSteps)});
    }
    if (!settings.arePairs())
        m_fields["advantages"] = {m_sizes.rows, m_sizes.timesteps};
    for (const std::string& name : predictions)
        m_fields[name] = name == "old_log_probs" || name == "rollout_is_weights" ? std::vector {m_sizes.rows, m_sizes.timesteps} : latents(m_sizes.timesteps);
}

std::vector<std::int64_t> StoredRound::latents(std::int64_t perRow) const
{
    std::vector<std::int64_t> shape = {m_sizes.rows, perRow};
    shape.insert(shape.end(), m_sizes.latent.begin(), m_sizes.latent.end());
    return shape;
}

void StoredRound::add(RankData& data, std::int64_t micro, const TrainedRows& rows) const
{
    data.tensors[nameOf(micro, "prompts")] = at::tensor(rows.drawn.prompts, at::kLong);
    for (const Stored& stored : m_samples)
        data.tensors[nameOf(micro, stored.name)] = rows.drawn.*stored.tensor;
    for (const auto& [name, shape] : m_fields)
        data.tensors[nameOf(micro, name)] = rows.fields.at(name);
}

void StoredRound::readSamples(DataFiles& data, std::int64_t micro, DrawnRows& rows) const
{
    const at::Tensor prompts = data.read(nameOf(micro, "prompts"), at::kLong, {m_sizes.rows});
    rows.prompts.assign(prompts.const_data_ptr<std::int64_t>(), prompts.const_data_ptr<std::int64_t>() + m_sizes.rows);
    for (const std::int64_t prompt : rows.prompts) {
        if (prompt < 0 || prompt >= m_sizes.prompts)
            data.refuse("a sample of its round was drawn for prompt " + std::to_string(prompt) + ", but there are only "
                + std::to_string(m_sizes.prompts));
    }
    for (const Stored& stored : m_samples)
        rows.*stored.tensor = data.read(nameOf(micro, stored.name), at::kFloat, stored.shape);
}

NamedTensors StoredRound::readFields(DataFiles& data, std::int64_t micro) const
{
    NamedTensors fields;
    for (const auto& [name, shape] : m_fields)
        fields[name] = data.read(nameOf(micro, name), at::kFloat, shape);
    return fields;
}

}  // namespace engine
