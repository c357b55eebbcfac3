#include "engine/algorithm/kept_judge.h"

#include "engine/contract/formats/checksum.h"
#include "engine/data/feature_cache.h"

#include <exception>
#include <optional>
#include <stdexcept>
#include <utility>

namespace engine {
namespace {

constexpr char kFolder[] = "digit-judges";
constexpr int kTraining = 1;  // to be increased when DigitJudge::train() makes others of the same data and seed

void add(contract::Checksum& sum, const at::Tensor& tensor)
{
    const at::Tensor bytes = tensor.cpu().contiguous();
    sum.add(bytes.const_data_ptr(), bytes.nbytes());
}

/// A key of everything that decides a classifier's weights.
std::string keyOf(const DataSplit& data, std::uint64_t seed, DigitNetwork::Shape shape)
{
    contract::Checksum sum;
    add(sum, data.training.images);
    add(sum, data.training.labels);
    return FeatureCache::keyOf("digit judge " + std::to_string(kTraining) + ' ' + std::to_string(static_cast<int>(shape)) + ' '
        + std::to_string(seed) + ' ' + std::to_string(data.training.classes) + ' ' + sum.text());
}

}  // namespace

DigitJudge keptDigitJudge(
    const DataSplit& data, std::uint64_t seed, DigitNetwork::Shape shape, const KeptJudges& kept, const std::string& use)
{
    std::optional<FeatureCache> cache;
    const std::string key = keyOf(data, seed, shape);
    // A cache that cannot be used costs only the time of training.
    try {
        cache.emplace(kept.cache / kFolder);
        if (cache->has(key))
            return DigitJudge::withWeights(data, shape, cache->read(key));
    } catch (const std::exception& error) {
        kept.warn("the kept classifier of digits is not used: " + std::string(error.what()));
    }
    kept.onTraining("trains the classifier that " + use);
    DigitJudge judge = DigitJudge::train(data, seed, shape);
    try {
        if (cache)
            cache->write(key, judge.weights());
    } catch (const std::exception& error) {
        kept.warn("the classifier of digits is not kept for later runs: " + std::string(error.what()));
    }
    return judge;
}

}  // namespace engine
