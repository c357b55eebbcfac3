#include "engine/train/shared_preparation.h"

#include "engine/comm/data_collectives.h"

#include <ATen/ops/zeros.h>

#include <exception>

namespace engine {

std::vector<std::size_t> missingAnywhere(
    Group& ranks, c10::Device device, std::size_t count, const std::function<bool(std::size_t)>& isThere)
{
    const at::Tensor lacking = at::zeros({static_cast<std::int64_t>(count)}, at::kByte);
    auto* const flags = lacking.mutable_data_ptr<std::uint8_t>();
    for (std::size_t i = 0; i < count; ++i)
        flags[i] = isThere(i) ? 0 : 1;
    const at::Tensor anywhere = allReduced(ranks, lacking, ReduceOp::Max, device).tensor();
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < count; ++i) {
        if (anywhere.const_data_ptr<std::uint8_t>()[i] != 0)
            missing.push_back(i);
    }
    return missing;
}

std::vector<std::string> textsOfAll(
    Group& ranks, c10::Device device, std::size_t count, std::size_t length, const std::function<std::string(std::size_t)>& work)
{
    const auto rank = static_cast<std::size_t>(ranks.rank()), size = static_cast<std::size_t>(ranks.size());
    const at::Tensor mine = at::zeros({static_cast<std::int64_t>(count * length)}, at::kByte);
    for (std::size_t i = rank; i < count; i += size) {
        try {
            work(i).copy(reinterpret_cast<char*>(mine.mutable_data_ptr<std::uint8_t>()) + i * length, length);
        } catch (const std::exception&) {
        }
    }
    const at::Tensor all = allReduced(ranks, mine, ReduceOp::Max, device).tensor();
    const auto* const bytes = reinterpret_cast<const char*>(all.const_data_ptr<std::uint8_t>());
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < count; ++i)
        texts.emplace_back(bytes + i * length, bytes[i * length] == 0 ? 0 : length);
    return texts;
}

void divideAmong(
    Group& ranks, std::size_t count, const char* what, const PreparationProgress& tell, const std::function<void(std::size_t)>& work)
{
    constexpr std::size_t kTellEvery = 20;
    const auto rank = static_cast<std::size_t>(ranks.rank()), size = static_cast<std::size_t>(ranks.size());
    for (std::size_t i = rank, mine = 0; i < count; i += size, ++mine) {
        if (mine % kTellEvery == 0)
            tell(std::string("encodes ") + what + ": " + std::to_string(i) + " of " + std::to_string(count));
        work(i);
    }
    ranks.barrier("after encoding");
}

}  // namespace engine
