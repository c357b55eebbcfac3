#include "engine/optim/adamw8bit.h"

#include <ATen/Parallel.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>

namespace engine {
namespace {

enum State : std::size_t { kCodes1 = 2, kLargest1, kCodes2, kLargest2 };  // after the two states of adamWStates()

}  // namespace

/// This rank's piece of one parameter.
struct AdamW8bit::Blocks {
    std::int64_t begin, count;  ///< elements of the shard
    at::Tensor codes1, codes2;      ///< [count]
    at::Tensor largest1, largest2;  ///< [blocks]
};

AdamW8bit::AdamW8bit(UnitSequence& units, AdamWOptions options)
    : m_units(units)
    , m_options(options)
{
    for (std::size_t index = 0; index < units.size(); ++index) {
        Unit& unit = units[index];
        if (!unit.isTrained())
            continue;
        std::vector<bool> isSmall, isLarge;
        for (const LayoutTensor& tensor : unit.layoutTensors()) {
            isLarge.push_back(tensor.elements >= ShardState::kFewestInBlocks);
            isSmall.push_back(!isLarge.back());
            if (isLarge.back() && tensor.block % kBlock != 0)
                throw std::logic_error(unit.name() + " was not laid out for state blocks of " + std::to_string(kBlock));
        }
        unit.optimizerStates = adamWStates(unit, isSmall);
        const auto add = [&](const char* name, std::int64_t blockSize, at::ScalarType dtype, std::uint8_t initial) {
            ShardState state {name, {}, blockSize, isLarge};
            state.values = at::full({stateLength(state, unit.pieces())}, initial, unit.gradShard.options().dtype(dtype));
            unit.optimizerStates.push_back(std::move(state));
        };
        add("exp_avg_8bit", 1, at::kByte, m_signed.zero());
        add("exp_avg_absmax", kBlock, at::kFloat, 0);
        add("exp_avg_sq_8bit", 1, at::kByte, m_unsigned.zero());
        add("exp_avg_sq_absmax", kBlock, at::kFloat, 0);
    }
}

void AdamW8bit::update(std::size_t index, const OptimizerStep& step)
{
    Unit& unit = m_units[index];
    if (!unit.isTrained())
        return;
    updateAdamWPart(unit, m_options, step);
    const AdamWCoefficients decayed(m_options, step, true), kept(m_options, step, false);
    std::int64_t elements = 0, blocks = 0;
    for (const LayoutPiece& piece : unit.pieces()) {
        if (!unit.optimizerStates[kCodes1].covers[piece.tensor])
            continue;
        const std::int64_t blockCount = (piece.count + kBlock - 1) / kBlock;
        const auto part = [&](State state, std::int64_t begin, std::int64_t count) {
            return unit.optimizerStates[state].values.narrow(0, begin, count);
        };
        const Blocks own {piece.shardBegin, piece.count, part(kCodes1, elements, piece.count),
            part(kCodes2, elements, piece.count), part(kLargest1, blocks, blockCount),
            part(kLargest2, blocks, blockCount)};
        const AdamWCoefficients& c = unit.layoutTensors()[piece.tensor].isDecayed ? decayed : kept;
        if (hasCpuKernels(unit))
            updateOnCpu(unit, own, c);
        else
            updateByTensors(unit, own, c);
        elements += piece.count;
        blocks += blockCount;
    }
}

void AdamW8bit::updateOnCpu(Unit& unit, const Blocks& blocks, const AdamWCoefficients& c) const
{
    constexpr std::int64_t kGrain = 64;  // blocks
    const at::Tensor slot = unit.slotToRefresh();
    auto* const codes1 = blocks.codes1.data_ptr<std::uint8_t>();
    auto* const codes2 = blocks.codes2.data_ptr<std::uint8_t>();
    auto* const largest1 = blocks.largest1.data_ptr<float>();
    auto* const largest2 = blocks.largest2.data_ptr<float>();
    at::parallel_for(0, blocks.largest1.numel(), kGrain, [&](std::int64_t begin, std::int64_t end) {
        float moment1[kBlock], moment2[kBlock];
        for (std::int64_t block = begin; block < end; ++block) {
            const std::int64_t first = block * kBlock, count = std::min(kBlock, blocks.count - first);
            m_signed.decode(codes1 + first, largest1[block], moment1, count);
            m_unsigned.decode(codes2 + first, largest2[block], moment2, count);
            const auto at = [&](const at::Tensor& shard) {
                return shard.defined() ? shard.data_ptr<float>() + blocks.begin + first : nullptr;
            };
            void* const copy = slot.defined()
                ? static_cast<std::byte*>(slot.data_ptr()) + (blocks.begin + first) * static_cast<std::int64_t>(slot.element_size())
                : nullptr;
            updateAdamW({at(unit.master), at(unit.ema), moment1, moment2, at(unit.gradShard), copy, unit.computeDtype()},
                count, c);
            largest1[block] = m_signed.encode(moment1, codes1 + first, count);
            largest2[block] = m_unsigned.encode(moment2, codes2 + first, count);
        }
    });
}

void AdamW8bit::updateByTensors(Unit& unit, const Blocks& blocks, const AdamWCoefficients& c) const
{
    const at::Tensor moment1 = m_signed.decode(blocks.codes1, blocks.largest1);
    const at::Tensor moment2 = m_unsigned.decode(blocks.codes2, blocks.largest2);
    updateAdamW(unit, blocks.begin, moment1, moment2, c);
    m_signed.encode(moment1, blocks.codes1, blocks.largest1);
    m_unsigned.encode(moment2, blocks.codes2, blocks.largest2);
}

}  // namespace engine
