#include "engine/models/sd3/sd3_block.h"

#include "engine/nn/layers.h"

namespace engine {
Sd3Block::Sd3Block(SpecBuilder& builder, const Sd3BlockForm& form)
    : m_form(form)
{
    const std::int64_t width = form.width();
    m_image.ada = builder.linear("norm1.linear", (form.hasDualAttention ? DualParts : Parts) * width, width, 0);
    m_prompt.ada = builder.linear("norm1_context.linear", form.isLast ? 2 * width : Parts * width, width, 0);
    m_image.attention = declareProjections(builder, {"attn.to_q", "attn.to_k", "attn.to_v", "attn.norm_q", "attn.norm_k"});
    m_prompt.attention = declareProjections(builder,
        {"attn.add_q_proj", "attn.add_k_proj", "attn.add_v_proj", "attn.norm_added_q", "attn.norm_added_k"});
    m_image.out = builder.linear("attn.to_out.0", width, width);
    if (!form.isLast)
        m_prompt.out = builder.linear("attn.to_add_out", width, width);
    if (form.hasDualAttention) {
        m_dual = declareProjections(builder, {"attn2.to_q", "attn2.to_k", "attn2.to_v", "attn2.norm_q", "attn2.norm_k"});
        m_dualOut = builder.linear("attn2.to_out.0", width, width);
    }
    m_image.up = builder.linear("ff.net.0.proj", 4 * width, width);
    m_image.down = builder.linear("ff.net.2", width, 4 * width);
    if (!form.isLast) {
        m_prompt.up = builder.linear("ff_context.net.0.proj", 4 * width, width);
        m_prompt.down = builder.linear("ff_context.net.2", width, 4 * width);
    }
}

/// @param names layer names of query, key, value, query norm and key norm
Sd3Block::Projections Sd3Block::declareProjections(SpecBuilder& builder, const std::vector<std::string>& names) const
{
    const std::int64_t width = m_form.width();
    Projections places;
    places.query = builder.linear(names[0], width, width);
    places.key = builder.linear(names[1], width, width);
    places.value = builder.linear(names[2], width, width);
    if (m_form.normsQueries) {
        places.queryNorm = builder.normWeight(names[3], m_form.headSize);
        places.keyNorm = builder.normWeight(names[4], m_form.headSize);
    }
    return places;
}

AttentionStream Sd3Block::streamOf(Tape& tape, const BlockParameters& parameters, const Projections& places, Var tokens)
{
    return AttentionStream::of(linear(tape, tokens, parameters.linears({places.query, places.key, places.value})),
        parameters.find(places.queryNorm), parameters.find(places.keyNorm));
}

AttentionStream Sd3Block::promptStream(Tape& tape, const BlockParameters& parameters, Var prompt, Var ada) const
{
    const Projections& places = m_prompt.attention;
    if (!m_form.isLast)
        return streamOf(tape, parameters, places, modulatedNorm(tape, prompt, ada, Shift1, Scale1));
    // In the last block the prompt has no queries, and its modulation has the scale before the shift.
    const Var both = linear(tape, modulatedNorm(tape, prompt, ada, 1, 0), parameters.linears({places.key, places.value}));
    return {{}, {both, 0}, {both, 1}, nullptr, parameters.find(places.keyNorm), false};
}

Sd3Block::Tokens Sd3Block::run(Tape& tape, const BlockParameters& parameters, const Tokens& tokens, Var condition,
    const AttentionForm& attention, const SequenceGroups& sequence) const
{
    const auto project = [&](Var x, const LinearPlace& place) { return linear(tape, x, parameters.linear(place)); };
    const auto feedForward = [&](Var x, Var ada, const Stream& stream) {
        const Var h = gelu(tape, project(modulatedNorm(tape, x, ada, Shift2, Scale2), stream.up));
        return gatedAdd(tape, x, ada, Gate2, project(h, stream.down));
    };
    const Var active = silu(tape, condition);
    const Var ada = project(active, m_image.ada), promptAda = project(active, m_prompt.ada);

    AttentionStream image = streamOf(tape, parameters, m_image.attention, modulatedNorm(tape, tokens.image, ada, Shift1, Scale1));
    image.isDivided = true;
    const AttentionStream prompt = promptStream(tape, parameters, tokens.prompt, promptAda);
    const std::vector<Var> attended = attend(tape, {image, prompt}, attention, sequence);

    Var next = gatedAdd(tape, tokens.image, ada, Gate1, project(attended[0], m_image.out));
    if (m_form.hasDualAttention) {
        const Var dualInput = modulatedNorm(tape, tokens.image, ada, DualShift, DualScale);
        AttentionStream dual = streamOf(tape, parameters, m_dual, dualInput);
        dual.isDivided = true;
        const Var mixed = attend(tape, {dual}, attention, sequence).front();
        next = gatedAdd(tape, next, ada, DualGate, project(mixed, m_dualOut));
    }
    next = feedForward(next, ada, m_image);
    if (m_form.isLast)
        return {next, nullptr};
    const Var nextPrompt = gatedAdd(tape, tokens.prompt, promptAda, Gate1, project(attended[1], m_prompt.out));
    return {next, feedForward(nextPrompt, promptAda, m_prompt)};
}

}  // namespace engine
