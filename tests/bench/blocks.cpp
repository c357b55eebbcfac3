// Transformer blocks of real width beside those of diffusers (eager): the same weights, one thread, forward alone and forward
// with backward, in alternated passes. Outputs and gradients are compared too.
#include "engine/contract/formats/safetensors_set.h"
#include "engine/models/sd3/sd3_block.h"
#include "engine/models/transformer/joint_block.h"
#include "engine/nn/layers.h"
#include "engine/weights/weights_source.h"
#include "tests/bench/figures.h"
#include "tests/bench/processes.h"
#include "tests/paths.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>

#include <QTemporaryDir>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <iostream>
#include <optional>
#include <tuple>

namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr int kRuns = 7;

struct Tokens {
    engine::Var image, prompt;
};

/// A block of one model, and what it needs besides its tokens.
struct BlockCase {
    engine::UnitSpec spec;
    std::function<Tokens(engine::Tape&, const engine::BlockParameters&, const Tokens&, engine::Var condition)> run;
};

BlockCase sd3Block(bool is35)
{
    engine::SpecBuilder builder("block", "");
    const engine::Sd3BlockForm form {.heads = 24, .normsQueries = is35, .hasDualAttention = is35};
    const engine::Sd3Block block(builder, form);
    return {builder.take(), [block](engine::Tape& tape, const engine::BlockParameters& parameters, const Tokens& in, engine::Var condition) {
                const auto out = block.run(tape, parameters, {in.image, in.prompt}, condition, {.heads = 24, .headSize = 64}, {});
                return Tokens {out.image, out.prompt};
            }};
}

BlockCase qwenBlock(const engine::WeightsSource& file)
{
    engine::SpecBuilder builder("block", "");
    const engine::JointBlock block(builder, {"img_mod.1", "txt_mod.1", "img_mlp", "txt_mlp"}, 3072, 128);
    const engine::AttentionForm form {
        .heads = 24, .headSize = 128, .rotary = engine::rotaryTable(file.view("cosines"), file.view("sines"))};
    return {builder.take(), [block, form](engine::Tape& tape, const engine::BlockParameters& parameters, const Tokens& in, engine::Var condition) {
                const auto out = block.run(tape, parameters, {in.image, in.prompt}, engine::silu(tape, condition), form, {});
                return Tokens {out.image, out.prompt};
            }};
}

class OurBlock {
public:
    OurBlock(BlockCase block, const engine::WeightsSource& file, at::ScalarType dtype)
        : m_block(std::move(block))
        , m_file(file)
        , m_units({m_block.spec}, m_group, m_pool, {.computeDtype = dtype, .keepsAverage = false}, {}, std::nullopt)
    {
        for (std::size_t i = 0; i < m_block.spec.parameters.size(); ++i)
            m_units[0].setMaster(i, file.view("weight." + m_block.spec.parameters[i].name).to(at::kFloat));
        for (const char* name : {"image", "prompt", "condition"})
            m_inputs.push_back(file.view(std::string("input.") + name));
        m_gradient = at::cat({file.view("gradient.output.image"), file.view("gradient.output.prompt")}, 1);
    }

    double forwardMs()
    {
        engine::Tape tape(m_units, engine::Tape::Mode::Evaluate);
        const auto begin = Clock::now();
        computed(tape, inputsOf(tape));
        return since(begin);
    }

    /// Forward and backward, until the gradients of the block's inputs are complete. Left out: the sum of the weights' gradients
    /// into the float32 shard, which is the engine's and which the peer has no counterpart of.
    double trainingMs()
    {
        m_units.zeroGrad();
        engine::Tape tape(m_units, engine::Tape::Mode::Train);
        const std::vector<engine::Var> inputs = inputsOf(tape);
        double spent = 0;
        const auto begin = Clock::now();
        tape.record({inputs[0], inputs[1], inputs[2]}, [&] {
            spent = since(begin);
            for (std::size_t i = 0; i < inputs.size(); ++i)
                m_inputGradients[i] = tape.gradOf(inputs[i]).clone();
        });
        const Tokens out = computed(tape, inputs);
        m_outputs = {out.image->data.clone(), out.prompt->data.clone()};
        tape.backward(engine::concatenated(tape, {out.image, out.prompt}, 1), m_gradient);
        return spent;
    }

