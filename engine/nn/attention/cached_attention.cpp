#include "engine/nn/attention/cached_attention.h"

#include "engine/kernels/layer_kernels.h"
#include "engine/kernels/matrix_product.h"

#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <vector>

namespace engine {
namespace {

std::int64_t queriesAtOnce(const HeadMatrices& heads, std::int64_t weights)
{
    return std::clamp<std::int64_t>(weights / heads.key.size(1), 1, heads.query.size(1));
}

/// Calls body(head, scratch) for all heads; each thread has its own scratch memory of @p shape.
template <typename Body>
void forHeads(const at::Tensor& matrices, std::vector<std::int64_t> shape, Arena& arena, Body body)
{
    const std::int64_t count = matrices.size(0), threads = std::min<std::int64_t>(at::get_num_threads(), count);
    const std::int64_t share = (count + threads - 1) / threads;
    shape.insert(shape.begin(), threads);
    const Arena::Mark mark = arena.mark();
    const at::Tensor scratch = arena.allocate(shape, matrices.scalar_type());
    const bool isInference = c10::InferenceMode::is_enabled();  // thread-local in LibTorch
    at::parallel_for(0, threads, 1, [&](std::int64_t begin, std::int64_t end) {
        const c10::InferenceMode mode(isInference);
        for (std::int64_t thread = begin; thread < end; ++thread) {
            for (std::int64_t head = thread * share; head < std::min(count, (thread + 1) * share); ++head)
                body(head, scratch.select(0, thread));
        }
    });
    arena.release(mark);
}

/// weights = softmax(Q K^T + bias) of some queries of one head.
void computeWeights(const at::Tensor& weights, const at::Tensor& query, const HeadMatrices& heads, std::int64_t head, const at::Tensor& keyBias)
{
    multiply(weights, query, heads.key.select(0, head).t(), false);
    softmax(weights, keyBias.defined() ? keyBias.narrow(0, head * keyBias.size(0) / heads.key.size(0), 1) : keyBias);
}

}  // namespace

void attendByHead(const HeadMatrices& heads, const at::Tensor& keyBias, const at::Tensor& mixed, Arena& scratch,
    std::int64_t weightsAtOnce)
{
    const std::int64_t queries = heads.query.size(1), atOnce = queriesAtOnce(heads, weightsAtOnce);
    forHeads(heads.query, {atOnce, heads.key.size(1)}, scratch, [&](std::int64_t head, const at::Tensor& memory) {
        for (std::int64_t first = 0; first < queries; first += atOnce) {
            const std::int64_t count = std::min(atOnce, queries - first);
            const auto some = [&](const at::Tensor& all) { return all.select(0, head).narrow(0, first, count); };
            const at::Tensor weights = memory.narrow(0, 0, count);
            computeWeights(weights, some(heads.query), heads, head, keyBias);
            multiply(some(mixed), weights, heads.value.select(0, head), false);
        }
    });
}

void attendByHeadBackward(const at::Tensor& gradient, const HeadMatrices& heads, const at::Tensor& keyBias,
    const HeadMatrices& d, Arena& scratch, std::int64_t weightsAtOnce)
{
    const std::int64_t queries = heads.query.size(1), atOnce = queriesAtOnce(heads, weightsAtOnce);
    forHeads(heads.query, {2, atOnce, heads.key.size(1)}, scratch, [&](std::int64_t head, const at::Tensor& memory) {
        for (std::int64_t first = 0; first < queries; first += atOnce) {
            const std::int64_t count = std::min(atOnce, queries - first);
            const auto some = [&](const at::Tensor& all) { return all.select(0, head).narrow(0, first, count); };
            const at::Tensor weights = memory.select(0, 0).narrow(0, 0, count);
            const at::Tensor dWeights = memory.select(0, 1).narrow(0, 0, count);
            computeWeights(weights, some(heads.query), heads, head, keyBias);
            multiply(d.value.select(0, head), weights.t(), some(gradient), first > 0);
            multiply(dWeights, some(gradient), heads.value.select(0, head).t(), false);
            softmaxBackward(weights, dWeights);
            multiply(some(d.query), dWeights, heads.key.select(0, head), false);
            multiply(d.key.select(0, head), dWeights.t(), some(heads.query), first > 0);
        }
    });
}

}  // namespace engine
