#include "engine/models/text/text_encoder_registry.h"

#include "engine/comm/errors.h"
#include "engine/models/text/clip_text_encoder.h"
#include "engine/models/text/qwen2_5_text_encoder.h"
#include "engine/models/text/t5_encoder.h"

namespace engine {

std::unique_ptr<TextEncoder> buildTextEncoder(
    const std::string& className, const contract::JsonConfig& config, std::shared_ptr<const WeightLookup> weights)
{
    if (className == "CLIPTextModel" || className == "CLIPTextModelWithProjection")
        return std::make_unique<ClipTextEncoder>(config, className == "CLIPTextModelWithProjection", std::move(weights));
    if (className == "T5EncoderModel")
        return std::make_unique<T5Encoder>(config, T5Encoder::PositionBias::OfFirstLayer, std::move(weights));
    if (className == "UMT5EncoderModel")
        return std::make_unique<T5Encoder>(config, T5Encoder::PositionBias::OfEachLayer, std::move(weights));
    if (className == "Qwen2_5_VLForConditionalGeneration")
        return std::make_unique<Qwen25TextEncoder>(config, std::move(weights));
    throw EngineError(EngineError::Kind::WrongUsage,
        "the text encoder " + className
            + " is not supported; supported: CLIPTextModel, CLIPTextModelWithProjection, T5EncoderModel, UMT5EncoderModel, "
              "Qwen2_5_VLForConditionalGeneration");
}

}  // namespace engine
