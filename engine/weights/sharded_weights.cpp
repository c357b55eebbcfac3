#include "engine/weights/sharded_weights.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <c10/util/accumulate.h>

#include <algorithm>

namespace engine {

const at::Tensor& ShardedWeights::localShard(
    const std::string& name, at::ScalarType dtype, std::int64_t elements, std::int64_t length) const
{
    const auto [place, isNew] = m_shards.try_emplace(name);
    if (isNew) {
        place->second = at::zeros({length}, at::TensorOptions().dtype(dtype).device(m_device));
        const std::int64_t begin = std::min(length * m_ranks.rank(), elements), count = std::min(length, elements - begin);
        if (count > 0)
            m_source.read(name, begin, place->second.narrow(0, 0, count));
    }
    return place->second;
}

at::Tensor ShardedWeights::gathered(const std::string& name, at::ScalarType dtype) const
{
    const std::vector<std::int64_t>& shape = m_source.shape(name);
    const std::int64_t elements = c10::multiply_integers(shape);
    const std::int64_t length = (elements + m_ranks.size() - 1) / m_ranks.size();
    const at::Tensor& shard = localShard(name, dtype, elements, length);
    const at::Tensor all = at::empty({length * m_ranks.size()}, shard.options());
    all.narrow(0, length * m_ranks.rank(), length).copy_(shard);
    Pending pending = m_ranks.startAllGather(all, name);
    m_ranks.wait(pending);
    return all.narrow(0, 0, elements).view(shape);
}

}  // namespace engine
