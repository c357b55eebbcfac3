#include "tests/engine/shard/late_device.h"

#include <ATen/EmptyTensor.h>
#include <ATen/NativeFunctions.h>
#include <ATen/native/CPUFallback.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/library.h>

#include <cstdlib>
#include <deque>
#include <map>
#include <string>
#include <utility>

namespace {

constexpr auto kType = c10::DeviceType::PrivateUse1;

/// The same memory as a tensor of the CPU.
at::Tensor onCpu(const at::Tensor& tensor)
{
    if (tensor.is_cpu())
        return tensor;
    return at::from_blob(tensor.data_ptr(), tensor.sizes(), tensor.strides(), tensor.options().device(at::kCPU));
}

tests::LateCounts counts;
int fallbacks = 0;  ///< calls of the CPU's operators that are under way: their copies are none of the device's

void countWait() { counts.waits += fallbacks == 0 ? 1 : 0; }

struct LateCopy {
    c10::StreamId stream;
    std::uint64_t number;
    at::Tensor from, to;
};

struct Queue {
    std::deque<LateCopy> copies;
    std::uint64_t last = 0;
    c10::StreamId current = 0, newest = 0;

    enum class For { Device, Host };

    /// What @p stream was given up to @p number. Where only the device waits, the host does not see yet what came to it.
    void run(c10::StreamId stream, std::uint64_t number, For whom)
    {
        for (LateCopy& each : copies) {
            if (each.stream != stream || each.number > number)
                continue;
            if (whom == For::Device && each.to.is_cpu() && !each.from.is_cpu())
                each.from = onCpu(each.from).clone();
            else if (whom == For::Host || !each.to.is_cpu())
                onCpu(std::exchange(each.to, at::Tensor())).copy_(onCpu(each.from));
        }
        std::erase_if(copies, [](const LateCopy& each) { return !each.to.defined(); });
    }
};

Queue& queue()
{
    static Queue queue;
    return queue;
}

struct Moment {
    c10::StreamId stream;
    std::uint64_t number;
    int operators;
};

struct Guard final : c10::impl::DeviceGuardImplInterface {
    static c10::Stream stream(c10::StreamId id) { return c10::Stream(c10::Stream::UNSAFE, {kType, 0}, id); }

    c10::DeviceType type() const override { return kType; }
    c10::Device exchangeDevice(c10::Device) const override { return {kType, 0}; }
    c10::Device getDevice() const override { return {kType, 0}; }
    void setDevice(c10::Device) const override { }
    void uncheckedSetDevice(c10::Device) const noexcept override { }
    c10::DeviceIndex deviceCount() const noexcept override { return 1; }
    c10::Stream getStream(c10::Device) const override { return stream(queue().current); }
    c10::Stream getNewStream(c10::Device, int) const override { return stream(++queue().newest); }
    c10::Stream exchangeStream(c10::Stream next) const override
    {
        return stream(std::exchange(queue().current, next.id()));
    }
    void record(void** event, const c10::Stream& on, c10::DeviceIndex, c10::EventFlag) const override
    {
        destroyEvent(std::exchange(*event, nullptr), 0);
        *event = new Moment {on.id(), queue().last, counts.operators};
    }
    void block(void* event, const c10::Stream&) const override { run(event, Queue::For::Device); }
    void synchronizeEvent(void* event) const override
    {
        countWait();
        run(event, Queue::For::Host);
    }
    bool queryEvent(void*) const override { return true; }
    double elapsedTime(void* from, void* to, c10::DeviceIndex) const override
    {
        return static_cast<Moment*>(to)->operators - static_cast<Moment*>(from)->operators;
    }
    static void run(void* event, Queue::For whom)
    {
        const auto* const moment = static_cast<Moment*>(event);
        queue().run(moment->stream, moment->number, whom);
    }
    void destroyEvent(void* event, c10::DeviceIndex) const noexcept override { delete static_cast<Moment*>(event); }
};
C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard)

/// Memory by its size, rounded up as CUDA's caching allocator does, and what is free of it.
struct Block {
    std::size_t bytes;
    void* memory;
};

std::multimap<std::size_t, Block*>& freeBlocks()
{
    static auto* const blocks = new std::multimap<std::size_t, Block*>;  // tensors may outlive static objects
    return *blocks;
}

