// What a rank keeps of one flat buffer for as long as the model lives: master weights, EMA, gradients, optimizer states.
#pragma once
#include "engine/shard/flat_layout.h"
#include "engine/shard/parameter.h"
#include "engine/shard/shard_state.h"
#include "engine/shard/unit_options.h"

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace engine {

/// Parameters of one kind: all of them train or none does.
class Shard {
public:
    /// Draws the initial weights of this rank's part only; they are the same on any number of ranks.
    /// @param spec parameters of one kind, see partsOf()
    /// @param ranks that share the buffer, of which this is @p rank
    /// @param device of gathered parameters; shards are there too unless options.copies is set
    /// @param seed of the initial weights; nullopt when they will be loaded: they are zero until then
    Shard(UnitSpec spec, int ranks, int rank, c10::Device device, const UnitOptions& options, std::optional<std::uint64_t> seed);

    const std::string& name() const { return m_spec.name; }
    const UnitSpec& spec() const { return m_spec; }
    bool isTrained() const { return m_isTrained; }  ///< false: neither gradients nor an EMA nor optimizer states
    int rank() const { return m_rank; }
    const FlatLayout& layout() const { return m_layout; }
    const std::vector<LayoutTensor>& layoutTensors() const { return m_layoutTensors; }
    std::vector<LayoutPiece> pieces() const { return m_layout.pieces(m_layoutTensors, m_rank); }

    // [shardLength] each, float32 except master (trainedDtype, or the compute dtype where frozen weights are not stored). ema, old
    // and reference are undefined unless UnitOptions ask for them. gradShard holds sums over ranks and micro-batches: without
    // memory before the first reduction and at times after, see [Note: memory of gradients]; empty where nothing trains.
    at::Tensor master, ema, old, reference, gradShard;
    std::vector<ShardState> optimizerStates;  ///< filled by the optimizer; the same kinds on every rank

    /// The shard that @p weights means here.
    const at::Tensor& chosen(Weights weights) const;

    /// Makes the copies that are kept what they are when training begins: they equal master, but for an adapter's reference, which is
    /// zero.
    void startCopies();

    /// Everything a checkpoint holds of this shard: "model", "ema", "old" and "reference" if kept, and the optimizer's states. Empty
    /// for frozen parameters that are read from a folder at every start.
    std::vector<ShardState> storedStates() const;

    /// Copies this rank's part of a whole parameter into master (not into ema).
    /// @param whole float32, of the parameter's shape, on the CPU
    void setMaster(std::size_t index, const at::Tensor& whole);

    void allocateGradients();  ///< gives gradShard memory of its own; no-op where nothing trains
    void releaseGradients();   ///< takes its memory away

    /// To be called after anything but an optimizer has written to master, such as a load.
    void masterReplaced();

    /// Master weights in the compute dtype in host memory: what a gather uploads. Undefined unless UnitOptions::copies is set.
    const at::Tensor& hostCopy() const { return m_hostCopy; }

    /// A tensor [shardLength] where this shard is kept: pinned host memory or the device. Uninitialised.
    at::Tensor makeTensor(at::ScalarType dtype) const;

protected:
    /// Moves tensors to @p device, those that go to the host into pinned memory. Does not wait for the copies.
    void moveTensors(c10::Device device, ShardParts parts);

private:
    bool isStored() const;
    at::ScalarType masterDtype() const;
    void initialise(std::optional<std::uint64_t> seed);
    void draw(std::uint64_t seed, float* values) const;

    UnitSpec m_spec;
    int m_rank;
    c10::Device m_device;
    bool m_isOnHost;
    bool m_storesFrozen, m_keepsAverage, m_keepsOld, m_keepsReference;
    at::ScalarType m_computeDtype, m_trainedDtype;
    bool m_isTrained;
    std::vector<LayoutTensor> m_layoutTensors;
    FlatLayout m_layout;
    at::Tensor m_hostCopy;
    at::Tensor m_noGradients;  ///< gradShard without memory
};

}  // namespace engine
