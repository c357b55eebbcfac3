// Transformers, loaded from diffusers' folders and sharded, compute what diffusers does: outputs and every gradient.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "engine/comm/errors.h"
#include "engine/contract/formats/json_config.h"
#include "tests/engine/comm/forked_ranks.h"
#include "tests/engine/cpu.h"
#include "tests/engine/goldens/case_rows.h"
#include "tests/engine/goldens/golden_transformer.h"

#include <QtTest>

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string>

using engine::Tape;
using tests::GoldenTransformer;
using tests::ModelCase;

namespace {

namespace fs = std::filesystem;

/// How much more than a case allows may be off forward, and in the gradient that is a sum of these angles' sines.
///
/// A guidance scale of 4.5 turns by angles of up to 4500, which the last bit of a frequency moves by 3e-4. Where ours are
/// the nearest float32, the machine that made the case had the next one for exp(-ln 10000 · 13 / 128), 0.53 bits away;
/// LibTorch on another machine is off by as much as ours.
double widerBy(const ModelCase& golden)
{
    constexpr double kSensitive = 0.9;  // for each 1 of the scale
    return golden.hasInput("guidance") ? std::max(1.0, kSensitive * golden.input("guidance").max().item<double>()) : 1;
}
constexpr char kSumOfSines[] = "grad.time_text_embed.guidance_embedder.linear_1.weight";

/// Follows a pass by the reference's outputs of embedders and blocks.
class FirstDifference {
public:
    explicit FirstDifference(const ModelCase& golden)
        : m_expected(tests::tensorsOf(golden.folder() / "intermediates.safetensors"))
        , m_wider(widerBy(golden))
    {
        if (golden.className() == "DiTTransformer2DModel" || golden.className() == "WanTransformer3DModel")
            m_expected.erase("norm_out");  // there the reference scales and shifts after it, ours at once
        for (const char* table : {"pos_embed.0", "pos_embed.1"})
            m_expected.erase(table);  // no value of a pass
        if (const auto videos = m_expected.find("patch_embedding"); videos != m_expected.end())
            videos->second = videos->second.flatten(2).transpose(1, 2);
        for (auto& [name, value] : m_expected)
            value = tests::onDevice(value);
    }

    void see(const std::string& name, const at::Tensor& value)
    {
        const auto found = m_expected.find(name);
        if (found == m_expected.end() || !m_name.empty())
            return;
        if (value.sizes() != found->second.sizes() || !at::allclose(value.to(at::kFloat), found->second, m_wider * 1e-4, m_wider * 1e-5))
            m_name = name;
        m_seen.insert(name);
    }

    /// Of a pass that is over. @return empty when all that was expected came, and was right
    std::string problem() const
    {
        if (!m_name.empty())
            return "the first difference is in " + m_name;
        for (const auto& [name, tensor] : m_expected) {
            if (!m_seen.contains(name))
                return "nothing shows " + name;
        }
        return {};
    }

private:
    std::map<std::string, at::Tensor> m_expected;
    double m_wider;
    std::set<std::string> m_seen;
    std::string m_name;
};

/// How ranks share a case. Those of one sequence have its gradients in parts; every sequence is computed as a whole.
struct SequenceDivision {
    int ranks = 1, ring = 1, ulysses = 1;
    bool recomputes = false, recomputesLayers = false;
    engine::AttentionKernel kernel = engine::AttentionKernel::Automatic;

    contract::MeshShape shape() const { return {.world = ranks, .shard = ranks, .ring = ring, .ulysses = ulysses}; }
};

/// What a case has for ranks to divide.
struct Sizes {
    int heads = 0, patches = 0;

