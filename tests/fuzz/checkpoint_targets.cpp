#include "engine/contract/adapters/adapter_file.h"
#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "engine/contract/checkpoint/checkpoint_weights.h"
#include "engine/contract/formats/checksum.h"
#include "engine/contract/formats/safetensors_set.h"
#include "tests/fuzz/targets.h"
#include "tests/fuzz/verdict.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace fuzz {
namespace {

namespace fs = std::filesystem;

using Values = std::map<std::string, std::string>;

/// The bytes of all tensors.
Values valuesOf(const fs::path& checkpoint)
{
    constexpr std::uint64_t kMostBytesPerRead = std::uint64_t {1} << 20;
    Values values;
    for (const auto weights : {contract::ExportedWeights::Model, contract::ExportedWeights::Average}) {
        contract::CheckpointWeights reader(checkpoint, weights);
        for (const contract::ExportedTensor& exported : reader.tensors()) {
            std::string& bytes = values[(weights == contract::ExportedWeights::Model ? "model/" : "ema/") + exported.tensor.name];
            for (std::uint64_t begin = 0, size = 0; begin < exported.tensor.bytes(); begin += size) {
                size = std::min(kMostBytesPerRead, exported.tensor.bytes() - begin);
                bytes.resize(static_cast<std::size_t>(begin + size));
                exported.read(begin, bytes.data() + begin, size);
            }
        }
    }
    return values;
}

class ManifestTarget final : public Target {
    bool canRepair() const override { return true; }

    std::string repaired(const std::string& path, std::string content) const override
    {
        auto json = nlohmann::json::parse(content, nullptr, false);
        if (!path.ends_with(contract::kManifestFile) || !json.is_object())
            return content;
        json.erase("checksum");
        const auto text = [&] { return json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n"; };
        contract::Checksum checksum;
        checksum.add(text().data(), text().size());
        json["checksum"] = checksum.text();
        return text();
    }

    void read(const fs::path& folder, const Input& input) override
    {
        const bool isWhole = accepts([&] { contract::verifyCheckpoint(folder); });
        Values values;
        const bool isRead = accepts([&] { values = valuesOf(folder); });
        if (input.damaged.empty()) {
            require(isWhole && isRead && !values.empty(), "an undamaged checkpoint is refused");
            m_undamaged[input.origin] = std::move(values);
            return;
        }
        // Version 0.1 wrote no checksums: who takes all of them away may change anything.
        const bool hasChecksums = input.damaged != contract::kManifestFile || input.content.find("\"checksum") != std::string::npos;
        const auto undamaged = m_undamaged.find(input.origin);
        if (isRead && hasChecksums && !input.isRepaired && undamaged != m_undamaged.end())
            require(values == undamaged->second, "a damaged checkpoint is used without a word");
    }

    std::map<const Case*, Values> m_undamaged;
};

void readAll(const contract::SafetensorsFile& file)
{
    std::uint64_t bytes = 0;
    unsigned sum = 0;
    for (const contract::SafetensorsTensor& tensor : file.tensors()) {
        for (const std::byte value : file.view(tensor))  // under the sanitizer a view outside the mapping is seen here
            sum += std::to_integer<unsigned>(value);
        std::string copy(static_cast<std::size_t>(tensor.bytes()), '\0');
        file.read(tensor, 0, copy.data(), tensor.bytes());
        for (const char value : copy)
            sum -= static_cast<unsigned char>(value);
        bytes += tensor.bytes();
        require(file.find(tensor.name) != nullptr, "a tensor is not found by its name");
    }
    require(bytes <= fs::file_size(file.path()), "the tensors are larger than their file");
    require(sum == 0, "a tensor's view and its copy differ");
}

class SafetensorsTarget final : public Target {
    bool canRepair() const override { return true; }

    /// The length word fits the first JSON object, as far as that can be told from its brackets.
    std::string repaired(const std::string& path, std::string content) const override
    {
        if (!path.ends_with(".safetensors") || content.size() <= contract::kLengthWordBytes)
            return content;
        std::uint64_t length = content.size() - contract::kLengthWordBytes;
        for (const Element& element : elementsOf(std::string_view(content).substr(contract::kLengthWordBytes))) {
            if (element.kind == Element::Kind::Brackets && element.begin == 0)
                length = element.size;
        }
        while (contract::kLengthWordBytes + length < content.size() && content[contract::kLengthWordBytes + length] == ' ')
            ++length;
        for (std::size_t i = 0; i < contract::kLengthWordBytes; ++i)
            content[i] = static_cast<char>(length >> 8 * i);
        return content;
    }

    void read(const fs::path& folder, const Input& input) override
    {
        static const std::vector<std::string> modules = {"transformer_blocks.0.attn.to_q", "transformer_blocks.0.attn.to_k",
            "transformer_blocks.0.attn.to_v", "transformer_blocks.0.attn.to_out.0", "transformer_blocks.1.attn.to_q", "proj_out"};
        bool areRead = true;
        for (const auto& [path, content] : input.origin->files) {
            if (path.ends_with(".safetensors"))
                areRead = accepts([&] { readAll(contract::SafetensorsFile(folder / path)); }) && areRead;
        }
        const bool isSet = accepts([&] { contract::SafetensorsSet set(folder); });
        const bool isAdapter = accepts([&] { contract::readAdapter(folder, modules); });
        require(!input.damaged.empty() || (areRead && (isSet || isAdapter)), "an undamaged file is refused");
    }
};

}  // namespace

std::unique_ptr<Target> manifestTarget() { return std::make_unique<ManifestTarget>(); }
std::unique_ptr<Target> safetensorsTarget() { return std::make_unique<SafetensorsTarget>(); }

}  // namespace fuzz
