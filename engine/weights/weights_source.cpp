#include "engine/weights/weights_source.h"

#include <ATen/Parallel.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/ScalarType.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace engine {
namespace {

using contract::SafetensorsSet;

constexpr std::int64_t kReadBytes = std::int64_t {1} << 20;  // per read: small enough to stay in the CPU cache until converted

std::size_t widthOf(at::ScalarType dtype) { return c10::elementSize(dtype); }

at::Tensor copyOf(const contract::SafetensorsFile& file, const contract::SafetensorsTensor& tensor, at::ScalarType dtype)
{
    const at::Tensor copy = at::empty(tensor.shape, at::TensorOptions().dtype(dtype));
    file.read(tensor, 0, copy.data_ptr(), tensor.bytes());
    return copy;
}

/// One thread's part of WeightsSource::read(): elements [first, last) of @p into, kReadBytes of stored bytes at a time.
void readConverted(const SafetensorsSet::Item& item, at::ScalarType stored, std::int64_t begin, const at::Tensor& into,
    std::int64_t first, std::int64_t last)
{
    const auto width = static_cast<std::int64_t>(widthOf(stored));
    const std::int64_t most = kReadBytes / width;
    const at::Tensor portion = at::empty({std::min(most, last - first)}, at::TensorOptions().dtype(stored).pinned_memory(into.is_cuda()));
    for (std::int64_t at = first; at < last; at += most) {
        const std::int64_t count = std::min(most, last - at);
        item.file->read(*item.tensor, static_cast<std::uint64_t>((begin + at) * width), portion.data_ptr(), static_cast<std::uint64_t>(count * width));
        into.narrow(0, at, count).copy_(portion.narrow(0, 0, count));
    }
}

}  // namespace

std::optional<at::ScalarType> storedScalarType(std::string_view dtype)
{
    static const std::map<std::string_view, at::ScalarType> types = {{"F64", at::kDouble}, {"F32", at::kFloat}, {"F16", at::kHalf},
        {"BF16", at::kBFloat16}, {"F8_E4M3", at::kFloat8_e4m3fn}, {"F8_E5M2", at::kFloat8_e5m2}, {"I64", at::kLong},
        {"I32", at::kInt}, {"I16", at::kShort}, {"I8", at::kChar}, {"U8", at::kByte}, {"BOOL", at::kBool}};
    const auto found = types.find(dtype);
    return found == types.end() ? std::nullopt : std::optional(found->second);
}

WeightsSource::WeightsSource(SafetensorsSet files, const NameRule& rule)
    : m_files(std::move(files))
{
    for (const auto& [inFile, item] : m_files.items()) {
        const std::string name = rule ? rule(inFile) : inFile;
        if (!name.empty() && !m_names.emplace(name, Entry {&item, item.tensor->shape}).second)
            throw std::runtime_error(path().string() + ": two tensors map to the name " + name + ", one of them " + inFile);
    }
}

WeightsSource::WeightsSource(SafetensorsSet files, const std::map<std::string, contract::MatrixWindow>& windows)
    : m_files(std::move(files))
{
    for (const auto& [name, window] : windows) {
        const SafetensorsSet::Item* const item = m_files.find(window.name);
        const bool fits = item && item->tensor->shape.size() == 2 && window.firstRow + window.rows <= item->tensor->shape[0]
            && window.firstColumn + window.columns <= item->tensor->shape[1];
        if (!fits)
            throw std::runtime_error(path().string() + ": has no matrix "
                + contract::quotedName(window.name) + " of at least the size that " + name + " needs");
        m_names[name] = {item, {window.rows, window.columns}, window};
    }
}

std::vector<std::string> WeightsSource::names() const
{
    std::vector<std::string> names;
    for (const auto& [name, item] : m_names)
        names.push_back(name);
    return names;
}

const WeightsSource::Entry& WeightsSource::entry(std::string_view name) const
{
    const auto found = m_names.find(name);
    if (found == m_names.end())
        throw std::runtime_error(path().string() + ": has no tensor " + contract::quotedName(name));
    return found->second;
}

at::ScalarType WeightsSource::dtype(std::string_view name) const { return storedScalarType(item(name).tensor->dtype).value(); }

at::Tensor WeightsSource::view(std::string_view name) const
{
    const Entry& found = entry(name);
    if (!found.window)
        return whole(*found.item);
    const contract::MatrixWindow& window = *found.window;
    const at::Tensor part = whole(*found.item).narrow(0, window.firstRow, window.rows).narrow(1, window.firstColumn, window.columns);
    const std::int64_t half = window.rows / 2;
    return window.swapsHalves ? at::cat({part.narrow(0, window.rows - half, half), part.narrow(0, 0, window.rows - half)}) : part;
}

at::Tensor WeightsSource::whole(const SafetensorsSet::Item& found) const
{
    const at::ScalarType stored = storedScalarType(found.tensor->dtype).value();
    if (stored == at::kBool)
        return copyOf(*found.file, *found.tensor, at::kByte).ne(0);  // makes every byte 0 or 1, as LibTorch requires of bools
    auto* const values = const_cast<std::byte*>(found.file->view(*found.tensor).data());
    if (reinterpret_cast<std::uintptr_t>(values) % widthOf(stored) != 0)
        return copyOf(*found.file, *found.tensor, stored);
    return at::from_blob(values, found.tensor->shape, [file = found.file](void*) {}, at::TensorOptions().dtype(stored));
}

at::Tensor WeightsSource::tensor(std::string_view name, at::ScalarType dtype, c10::Device device) const
{
    if (!c10::isFloatingType(this->dtype(name)))
        return view(name).to(at::TensorOptions().dtype(dtype).device(device), /*non_blocking=*/false, /*copy=*/true);
    const at::Tensor result = at::empty(shape(name), at::TensorOptions().dtype(dtype).device(device));
    read(name, 0, result.view({-1}));
    return result;
}

void WeightsSource::read(std::string_view name, std::int64_t begin, const at::Tensor& into) const
{
    const SafetensorsSet::Item& found = item(name);
    const at::ScalarType stored = dtype(name);
    const auto width = static_cast<std::int64_t>(widthOf(stored));
    const std::int64_t count = into.numel();
    if (entry(name).window) {
        into.copy_(view(name).reshape({-1}).narrow(0, begin, count));
        return;
    }
    if (!into.is_cpu()) {
        readConverted(found, stored, begin, into, 0, count);
        return;
    }
    at::parallel_for(0, count, kReadBytes, [&](std::int64_t first, std::int64_t last) {
        if (into.scalar_type() == stored)
            found.file->read(*found.tensor, static_cast<std::uint64_t>((begin + first) * width),
                static_cast<std::byte*>(into.data_ptr()) + first * width, static_cast<std::uint64_t>((last - first) * width));
        else
            readConverted(found, stored, begin, into, first, last);
    });
}

WeightsSource::NameRule withoutPrefix(std::string prefix)
{
    return [prefix = std::move(prefix)](const std::string& name) { return name.starts_with(prefix) ? name.substr(prefix.size()) : name; };
}

}  // namespace engine