    explicit Sizes(const ModelCase& golden)
    {
        const auto config = contract::readJson(golden.modelFolder() / "config.json");
        heads = config.at("num_attention_heads");
        const auto shape = golden.input("hidden_states").sizes();
        if (shape.size() == 3) {  // patches already
            patches = static_cast<int>(shape[1]);
            return;
        }
        const auto& edges = config.at("patch_size");
        patches = 1;
        for (std::size_t axis = 2; axis < shape.size(); ++axis)
            patches *= static_cast<int>(shape[axis]) / (edges.is_array() ? edges.at(axis - 2) : edges).get<int>();
    }

    /// What the engine's error for a division names that these do not allow. Empty for a division that it computes.
    QStringList refusal(const SequenceDivision& division) const
    {
        const int sequence = division.ring * division.ulysses;
        if (heads % division.ulysses != 0)
            return {QStringLiteral("num_attention_heads = %1 ").arg(heads), QStringLiteral("engine.ulysses = %1").arg(division.ulysses)};
        if (patches % sequence != 0)
            return {QStringLiteral("patches = %1 ").arg(patches), QStringLiteral(" = %1").arg(sequence)};
        return {};
    }
};

/// 2, 4 and the least odd number above 1 that divides @p value, where that is no more than @p most.
std::set<int> degreesFor(int value, int most = 5)
{
    std::set<int> degrees = {2, 4};
    for (int odd = 3; odd <= most; odd += 2) {
        if (value % odd == 0)
            return degrees.insert(odd), degrees;
    }
    return degrees;
}

std::vector<std::string> problemsOf(ModelCase& golden, engine::Mesh& mesh, const SequenceDivision& division)
{
    GoldenTransformer transformer(golden.modelFolder(), mesh.shard(),
        {.sequence = {.recompute = *contract::UnitSelection::parse(division.recomputes ? "all" : "none"), .recomputesLayers = division.recomputesLayers},
            .setup = {.sequence = {&mesh.ring(), &mesh.ulysses(), division.kernel}}});
    engine::InputValues values;
    engine::ModelInput input = tests::modelInputOf(golden);
    input.values = &values;
    FirstDifference difference(golden);
    golden.widen(widerBy(golden), kSumOfSines);
    std::vector<std::string> problems;
    const auto check = [&](const std::string& name, const at::Tensor& actual) {
        if (const std::string problem = golden.check(name, actual); !problem.empty())
            problems.push_back(problem);
    };
    const auto expected = golden.expected();
    const auto isExpected = [&](const std::string& name) { return std::ranges::find(expected, name) != expected.end(); };
    const bool isWhole = division.ring * division.ulysses == 1;
    {
        Tape tape(transformer.units(), Tape::Mode::Train);
        tape.setObserver([&](const std::string& name, const at::Tensor& value) { difference.see(name, value); });
        const engine::Var output = transformer.model().forward(tape, input);
        tape.setObserver({});
        const at::Tensor& probe = golden.input("probe");
        const at::Tensor predicted = tests::squaresOf(golden, output->data);
        check("output", predicted);
        check("loss", (predicted * probe).mean().view({1}));
        tape.backward(output, tests::imageOf(golden, probe / static_cast<double>(probe.numel())));
        const auto checkInput = [&](const char* name, engine::Var value) {
            if (!value || !isExpected(std::string("grad_input.") + name))
                return;
            const at::Tensor gradient = tape.gradOf(value).clone();
            for (engine::Group* group : {&mesh.ring(), &mesh.ulysses()})
                group->allReduceSum(gradient, name);
            check(std::string("grad_input.") + name, value == values.latents ? tests::squaresOf(golden, gradient) : gradient);
        };
        checkInput("hidden_states", values.latents);
        checkInput("encoder_hidden_states", values.prompt);
        checkInput("pooled_projections", values.pooled);
    }
    for (const std::string& name : transformer.trained()) {
        const at::Tensor gradient = transformer.gradient(name) / mesh.data().size();
        if (isExpected("grad." + name))
            check("grad." + name, gradient);
    }
    if (isExpected("output_without_mask")) {
        input.values = nullptr;
        input.promptMask = at::Tensor();
        check("output_without_mask", tests::squaresOf(golden, engine::predict(transformer.model(), transformer.units(), input)));
    }
    for (const std::string& name : golden.unchecked())
        problems.push_back("nothing computes " + name);
    if (const std::string problem = difference.problem(); isWhole && !problem.empty())
        problems.push_back(problem);
    return problems;
}

}  // namespace

class TransformersTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void computeWhatDiffusersComputes_data()
    {
        QTest::addColumn<QString>("folder");
        QTest::addColumn<SequenceDivision>("division");
        QTest::addColumn<QStringList>("refusal");
        for (const fs::path& folder : tests::rowsOf(tests::modelCases(tests::CaseKind::Transformer))) {
            const ModelCase golden(folder, tests::kCpu);
            const Sizes sizes(golden);
            const auto row = [&](const QString& what, const SequenceDivision& division) {
                const QStringList refusal = sizes.refusal(division);
                const QString name = QString::fromStdString(golden.name()) + ", " + what + (refusal.isEmpty() ? "" : ", refused");
                QTest::newRow(qPrintable(name)) << QString::fromStdString(folder.string()) << division << refusal;
            };
            for (const int ranks : {1, 2, 4})
                row(QStringLiteral("ranks: %1").arg(ranks), {.ranks = ranks});
            row("E-009 blocks recomputed, ranks: 2", {.ranks = 2, .recomputes = true});
            row("E-009 layers recomputed, ranks: 2", {.ranks = 2, .recomputesLayers = true});
            row("E-009 blocks and their layers recomputed", {.recomputes = true, .recomputesLayers = true});
            row("E-022 Ulysses of 2, layers recomputed, ranks: 4", {.ranks = 4, .ulysses = 2, .recomputesLayers = true});
            row("E-022 Ulysses of 2, blocks recomputed, ranks: 4", {.ranks = 4, .ulysses = 2, .recomputes = true});
            for (const int degree : degreesFor(sizes.heads))
                row(QStringLiteral("E-022 Ulysses of %1, ranks: %1").arg(degree), {.ranks = degree, .ulysses = degree});
            for (const int degree : degreesFor(sizes.patches))
                row(QStringLiteral("E-022 ring of %1, ranks: %1").arg(degree), {.ranks = degree, .ring = degree});
            row("E-022 ring of 2 times Ulysses of 2, blocks recomputed, ranks: 4",
                {.ranks = 4, .ring = 2, .ulysses = 2, .recomputes = true});
            for (const auto kernel : {engine::AttentionKernel::ByHead, engine::AttentionKernel::Flash})
                row(QStringLiteral("attention by ") + QString::fromLatin1(engine::nameOf(kernel)), {.kernel = kernel});
        }
    }
    void computeWhatDiffusersComputes()
    {
        QFETCH(QString, folder);
        QFETCH(SequenceDivision, division);
        QFETCH(QStringList, refusal);
        const auto codes = tests::runRanks(division.shape(), engine::Exchange::Automatic, [&](engine::Mesh& mesh) {
            at::set_num_threads(1);
            ModelCase golden(folder.toStdString());
            std::vector<std::string> problems;
            try {
                problems = problemsOf(golden, mesh, division);
                if (!refusal.isEmpty())
                    problems.push_back("was not refused");
            } catch (const engine::EngineError& error) {
                const QString said = QString::fromUtf8(error.what());
                if (refusal.isEmpty() || !std::ranges::all_of(refusal, [&](const QString& words) { return said.contains(words); }))
                    problems = {error.what()};
            }
            for (const std::string& problem : problems)
                std::fprintf(stderr, "%s\n", problem.c_str());
            return problems.empty();
        });
        QCOMPARE(codes, std::vector<int>(static_cast<std::size_t>(division.ranks), 0));
    }

    void recomputedLayersGiveTheSameBitsInLessMemory_E009_data()
    {
        QTest::addColumn<QString>("folder");
        QTest::addColumn<at::ScalarType>("dtype");
        for (const fs::path& folder : tests::rowsOf(tests::modelCases(tests::CaseKind::Transformer))) {
            for (const at::ScalarType dtype : {at::kFloat, at::kBFloat16})
                QTest::addRow("E-009 %s, %s", folder.filename().c_str(), c10::toString(dtype)) << QString::fromStdString(folder.string()) << dtype;
        }
    }
    void recomputedLayersGiveTheSameBitsInLessMemory_E009()
    {
        QFETCH(QString, folder);
        QFETCH(at::ScalarType, dtype);
        const ModelCase golden(folder.toStdString());
        engine::LoneGroup lone;
        const auto train = [&](bool recomputes, std::map<std::string, at::Tensor>& values) {
            tests::GoldenTransformer transformer(golden.modelFolder(), lone, {.sequence = {.recomputesLayers = recomputes}, .computeDtype = dtype});
            {
                Tape tape(transformer.units(), Tape::Mode::Train);
                const engine::Var output = transformer.model().forward(tape, tests::modelInputOf(golden));
                values["the output"] = output->data.clone();
                tape.backward(output, tests::imageOf(golden, golden.input("probe")).to(output->data.scalar_type()));
            }
            for (const std::string& name : transformer.trained())
                values["the gradient of " + name] = transformer.gradient(name);
            return transformer.units().arena().peakBytes();
        };
        std::map<std::string, at::Tensor> kept, recomputed;
        const std::size_t bytesOfKept = train(false, kept), bytes = train(true, recomputed);
        for (const auto& [name, value] : kept)
            QVERIFY2(at::equal(recomputed.at(name), value), name.c_str());
        QVERIFY2(double(bytes) < 0.95 * double(bytesOfKept), qPrintable(QStringLiteral("%1 of %2 bytes").arg(bytes).arg(bytesOfKept)));
    }

    void overflowInFloat16IsClamped_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("blocks");  // with their MLP and modulation
        QTest::addColumn<QString>("bias");
        QTest::addColumn<QString>("ada");
        QTest::addColumn<int>("parts");
        const char* const joint = "transformer_blocks.%1.";
        QTest::newRow("defect-7: M-013 Flux, image") << "flux" << joint << "ff.net.2.bias" << "norm1.linear.bias" << 6;
        QTest::newRow("defect-7: M-013 Flux, prompt") << "flux" << joint << "ff_context.net.2.bias" << "norm1_context.linear.bias" << 6;
        QTest::newRow("defect-7: M-013 Flux, single blocks") << "flux" << "single_transformer_blocks.%1." << "proj_out.bias" << "norm.linear.bias" << 3;
        QTest::newRow("defect-7: M-013 Qwen-Image, image") << "qwen_image" << joint << "img_mlp.net.2.bias" << "img_mod.1.bias" << 6;
        QTest::newRow("defect-7: M-013 Qwen-Image, prompt") << "qwen_image" << joint << "txt_mlp.net.2.bias" << "txt_mod.1.bias" << 6;
    }
    /// Each of two blocks adds 60,000 to the residual stream: their sum is more than float16 holds.
    void overflowInFloat16IsClamped()
    {
        QFETCH(QString, name);
        QFETCH(QString, blocks);
        QFETCH(QString, bias);
        QFETCH(QString, ada);
        QFETCH(int, parts);
        const fs::path folder = tests::caseNamed(tests::CaseKind::Transformer, name.toStdString());
        if (folder.empty())
            return;
        const ModelCase golden(folder);
        engine::LoneGroup lone;
        tests::GoldenTransformer transformer(golden.modelFolder(), lone, {.computeDtype = at::kHalf});
        for (int block = 0; block < 2; ++block) {
            const std::string prefix = blocks.arg(block).toStdString();
            const at::Tensor gates = transformer.weight(prefix + ada.toStdString()).clone();
            gates.view({parts, -1}).select(0, parts - 1).fill_(1);
            transformer.setWeight(prefix + ada.toStdString(), gates);
            const std::string added = prefix + bias.toStdString();
            transformer.setWeight(added, at::full_like(transformer.weight(added), 60000));
        }
        const at::Tensor velocity = engine::predict(transformer.model(), transformer.units(), tests::modelInputOf(golden));
        QVERIFY(velocity.isfinite().all().item<bool>());
    }

    void wanKeepsItsTimeInFloat32_defect_7()
    {
        const fs::path folder = tests::caseNamed(tests::CaseKind::Transformer, "wan");
        if (folder.empty())
            return;
        const ModelCase golden(folder);
        engine::LoneGroup lone;
        tests::GoldenTransformer exact(golden.modelFolder(), lone, {}), rounded(golden.modelFolder(), lone, {.computeDtype = at::kBFloat16});
        const auto run = [&](tests::GoldenTransformer& transformer, std::map<std::string, at::Tensor>& seen) {
            const c10::InferenceMode guard;
            engine::Tape tape(transformer.units(), engine::Tape::Mode::Evaluate);
            tape.setObserver([&](const std::string& name, const at::Tensor& value) { seen[name] = value.clone(); });
            return transformer.model().forward(tape, tests::modelInputOf(golden))->data.clone();
        };
        std::map<std::string, at::Tensor> seen, seenRounded;
        const at::Tensor velocity = run(exact, seen), nearly = run(rounded, seenRounded);
        QCOMPARE(seenRounded.at("blocks.0").scalar_type(), at::kBFloat16);
        const double error = (nearly - velocity).abs().mean().item<double>() / velocity.abs().mean().item<double>();
        QVERIFY2(error < 0.03, qPrintable(QString::number(error)));

        // The time embedding and its modulation are not rounded.
        for (const char* name : {"condition_embedder.0", "condition_embedder.1"})
            QVERIFY2(at::equal(seenRounded.at(name), seen.at(name)), name);
        // Nor are the tables that are added to it: what is a bfloat16 rounding of a table makes a difference.
        for (const char* name : {"blocks.0.scale_shift_table", "scale_shift_table"}) {
            const at::Tensor table = rounded.weight(name).clone();
            rounded.setWeight(name, table * (1 + 1.0 / 1024));
            std::map<std::string, at::Tensor> ignored;
            QVERIFY2(!at::equal(run(rounded, ignored), nearly), name);
            rounded.setWeight(name, table);
            QVERIFY(at::equal(run(rounded, ignored), nearly));
        }
    }

    void positionsFromNothingAreThoseOfDiffusers_data()
    {
        QTest::addColumn<QString>("folder");
        auto cases = tests::modelCases(tests::CaseKind::Transformer);
        std::erase_if(cases, [](const fs::path& folder) { return ModelCase(folder, tests::kCpu).className() != "SD3Transformer2DModel"; });
        for (const fs::path& folder : tests::rowsOf(cases))
            QTest::newRow(folder.filename().c_str()) << QString::fromStdString(folder.string());
    }
    void positionsFromNothingAreThoseOfDiffusers()
    {
        QFETCH(QString, folder);
        const ModelCase golden(folder.toStdString());
        const auto model = engine::buildTransformer(contract::JsonConfig(golden.modelFolder() / "config.json"));
        QCOMPARE(model->bufferNames(), std::vector<std::string> {"pos_embed.pos_embed"});
        const at::Tensor stored = tests::tensorsOf(golden.modelFolder()).at("pos_embed.pos_embed");
        QVERIFY(at::allclose(model->buffer("pos_embed.pos_embed"), stored, 0, 1e-6));
        QVERIFY_EXCEPTION_THROWN(model->setBuffer({"pos_embed.pos_embed", stored.narrow(1, 1, 3)}), engine::EngineError);
        QVERIFY_EXCEPTION_THROWN(model->setBuffer({"pos_embed.proj", stored}), engine::EngineError);
    }
};

QTEST_APPLESS_MAIN(TransformersTest)
#include "tst_transformers.moc"
