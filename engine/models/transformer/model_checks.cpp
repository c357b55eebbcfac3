#include "engine/models/transformer/model_checks.h"

#include "engine/comm/errors.h"

#include <algorithm>
#include <sstream>

namespace engine {

void requireRows(const char* what, const at::Tensor& x, std::int64_t dims, std::int64_t batch, std::int64_t width)
{
    if (x.defined() && x.dim() == dims && x.size(0) == batch && (dims == 1 || x.size(-1) == width))
        return;
    std::ostringstream text;
    text << what;
    if (x.defined())
        text << " of shape " << x.sizes();
    else
        text << " are missing";
    text << ": the model takes [" << batch << (dims > 2 ? ", tokens" : "");
    if (dims > 1)
        text << ", " << width;
    text << "]";
    throw EngineError(EngineError::Kind::WrongUsage, text.str());
}

void requireReferencesFit(const Model& model, const ModelInput& input)
{
    const auto refuse = [](const std::string& why) { throw EngineError(EngineError::Kind::WrongUsage, why); };
    if (!input.references.empty() && !model.takesReferences())
        refuse("this model takes no reference images");
    for (std::size_t i = 0; i < input.references.size(); ++i) {
        const at::Tensor& reference = input.references[i];
        const std::string which = "reference image " + std::to_string(i + 1);
        if (!reference.defined())
            refuse(which + " is missing; the input has " + input.names());
        const at::Tensor& latents = input.latents;
        if (reference.dim() == 4 && reference.size(0) == latents.size(0) && reference.size(1) == latents.size(1))
            continue;
        std::ostringstream text;
        text << which << " has latents of shape " << reference.sizes() << ": with latents of shape " << latents.sizes()
             << " it must be [" << latents.size(0) << ", " << latents.size(1) << ", height, width]";
        refuse(text.str());
    }
}

OwnTokens ownTokens(std::int64_t tokens, const SequenceGroups& sequence)
{
    requireMultiple("the number of patches", tokens, "the ranks of a sequence", sequence.size());
    const std::int64_t count = tokens / sequence.size();
    return {count * sequence.rank(), count};
}

void requireWidth(const contract::JsonConfig& json, std::int64_t width)
{
    if (width > kLargestWidth)
        json.fail("num_attention_heads", "· attention_head_dim must be at most " + std::to_string(kLargestWidth));
}

std::vector<std::int64_t> rotaryAxesIn(
    const contract::JsonConfig& json, const std::vector<std::int64_t>& otherwise, std::int64_t headSize)
{
    const auto sizes = json.integers("axes_dims_rope", otherwise);
    const auto isPart = [&](std::int64_t size) { return size >= 2 && size % 2 == 0 && size <= headSize; };
    if (sizes.size() != 3 || !std::ranges::all_of(sizes, isPart) || sizes[0] + sizes[1] + sizes[2] != headSize)
        json.fail("axes_dims_rope", "must be three even numbers that add up to attention_head_dim = " + std::to_string(headSize));
    return sizes;
}

}  // namespace engine
