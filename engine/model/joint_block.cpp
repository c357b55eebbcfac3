#include "engine/model/joint_block.h"

#include "engine/model/layers.h"

namespace engine {
namespace {

enum JointPart : std::int64_t { Shift1, Scale1, Gate1, Shift2, Scale2, Gate2, JointParts };

}  // namespace

JointBlock::JointBlock(SpecBuilder& builder, const JointBlockNames& names, std::int64_t width, std::int64_t headSize)
{
    m_image.ada = builder.linear(names.ada, JointParts * width, width, 0);
    m_prompt.ada = builder.linear(names.promptAda, JointParts * width, width, 0);
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

AttentionStream JointBlock::asked(Tape& tape, const BlockParameters& parameters, const Stream& stream, Var tokens, Var ada)
{
    const Var normed = modulatedNorm(tape, tokens, ada, Shift1, Scale1);
    const Var qkv = linear(tape, normed, parameters.linears({stream.query, stream.key, stream.value}));
    return AttentionStream::of(qkv, &parameters[stream.queryNorm], &parameters[stream.keyNorm]);
}

Var JointBlock::updated(
    Tape& tape, const BlockParameters& parameters, const Stream& stream, Var tokens, Var ada, Var attended)
{
    const auto weights = [&](Var x, const LinearPlace& place) { return linear(tape, x, parameters.linear(place)); };
    const Var next = gatedAdd(tape, tokens, ada, Gate1, weights(attended, stream.out));
    const Var hidden = gelu(tape, weights(modulatedNorm(tape, next, ada, Shift2, Scale2), stream.up));
    return gatedAdd(tape, next, ada, Gate2, weights(hidden, stream.down));
}

JointBlock::Tokens JointBlock::run(Tape& tape, const BlockParameters& parameters, const Tokens& tokens, Var condition,
    const AttentionForm& form, const SequenceGroups& sequence) const
{
    const Var ada = linear(tape, condition, parameters.linear(m_image.ada));
    const Var promptAda = linear(tape, condition, parameters.linear(m_prompt.ada));
    AttentionStream image = asked(tape, parameters, m_image, tokens.image, ada);
    image.isDivided = true;
    const AttentionStream prompt = asked(tape, parameters, m_prompt, tokens.prompt, promptAda);
    const std::vector<Var> attended = attend(tape, {prompt, image}, form, sequence);
    return {updated(tape, parameters, m_image, tokens.image, ada, attended[1]),
        updated(tape, parameters, m_prompt, tokens.prompt, promptAda, attended[0])};
}

}  // namespace engine
