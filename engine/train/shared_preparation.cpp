#include "engine/train/shared_preparation.h"

namespace engine {

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
