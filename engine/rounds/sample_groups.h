// Collects the samples of a prompt from the ranks that drew them, for rewards that compare them.
#pragma once
#include "engine/comm/group.h"

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <map>
#include <vector>

namespace engine {

/// All samples of a prompt: adjacent rows of a round, see [Note: rounds].
struct SampleGroup {
    std::int64_t firstRow = 0;
    std::int64_t prompt = 0;
    at::Tensor images;  ///< [samples of a prompt, …] on the CPU
};

class SampleGroups {
public:
    /// @p dataRanks must outlive this object. @param device that collectives of @p dataRanks take
    SampleGroups(std::int64_t samplesPerPrompt, Group& dataRanks, c10::Device device)
        : m_samples(samplesPerPrompt)
        , m_dataRanks(dataRanks)
        , m_device(device)
    {
    }

    /// Adds a pass of this rank; each pass of a round has equally many rows, in the order of [Note: rounds]. Collective.
    /// @param images [b, …] float32 on the CPU @param rows b adjacent rows of the round
    /// @return the groups that became complete and that this rank scores: those that it drew alone, and every size-th of the others.
    ///         Each group is returned on one rank.
    std::vector<SampleGroup> add(const at::Tensor& images, const std::vector<std::uint64_t>& rows, const std::vector<std::int64_t>& prompts);

    /// Begins a new round. @throws std::logic_error when a group is not complete.
    void finishRound();

private:
    struct Sample {
        std::int64_t prompt = 0;
        at::Tensor image;
    };
    /// Removes this rank's rows of a group. @return zeros in place of other ranks' rows; the prompt where the first row is this rank's, else 0
    SampleGroup taken(std::int64_t group, at::IntArrayRef shape);

    std::int64_t m_samples;
    Group& m_dataRanks;
    c10::Device m_device;
    std::int64_t m_next = 0;                  ///< the first group that is not complete
    std::map<std::int64_t, Sample> m_drawn;   ///< rows of this rank that are in no complete group
};

}  // namespace engine
