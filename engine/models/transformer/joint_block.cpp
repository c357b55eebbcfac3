#include "engine/models/transformer/joint_block.h"

#include "engine/nn/layers.h"

namespace engine {
namespace {

enum Modulation : std::int64_t { Shift1, Scale1, Gate1, Shift2, Scale2, Gate2, ModulationCount };

Var concatenatedParts(Tape& tape, const std::vector<Var>& parts)
{
    return parts.size() == 1 ? parts.front() : concatenated(tape, parts, 1);
}

}  // namespace

JointBlock::JointBlock(SpecBuilder& builder, const JointBlockNames& names, std::int64_t width, std::int64_t headSize)
{
    m_image.ada = builder.linear(names.ada, ModulationCount * width, width, 0);
    m_prompt.ada = builder.linear(names.promptAda, ModulationCount * width, width, 0);
    m_image.query = builder.linear("attn.to_q", width, width);
    m_image.key = builder.linear("attn.to_k", width, width);
    m_image.value = builder.linear("attn.to_v", width, width);
    m_prompt.query = builder.linear("attn.add_q_proj", width, width);
    m_prompt.key = builder.linear("attn.add_k_proj", width, width);
    m_prompt.value = builder.linear("attn.add_v_proj", width, width);
    m_image.queryNorm = builder.normWeight("attn.norm_q", headSize);
    m_image.keyNorm = builder.normWeight("attn.norm_k", headSize);
    m_prompt.queryNorm = builder.normWeight("attn.norm_added_q", headSize);
    m_prompt.keyNorm = builder.normWeight("attn.norm_added_k", headSize);
    m_image.out = builder.linear("attn.to_out.0", width, width);
    m_prompt.out = builder.linear("attn.to_add_out", width, width);
    const auto declareMlp = [&](Stream& stream, const std::string& name) {
        stream.up = builder.linear(name + ".net.0.proj", 4 * width, width);
        stream.down = builder.linear(name + ".net.2", width, 4 * width);
    };
    declareMlp(m_image, names.mlp);
    declareMlp(m_prompt, names.promptMlp);
}

AttentionStream JointBlock::streamOf(Tape& tape, const BlockParameters& parameters, const Stream& stream, const Parts& parts)
{
    std::vector<Var> normed;
    for (const Part& part : parts)
        normed.push_back(modulatedNorm(tape, part.tokens, part.ada, Shift1, Scale1));
    const Var qkv = linear(tape, concatenatedParts(tape, normed), parameters.linears({stream.query, stream.key, stream.value}));
    return AttentionStream::of(qkv, &parameters[stream.queryNorm], &parameters[stream.keyNorm]);
}

Var JointBlock::afterAttention(Tape& tape, const BlockParameters& parameters, const Stream& stream, Parts parts, Var attended)
{
    const auto project = [&](Var x, const LinearPlace& place) { return linear(tape, x, parameters.linear(place)); };
    const auto addGated = [&](Modulation gate, Var all) {
        std::int64_t first = 0;
        for (Part& part : parts) {
            const std::int64_t count = part.tokens->data.size(1);
            const Var own = parts.size() == 1 ? all : narrowed(tape, all, 1, first, count);
            part.tokens = gatedAdd(tape, part.tokens, part.ada, gate, own);
            first += count;
        }
    };
    addGated(Gate1, project(attended, stream.out));
    std::vector<Var> normed, next;
    for (const Part& part : parts)
        normed.push_back(modulatedNorm(tape, part.tokens, part.ada, Shift2, Scale2));
    addGated(Gate2, project(gelu(tape, project(concatenatedParts(tape, normed), stream.up)), stream.down));
    for (const Part& part : parts)
        next.push_back(clampedInHalf(tape, part.tokens));
    return concatenatedParts(tape, next);
}

JointBlock::Parts JointBlock::imageParts(
    Tape& tape, const BlockParameters& parameters, Var tokens, Var condition, const LastTokens& last) const
{
    const auto ada = [&](Var input) { return linear(tape, input, parameters.linear(m_image.ada)); };
    const std::int64_t batch = tokens->data.size(0), first = tokens->data.size(1) - last.count;
    if (last.count == 0 || first == 0)
        return {{tokens, ada(last.count == 0 ? condition : last.condition)}};
    const Var both = ada(concatenated(tape, {condition, last.condition}, 0));
    return {{narrowed(tape, tokens, 1, 0, first), narrowed(tape, both, 0, 0, batch)},
        {narrowed(tape, tokens, 1, first, last.count), narrowed(tape, both, 0, batch, batch)}};
}

JointBlock::Tokens JointBlock::run(Tape& tape, const BlockParameters& parameters, const Tokens& tokens, Var condition,
    const AttentionForm& form, const SequenceGroups& sequence, const LastTokens& last) const
{
    const Parts imageParts = this->imageParts(tape, parameters, tokens.image, condition, last);
    const Parts promptParts = {{tokens.prompt, linear(tape, condition, parameters.linear(m_prompt.ada))}};
    AttentionStream image = streamOf(tape, parameters, m_image, imageParts);
    image.isDivided = true;
    const AttentionStream prompt = streamOf(tape, parameters, m_prompt, promptParts);
    const std::vector<Var> attended = attend(tape, {prompt, image}, form, sequence);
    return {afterAttention(tape, parameters, m_image, imageParts, attended[1]),
        afterAttention(tape, parameters, m_prompt, promptParts, attended[0])};
}

}  // namespace engine