struct Memory final : c10::Allocator {
    static void release(void* context)
    {
        auto* const block = static_cast<Block*>(context);
        if (block)
            freeBlocks().emplace(block->bytes, block);
    }
    c10::DataPtr allocate(std::size_t bytes) override
    {
        constexpr std::size_t kUnit = 512;
        if (bytes == 0)
            return {nullptr, nullptr, &release, {kType, 0}};
        const std::size_t rounded = (bytes + kUnit - 1) / kUnit * kUnit;
        Block* block = nullptr;
        if (const auto found = freeBlocks().find(rounded); found != freeBlocks().end()) {
            block = found->second;
            freeBlocks().erase(found);
        } else {
            ++counts.allocations;
            block = new Block {rounded, std::malloc(rounded)};
        }
        return {block->memory, block, &release, {kType, 0}};
    }
    c10::DeleterFnPtr raw_deleter() const override { return nullptr; }
    void copy_data(void* to, const void* from, std::size_t bytes) const override { default_copy_data(to, from, bytes); }
};

c10::Allocator* memory()
{
    static Memory memory;
    return &memory;
}

const c10::DispatchKeySet kKey(c10::DispatchKey::PrivateUse1);

at::Tensor empty(at::IntArrayRef shape, std::optional<at::ScalarType> dtype, std::optional<at::Layout>,
    std::optional<at::Device>, std::optional<bool>, std::optional<at::MemoryFormat> format)
{
    return at::detail::empty_generic(shape, memory(), kKey, dtype.value_or(at::kFloat), format);
}

at::Tensor emptyStrided(at::IntArrayRef shape, at::IntArrayRef strides, std::optional<at::ScalarType> dtype,
    std::optional<at::Layout>, std::optional<at::Device>, std::optional<bool>)
{
    return at::detail::empty_strided_generic(shape, strides, memory(), kKey, dtype.value_or(at::kFloat));
}

at::Tensor copyFrom(const at::Tensor& from, const at::Tensor& to, bool isNonBlocking)
{
    if (!isNonBlocking && from.is_cpu() != to.is_cpu())
        countWait();
    if (isNonBlocking && queue().current != 0)
        queue().copies.push_back({queue().current, ++queue().last, from, to});
    else
        onCpu(to).copy_(onCpu(from));
    return to;
}

at::Tensor copyFromAndResize(const at::Tensor& from, const at::Tensor& to)
{
    at::native::resize_(to, from.sizes(), std::nullopt);
    return copyFrom(from, to, false);
}

/// Operators whose result's size is only known when the device has computed it.
bool waitsForItsSize(const std::string& name)
{
    return name == "aten::nonzero" || name == "aten::masked_select" || name == "aten::equal" || name == "aten::is_nonzero";
}

void onTheCpu(const c10::OperatorHandle& op, torch::jit::Stack* stack)
{
    if (waitsForItsSize(op.schema().name()))
        countWait();
    counts.operators += fallbacks == 0 ? 1 : 0;
    ++fallbacks;
    at::native::cpu_fallback(op, stack);
    --fallbacks;
}

at::Scalar item(const at::Tensor& tensor)
{
    countWait();
    return onCpu(tensor).item();
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) { m.fallback(torch::CppFunction::makeFromBoxedFunction<&onTheCpu>()); }

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    m.impl("empty.memory_format", empty);
    m.impl("empty_strided", emptyStrided);
    m.impl("_copy_from", copyFrom);
    m.impl("_copy_from_and_resize", copyFromAndResize);
    m.impl("_local_scalar_dense", item);
    m.impl("resize_", [](const at::Tensor& self, at::IntArrayRef shape, std::optional<at::MemoryFormat> format) -> const at::Tensor& {
        return at::native::resize_(self, shape, format);
    });
    m.impl("as_strided", at::native::as_strided_tensorimpl);
    m.impl("view", at::native::view);
    m.impl("_reshape_alias", at::native::_reshape_alias);
    m.impl("set_.source_Storage_storage_offset", at::native::set_storage_cpu_);
}

}  // namespace

namespace tests {

c10::Device lateDevice() { return {kType, 0}; }

const LateCounts& lateCounts() { return counts; }

}  // namespace tests
