#include "engine/rounds/gathered_samples.h"

#include <ATen/ops/zeros.h>

#include <algorithm>

namespace engine {

at::Tensor gatheredSamples(const std::vector<DrawnRows>& drawn, const std::vector<std::int64_t>& rows, Group& dataRanks)
{
    std::vector<std::int64_t> shape = drawn.front().clean.sizes().vec();
    shape.front() = static_cast<std::int64_t>(rows.size());
    at::Tensor samples = at::zeros(shape, drawn.front().clean.options());
    for (const DrawnRows& micro : drawn) {
        for (std::size_t i = 0; i < micro.rows.size(); ++i) {
            const auto found = std::ranges::find(rows, static_cast<std::int64_t>(micro.rows[i]));
            if (found != rows.end())
                samples.select(0, found - rows.begin()).copy_(micro.clean.select(0, static_cast<std::int64_t>(i)));
        }
    }
    dataRanks.allReduceSum(samples, "samples of other ranks");
    return samples;
}

}  // namespace engine
