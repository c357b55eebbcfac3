// Small files of tensors for tests.
#pragma once
#include "engine/contract/safetensors.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace tests {

/// One-dimensional float32 tensors of these values.
inline void writeTensors(const std::filesystem::path& file, const std::map<std::string, std::vector<float>>& tensors)
{
    std::filesystem::create_directories(file.parent_path());
    std::vector<contract::SafetensorsTensor> entries;
    for (const auto& [name, values] : tensors)
        entries.push_back({name, "F32", {static_cast<std::int64_t>(values.size())}});
    contract::SafetensorsWriter writer(file, entries, {{"format", "pt"}});
    for (const auto& [name, values] : tensors)
        writer.write(values.data(), values.size() * sizeof(float));
    writer.finish();
}

}  // namespace tests
