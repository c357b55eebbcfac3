#include "engine/autograd/dropout_mask.h"

#include <ATen/Context.h>
#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/core/Generator.h>

#include <algorithm>
#include <array>
#include <span>

namespace engine {
namespace {

template <typename Number>
void drawOnCpu(Number* mask, std::int64_t count, double dropout, const RandomKey& key)
{
    constexpr std::int64_t kPiece = 4096;
    at::parallel_for(0, (count + kPiece - 1) / kPiece, 4, [&](std::int64_t begin, std::int64_t end) {
        std::array<float, kPiece> drawn;
        for (std::int64_t piece = begin; piece < end; ++piece) {
            const std::int64_t first = piece * kPiece, own = std::min(kPiece, count - first);
            fillUniform(std::span(drawn).first(static_cast<std::size_t>(own)), key, static_cast<std::uint64_t>(first));
            for (std::int64_t i = 0; i < own; ++i)
                mask[first + i] = drawn[static_cast<std::size_t>(i)] < dropout ? Number(0) : Number(1);
        }
    });
}

}  // namespace

void drawDropoutMask(const at::Tensor& mask, double dropout, const std::string& module, const PassDraws& draws)
{
    const std::int64_t rows = mask.numel() % draws.rows == 0 ? draws.rows : 1;
    const std::string purpose = "adapter dropout/" + module;
    const at::Tensor byRow_BN = mask.view({rows, -1});
    for (std::int64_t row = 0; row < rows; ++row) {
        const RandomKey key {draws.seed, purpose, draws.step, draws.firstRow + static_cast<std::uint64_t>(row)};
        const at::Tensor own = byRow_BN.select(0, row);
        if (!mask.is_cpu()) {
            at::Generator generator = at::globalContext().defaultGenerator(mask.device()).clone();
            generator.set_current_seed(streamSeed(key));
            own.bernoulli_(1 - dropout, generator);
            continue;
        }
        AT_DISPATCH_FLOATING_TYPES_AND2(at::kBFloat16, at::kHalf, mask.scalar_type(), "drawDropoutMask",
            [&] { drawOnCpu(own.data_ptr<scalar_t>(), own.numel(), dropout, key); });
    }
}

}  // namespace engine
