// Transformers, loaded from diffusers' folders and sharded, compute what diffusers does: outputs and every gradient.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "engine/comm/errors.h"
#include "engine/contract/json_config.h"
#include "tests/engine/comm/forked_ranks.h"
#include "tests/engine/goldens/golden_transformer.h"

#include <QtTest>

#include <algorithm>
#include <cstdio>
#include <set>

using engine::Tape;
using tests::GoldenTransformer;
using tests::ModelCase;

namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kClasses = {"DiTTransformer2DModel", "FluxTransformer2DModel",
    "QwenImageTransformer2DModel", "SD3Transformer2DModel", "WanTransformer3DModel"};

/// With a model of their own: not the cases that train another's.
std::vector<fs::path> transformerCases()
{
    std::vector<fs::path> cases;
    for (const fs::path& folder : tests::modelCases(kClasses)) {
        if (ModelCase(folder).json().at("model") == "model")
            cases.push_back(folder);
    }
    return cases;
}

/// How much more than a case allows may be off forward.
///
/// A guidance scale of 4.5 turns by angles of up to 4500, which the last bit of a frequency moves by 3e-4. Where ours are
/// the nearest float32, the machine that made the case had the next one for exp(-ln 10000 · 13 / 128), 0.53 bits away;
/// LibTorch on another machine is off by as much as ours.
double widerBy(const ModelCase& golden)
{
    constexpr double kSensitive = 4;
    return golden.hasInput("guidance") ? kSensitive : 1;
}

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
struct Division {
    int ranks = 1, ring = 1, ulysses = 1;
    bool recomputes = false;
    engine::AttentionKernel kernel = engine::AttentionKernel::Automatic;

    contract::MeshShape shape() const { return {.world = ranks, .shard = ranks, .ring = ring, .ulysses = ulysses}; }
};

std::vector<std::string> problemsOf(ModelCase& golden, engine::Mesh& mesh, const Division& division)
{
    GoldenTransformer transformer(golden.modelFolder(), mesh.shard(),
        {.sequence = {.recompute = *contract::UnitSelection::parse(division.recomputes ? "all" : "none")},
            .setup = {.sequence = {&mesh.ring(), &mesh.ulysses(), division.kernel}}});
    engine::InputValues values;
    engine::ModelInput input = tests::modelInputOf(golden);
    input.values = &values;
    FirstDifference difference(golden);
    golden.widen(widerBy(golden));
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
        tape.backward(output, tests::pictureOf(golden, probe / static_cast<double>(probe.numel())));
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
        QTest::addColumn<Division>("division");
        for (const fs::path& folder : transformerCases()) {
            const ModelCase golden(folder);
            const std::string name = golden.name();
            const auto heads = contract::readJson(golden.modelFolder() / "config.json").at("num_attention_heads").get<int>();
            const auto row = [&](const QString& what, const Division& division) {
                QTest::newRow(qPrintable(QString::fromStdString(name) + ", " + what)) << QString::fromStdString(folder.string()) << division;
            };
            for (const int ranks : {1, 2, 4})
                row(QStringLiteral("ranks: %1").arg(ranks), {.ranks = ranks});
            row("E-009 blocks recomputed, ranks: 2", {.ranks = 2, .recomputes = true});
            row("E-022 Ulysses of 2, ranks: 2", {.ranks = 2, .ulysses = 2});
            row("E-022 Ulysses of 2, blocks recomputed, ranks: 4", {.ranks = 4, .ulysses = 2, .recomputes = true});
            if (heads % 4 == 0)
                row("E-022 Ulysses of 4, ranks: 4", {.ranks = 4, .ulysses = 4});
            row("E-022 ring of 2, ranks: 2", {.ranks = 2, .ring = 2});
            row("E-022 ring of 4, ranks: 4", {.ranks = 4, .ring = 4});
            row("E-022 ring of 2 times Ulysses of 2, blocks recomputed, ranks: 4",
                {.ranks = 4, .ring = 2, .ulysses = 2, .recomputes = true});
            for (const auto kernel : {engine::AttentionKernel::ByHead, engine::AttentionKernel::Flash})
                row(QStringLiteral("attention by ") + QString::fromLatin1(engine::nameOf(kernel)), {.kernel = kernel});
        }
    }
    void computeWhatDiffusersComputes()
    {
        QFETCH(QString, folder);
        QFETCH(Division, division);
        const auto codes = tests::runRanks(division.shape(), engine::Exchange::Automatic, [&](engine::Mesh& mesh) {
            at::set_num_threads(1);
            ModelCase golden(folder.toStdString());
            const auto problems = problemsOf(golden, mesh, division);
            for (const std::string& problem : problems)
                std::fprintf(stderr, "%s\n", problem.c_str());
            return problems.empty();
        });
        QCOMPARE(codes, std::vector<int>(static_cast<std::size_t>(division.ranks), 0));
    }

    void positionsFromNothingAreThoseOfDiffusers_data()
    {
        QTest::addColumn<QString>("folder");
        for (const fs::path& folder : transformerCases()) {
            if (ModelCase(folder).className() == "SD3Transformer2DModel")
                QTest::newRow(folder.filename().c_str()) << QString::fromStdString(folder.string());
        }
    }
    void positionsFromNothingAreThoseOfDiffusers()
    {
        QFETCH(QString, folder);
        const ModelCase golden(folder.toStdString());
        const auto model = engine::buildTransformer(contract::JsonConfig(golden.modelFolder() / "config.json"));
        QCOMPARE(model->bufferNames(), std::vector<std::string> {"pos_embed.pos_embed"});
        const at::Tensor stored = tests::tensorsOf(golden.modelFolder() / "diffusion_pytorch_model.safetensors").at("pos_embed.pos_embed");
        QVERIFY(at::allclose(model->buffer("pos_embed.pos_embed"), stored, 0, 1e-6));
        QVERIFY_EXCEPTION_THROWN(model->setBuffer({"pos_embed.pos_embed", stored.narrow(1, 1, 3)}), engine::EngineError);
        QVERIFY_EXCEPTION_THROWN(model->setBuffer({"pos_embed.proj", stored}), engine::EngineError);
    }
};

QTEST_APPLESS_MAIN(TransformersTest)
#include "tst_transformers.moc"
