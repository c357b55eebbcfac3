#include "engine/contract/checkpoint/checkpoint_difference.h"

#include "engine/contract/formats/float_formats.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace contract {
namespace {

using Kind = TensorDifference::Kind;

constexpr std::uint64_t kChunk = std::uint64_t {1} << 20;  // values

std::uint64_t valuesIn(const ExportedTensor& exported)
{
    std::uint64_t values = 1;
    for (const std::int64_t extent : exported.tensor.shape)
        values *= static_cast<std::uint64_t>(extent);
    return values;
}

Kind kindOf(const ExportedTensor& first, const ExportedTensor& second)
{
    if (first.tensor.shape != second.tensor.shape)
        return Kind::OtherShape;
    return isFloatDtype(first.tensor.dtype) && isFloatDtype(second.tensor.dtype) ? Kind::Compared : Kind::NoNumbers;
}

}  // namespace

void ValueDifference::add(float a, float b)
{
    ++values;
    if (!std::isfinite(a) || !std::isfinite(b)) {
        ++notFinite;
        changed += a == b || (std::isnan(a) && std::isnan(b)) ? 0 : 1;
        return;
    }
    const double difference = static_cast<double>(b) - static_cast<double>(a);
    changed += difference == 0 ? 0 : 1;
    largest = std::max(largest, std::abs(difference));
    squaredDifference += difference * difference;
    squaredFirst += static_cast<double>(a) * static_cast<double>(a);
}

void ValueDifference::add(const ValueDifference& other)
{
    values += other.values;
    changed += other.changed;
    notFinite += other.notFinite;
    largest = std::max(largest, other.largest);
    squaredDifference += other.squaredDifference;
    squaredFirst += other.squaredFirst;
}

double ValueDifference::rms() const
{
    const std::uint64_t finite = values - notFinite;
    return finite == 0 ? 0 : std::sqrt(squaredDifference / static_cast<double>(finite));
}

double ValueDifference::relative() const
{
    return squaredDifference == 0 ? 0 : std::sqrt(squaredDifference / squaredFirst);
}

const char* wordsOf(Kind kind)
{
    switch (kind) {
    case Kind::Compared:
        return "";
    case Kind::OnlyInFirst:
        return "only in the first";
    case Kind::OnlyInSecond:
        return "only in the second";
    case Kind::OtherShape:
        return "the shapes differ";
    case Kind::NoNumbers:
        break;
    }
    return "not compared: no floating-point numbers";
}

std::string layerOf(std::string_view tensor)
{
    for (std::size_t begin = 0; begin < tensor.size();) {
        const std::size_t end = std::min(tensor.find('.', begin), tensor.size());
        const std::string_view part = tensor.substr(begin, end - begin);
        if (!part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos)
            return std::string(tensor.substr(0, end));
        begin = end + 1;
    }
    const std::size_t dot = tensor.rfind('.');
    return std::string(tensor.substr(0, dot));
}

std::vector<LayerDifference> byLayer(const std::vector<TensorDifference>& tensors)
{
    std::vector<LayerDifference> layers;
    std::map<std::string, std::size_t> places;
    for (const TensorDifference& tensor : tensors) {
        if (tensor.kind != Kind::Compared)
            continue;
        const std::string name = layerOf(tensor.name);
        const auto [place, isNew] = places.try_emplace(name, layers.size());
        if (isNew)
            layers.push_back({.name = name, .difference = {}});
        ++layers[place->second].tensors;
        layers[place->second].difference.add(tensor.difference);
    }
    return layers;
}

std::vector<TensorDifference> compareWeights(
    const CheckpointWeights& first, const CheckpointWeights& second, const std::function<bool(double)>& onProgress)
{
    std::map<std::string, const ExportedTensor*> others;
    for (const ExportedTensor& exported : second.tensors())
        others.emplace(exported.tensor.name, &exported);
    std::uint64_t all = 0, done = 0;
    for (const ExportedTensor& exported : first.tensors())
        all += valuesIn(exported);
    const auto reportProgress = [&] {
        if (onProgress && !onProgress(all == 0 ? 1 : static_cast<double>(done) / static_cast<double>(all)))
            throw ComparisonCancelled();
    };

    std::vector<TensorDifference> differences;
    for (const ExportedTensor& exported : first.tensors()) {
        TensorDifference& result = differences.emplace_back();
        result.name = exported.tensor.name;
        result.shape = exported.tensor.shape;
        const auto other = others.find(exported.tensor.name);
        result.kind = other == others.end() ? Kind::OnlyInFirst : kindOf(exported, *other->second);
        const std::uint64_t values = valuesIn(exported);
        for (std::uint64_t begin = 0; begin < values; begin += kChunk) {
            const std::uint64_t count = std::min(kChunk, values - begin);
            if (result.kind == Kind::Compared) {
                const std::vector<float> a = floatsOf(exported, begin, count), b = floatsOf(*other->second, begin, count);
                ValueDifference chunk;
                for (std::size_t i = 0; i < a.size(); ++i)
                    chunk.add(a[i], b[i]);
                result.difference.add(chunk);
            }
            done += count;
            reportProgress();
        }
        if (other != others.end())
            others.erase(other);
    }
    for (const ExportedTensor& exported : second.tensors()) {
        if (others.contains(exported.tensor.name))
            differences.push_back({.name = exported.tensor.name, .shape = exported.tensor.shape, .kind = Kind::OnlyInSecond, .difference = {}});
    }
    return differences;
}

}  // namespace contract
