#include "engine/rounds/sample_groups.h"

#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include <stdexcept>
#include <utility>

namespace engine {

std::vector<SampleGroup> SampleGroups::add(
    const at::Tensor& images, const std::vector<std::uint64_t>& rows, const std::vector<std::int64_t>& prompts)
{
    const auto first = static_cast<std::int64_t>(rows.front()), micro = static_cast<std::int64_t>(rows.size());
    for (std::int64_t i = 0; i < micro; ++i)
        m_drawn[first + i] = {prompts[static_cast<std::size_t>(i)], images[i]};
    const std::int64_t together = m_dataRanks.size() * micro;
    const std::int64_t end = first - first % together + together;  // all ranks together have drawn the rows before this one
    std::vector<SampleGroup> groups;
    for (; (m_next + 1) * m_samples <= end; ++m_next) {
        const std::int64_t firstPass = m_next * m_samples / micro, lastPass = ((m_next + 1) * m_samples - 1) / micro;
        const bool isOfOneRank = m_dataRanks.size() == 1 || firstPass == lastPass;
        const std::int64_t owner = isOfOneRank ? firstPass % m_dataRanks.size() : m_next % m_dataRanks.size();
        if (isOfOneRank && owner != m_dataRanks.rank())
            continue;
        SampleGroup group = taken(m_next, images.sizes().slice(1));
        if (!isOfOneRank) {
            at::Tensor all = group.images.to(m_device), prompt = at::full({1}, group.prompt, at::kDouble).to(m_device);
            m_dataRanks.allReduceSum(all, "samples of a prompt");
            m_dataRanks.allReduceSum(prompt, "the prompt of samples");
            group.images = m_dataRanks.onHost(all);
            group.prompt = static_cast<std::int64_t>(m_dataRanks.onHost(prompt).item<double>());
        }
        if (owner == m_dataRanks.rank())
            groups.push_back(std::move(group));
    }
    return groups;
}

SampleGroup SampleGroups::taken(std::int64_t group, at::IntArrayRef shape)
{
    std::vector<std::int64_t> all = shape.vec();
    all.insert(all.begin(), m_samples);
    SampleGroup result {.firstRow = group * m_samples, .images = at::zeros(all, at::kFloat)};
    for (std::int64_t i = 0; i < m_samples; ++i) {
        const auto drawn = m_drawn.extract(result.firstRow + i);
        if (drawn.empty())
            continue;
        result.images.select(0, i).copy_(drawn.mapped().image);
        if (i == 0)
            result.prompt = drawn.mapped().prompt;
    }
    return result;
}

void SampleGroups::finishRound()
{
    m_next = 0;
    if (!m_drawn.empty())
        throw std::logic_error("SampleGroups: a round has ended within a group");
}

}  // namespace engine
