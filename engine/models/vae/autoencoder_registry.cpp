#include "engine/models/vae/autoencoder_registry.h"

#include "engine/comm/errors.h"
#include "engine/models/vae/autoencoder_kl.h"
#include "engine/models/vae/autoencoder_kl_wan.h"

namespace engine {

std::unique_ptr<Autoencoder> buildAutoencoder(
    const std::string& className, const contract::JsonConfig& config, std::shared_ptr<const WeightLookup> weights)
{
    if (className == "AutoencoderKL")
        return std::make_unique<AutoencoderKl>(config, std::move(weights));
    if (className == "AutoencoderKLQwenImage" || className == "AutoencoderKLWan")
        return std::make_unique<AutoencoderKlWan>(className, config, std::move(weights));
    throw EngineError(EngineError::Kind::WrongUsage,
        "the autoencoder " + className + " is not supported; supported: AutoencoderKL, AutoencoderKLQwenImage, AutoencoderKLWan");
}

}  // namespace engine
