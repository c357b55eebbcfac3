#include "engine/shard/flat_layout.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

namespace engine {
namespace {

constexpr std::int64_t kAlignment = 16;
constexpr std::int64_t kSmallElements = 1024;  // 4 kB of float32

std::int64_t roundUp(std::int64_t value, std::int64_t multiple)
{
    return (value + multiple - 1) / multiple * multiple;
}

bool isSmall(const LayoutTensor& tensor) { return tensor.elements < kSmallElements; }

/// The alignment of the tensor's offset in the buffer.
std::int64_t alignmentOf(const LayoutTensor& tensor) { return std::lcm(kAlignment, tensor.block); }

/// The tensors placed for one shard length; the end may be beyond worldSize shards.
struct Placement {
    std::vector<std::int64_t> offsets;
    std::int64_t decayedEnd = 0;
    std::int64_t end = 0;
};

Placement place(const std::vector<LayoutTensor>& tensors, std::int64_t shardLength, bool keepsRows)
{
    Placement result;
    result.offsets.resize(tensors.size());
    std::int64_t cursor = 0;
    for (const bool decayed : {true, false}) {
        for (std::size_t i = 0; i < tensors.size(); ++i) {
            if (tensors[i].isDecayed != decayed)
                continue;
            std::int64_t offset = roundUp(cursor, alignmentOf(tensors[i]));
            const bool straddles
                = offset / shardLength != (offset + tensors[i].elements - 1) / shardLength;
            if (straddles && isSmall(tensors[i]) && keepsRows)
                offset = roundUp(offset, shardLength);
            else if (straddles && keepsRows)
                offset = roundUp(offset, std::lcm(tensors[i].rowLength, alignmentOf(tensors[i])));
            result.offsets[i] = offset;
            cursor = offset + tensors[i].elements;
        }
        if (decayed)
            result.decayedEnd = cursor;
    }
    result.end = cursor;
    return result;
}

/// The least common multiple of @p grain and the row lengths of all tensors that may be split; 0 when it is above @p limit.
std::int64_t commonRowLength(const std::vector<LayoutTensor>& tensors, std::int64_t grain, std::int64_t limit)
{
    std::int64_t common = grain;
    for (const LayoutTensor& tensor : tensors) {
        if (!isSmall(tensor))
            common = std::lcm(common, tensor.rowLength);
        if (common > limit)
            return 0;
    }
    return common;
}

void check(const std::vector<LayoutTensor>& tensors, int worldSize)
{
    if (tensors.empty() || worldSize < 1)
        throw std::invalid_argument("planLayout: " + std::to_string(tensors.size())
            + " tensors on " + std::to_string(worldSize) + " ranks");
    for (const LayoutTensor& tensor : tensors) {
        if (tensor.elements < 1 || tensor.rowLength < 1 || tensor.elements % tensor.rowLength != 0 || tensor.block < 1)
            throw std::invalid_argument("planLayout: " + std::to_string(tensor.elements) + " elements in rows of "
                + std::to_string(tensor.rowLength) + " and blocks of " + std::to_string(tensor.block));
    }
}

}  // namespace

FlatLayout planLayout(const std::vector<LayoutTensor>& tensors, int worldSize)
{
    check(tensors, worldSize);
    std::int64_t total = 0, finest = kAlignment;
    for (const LayoutTensor& tensor : tensors) {
        total += roundUp(tensor.elements, alignmentOf(tensor));
        finest = std::lcm(finest, tensor.block);
    }

    const std::int64_t mostPadding = std::max<std::int64_t>(total / 16, worldSize * kAlignment);
    const std::int64_t common = commonRowLength(tensors, finest, mostPadding / worldSize + kAlignment);
    for (const bool keepsRows : {true, false}) {
        const std::int64_t grain = keepsRows ? common : finest;
        if (grain == 0)
            continue;
        std::int64_t shardLength = roundUp((total + worldSize - 1) / worldSize, grain);
        for (; shardLength * worldSize <= total + mostPadding || !keepsRows; shardLength += grain) {
            Placement placed = place(tensors, shardLength, keepsRows);
            if (placed.end <= shardLength * worldSize)
                return {worldSize, shardLength, placed.decayedEnd, std::move(placed.offsets)};
        }
    }
    throw std::logic_error("planLayout: found no layout");
}

std::vector<LayoutPiece> FlatLayout::pieces(
    const std::vector<LayoutTensor>& tensors, int rank) const
{
    std::vector<LayoutPiece> result;
    const std::int64_t begin = rank * shardLength;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const std::int64_t from = std::max(begin, offsets[i]);
        const std::int64_t to = std::min(begin + shardLength, offsets[i] + tensors[i].elements);
        if (from < to)
            result.push_back({i, from - offsets[i], from - begin, to - from});
    }
    std::ranges::sort(result, {}, &LayoutPiece::shardBegin);
    return result;
}

std::int64_t FlatLayout::decayedCount(int rank) const
{
    return std::clamp<std::int64_t>(decayedEnd - rank * shardLength, 0, shardLength);
}

}  // namespace engine
