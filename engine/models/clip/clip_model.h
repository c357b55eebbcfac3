// A CLIP model from the folder of a CLIPModel of transformers, such as PickScore's.
#pragma once
#include "engine/comm/group.h"
#include "engine/contract/formats/clip_folder.h"
#include "engine/models/clip/clip_image_encoder.h"
#include "engine/models/clip/clip_image_processor.h"
#include "engine/models/text/clip_text_encoder.h"
#include "engine/text/tokenizer.h"

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace engine {

/// Computes in float32, because scores of images of one prompt differ by little.
/// On the CPU, float32 files are memory-mapped, so that ranks of one host hold the weights once; otherwise they are kept on the device.
/// With @c shards the weights are divided among its ranks, and all methods that compute are collectives, see ShardedWeights.
/// One thread at a time, without gradients. Dims: B images or prompts, P features.
class ClipModel {
public:
    /// @param shards must outlive this object; nullptr: each rank has the whole model
    /// @throws std::runtime_error, EngineError in one sentence saying what is wrong with the folder
    ClipModel(const std::filesystem::path& folder, c10::Device device, Group* shards = nullptr);

    std::int64_t features() const { return m_projection; }
    const ClipImageProcessor& imageProcessor() const { return m_processor; }
    const ClipImageEncoder& imageEncoder() const { return m_images; }

    /// @param images [B, 3, H, W] float32 in [0, 1] on the CPU
    /// @return [B, P] float32 on the device, each of length 1
    /// @throws as the constructor, for weights that do not fit the config
    at::Tensor imageEmbeddings(const at::Tensor& images) const;

    /// The end of a prompt that is too long is cut off. @return and @throws as imageEmbeddings()
    at::Tensor textEmbeddings(std::span<const std::string> prompts) const;

    /// What the cosine of the angle between two embeddings is multiplied by to give the model's score.
    double logitScale() const;

private:
    ClipModel(const contract::ClipFolder& folder, c10::Device device, Group* shards);
    void checkEndToken(const contract::JsonConfig& text) const;
    at::Tensor projectedToUnit(const char* name, const at::Tensor& features) const;

    c10::Device m_device;
    std::shared_ptr<const WeightLookup> m_weights;
    std::int64_t m_projection, m_longestPrompt;
    ClipImageEncoder m_images;
    ClipImageProcessor m_processor;
    ClipTextEncoder m_texts;
    std::unique_ptr<Tokenizer> m_tokenizer;
};

}  // namespace engine