    /// Of the last run's values and gradients. @param allowed relative error of each
    void compare(const std::string& what, double allowed)
    {
        const auto check = [&](const std::string& name, const at::Tensor& ours) {
            const at::Tensor theirs = m_file.view(name).to(at::kFloat);
            const double error = ((ours.view(theirs.sizes()).to(at::kFloat) - theirs).norm() / theirs.norm()).item<double>();
            if (!(error < allowed))
                throw std::runtime_error(what + ": " + name + " differs from the peer's by " + std::to_string(error));
        };
        check("output.image", m_outputs[0]);
        check("output.prompt", m_outputs[1]);
        check("gradient.input.image", m_inputGradients[0]);
        check("gradient.input.prompt", m_inputGradients[1]);
        check("gradient.input.condition", m_inputGradients[2]);
        for (std::size_t i = 0; i < m_block.spec.parameters.size(); ++i) {
            const engine::ParameterSpec& parameter = m_block.spec.parameters[i];
            const std::string name = "gradient.weight." + parameter.name;
            // Of a key's bias there is no gradient but rounding, since softmax takes away what all its scores share.
            const bool isNoise = parameter.name.find("k_proj.bias") != std::string::npos || parameter.name.find("to_k.bias") != std::string::npos;
            if (m_file.has(name) && !isNoise)
                check(name, m_units[0].gradShard.narrow(0, m_units[0].layout().offsets[i], parameter.elements()));
        }
    }

private:
    static double since(Clock::time_point begin) { return std::chrono::duration<double, std::milli>(Clock::now() - begin).count(); }

    std::vector<engine::Var> inputsOf(engine::Tape& tape) const
    {
        std::vector<engine::Var> inputs;
        for (const at::Tensor& input : m_inputs) {
            inputs.push_back(tape.input(input));
            inputs.back()->needsGrad = true;
        }
        return inputs;
    }

    Tokens computed(engine::Tape& tape, const std::vector<engine::Var>& inputs) const
    {
        return m_block.run(tape, {tape.root(), 0}, {inputs[0], inputs[1]}, inputs[2]);
    }

    BlockCase m_block;
    const engine::WeightsSource& m_file;
    engine::LoneGroup m_group;
    engine::BufferPool m_pool {m_group, c10::Device(c10::DeviceType::CPU)};
    engine::UnitSequence m_units;
    std::vector<at::Tensor> m_inputs, m_outputs, m_inputGradients {3};
    at::Tensor m_gradient;
};

void measure(Json& rows, const QString& python, const std::string& name, const char* dtypeName, at::ScalarType dtype, double allowed)
{
    const QTemporaryDir folder;
    const QString path = folder.filePath("case.safetensors");
    bench::LineServer peer(
        python, {ATELIER_SOURCE_DIR "/tests/peers/blocks.py", path, QString::fromStdString(name), dtypeName});
    const engine::WeightsSource file {contract::SafetensorsSet(std::filesystem::path(path.toStdString()))};
    OurBlock ours(name.starts_with("qwen") ? qwenBlock(file) : sd3Block(name.starts_with("sd3.5")), file, dtype);
    ours.trainingMs();
    ours.compare(name + "-" + dtypeName, allowed);
    const auto contend = [&](const char* figure, auto ourPass) {
        std::vector<double> mine, theirs;
        for (int run = 0; run <= kRuns; ++run) {  // the first of both is not counted
            const double our = ourPass(), their = peer.milliseconds(figure);
            if (run > 0) {
                mine.push_back(our);
                theirs.push_back(their);
            }
        }
        rows.push_back(bench::row("models", name + "-" + dtypeName, figure, "ms", mine, bench::Better::Lower,
            {bench::quantile(theirs, 0.5), "diffusers"}));
        std::fprintf(stderr, "  %s-%s %s: ratio %.2f\n", name.c_str(), dtypeName, figure, rows.back().at("ratio").get<double>());
    };
    contend("forward", [&] { return ours.forwardMs(); });
    contend("training", [&] { return ours.trainingMs(); });
}

}  // namespace

int main(int argc, char** argv)
{
    try {
        at::set_num_threads(1);
        const QString python = bench::diffusersPython();
        std::vector<std::string> wanted;
        for (int i = 1; i < argc; ++i) {
            if (argv[i][0] != '-')
                wanted.emplace_back(argv[i]);
        }
        Json rows = Json::array();
        for (const char* name : {"sd3-block-256px", "sd3-block-512px", "sd3.5-block-256px", "sd3.5-block-512px",
                 "qwen-block-256px", "qwen-block-384px"}) {
            for (const auto& [dtypeName, dtype, allowed] : {std::tuple {"bfloat16", at::kBFloat16, 3e-2}, {"float32", at::kFloat, 1e-4}}) {
                const std::string whole = std::string(name) + "-" + dtypeName;
                if (wanted.empty() || std::ranges::any_of(wanted, [&](const std::string& part) { return whole.find(part) != std::string::npos; }))
                    measure(rows, python, name, dtypeName, dtype, allowed);
            }
        }
        std::cout << Json {{"rows", rows}}.dump(1) << '\n';
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 1;
    }
}
