// Text encoders against what the public libraries computed.
#include "engine/contract/formats/model_folder.h"
#include "engine/models/text/qwen2_5_text_encoder.h"
#include "engine/models/text/text_encoder_registry.h"
#include "engine/weights/file_weights.h"
#include "tests/engine/goldens/case_rows.h"
#include "tests/engine/goldens/model_case.h"

#include <QtTest>

using engine::TextFeatures;
using tests::ModelCase;

namespace {

std::shared_ptr<const engine::WeightLookup> fileWeights(const ModelCase& golden, at::ScalarType dtype)
{
    return std::make_shared<engine::FileWeights>(
        engine::WeightsSource(contract::SafetensorsSet(golden.modelFolder())), dtype, tests::device());
}

std::unique_ptr<engine::TextEncoder> buildEncoder(const ModelCase& golden, std::shared_ptr<const engine::WeightLookup> weights,
    const std::string& configFolder = "model")
{
    const contract::JsonConfig config(golden.folder() / configFolder / "config.json");
    return engine::buildTextEncoder(contract::classNameOf(config), config, std::move(weights));
}

/// The names of newer checkpoints of Qwen2.5-VL for those of older ones.
class NewerNames final : public engine::WeightLookup {
public:
    explicit NewerNames(std::shared_ptr<const engine::WeightLookup> older)
        : m_older(std::move(older))
    {
    }
    bool contains(const std::string& name) const override { return name.starts_with(kPrefix) && m_older->contains(olderName(name)); }
    at::Tensor tensor(const std::string& name) const override { return m_older->tensor(olderName(name)); }

private:
    static constexpr std::string_view kPrefix = "model.language_model.";
    static std::string olderName(const std::string& name) { return "model." + name.substr(kPrefix.size()); }
    std::shared_ptr<const engine::WeightLookup> m_older;
};

/// Counts the weights that somebody holds.
class CountedWeights final : public engine::WeightLookup {
public:
    explicit CountedWeights(std::shared_ptr<const engine::WeightLookup> from)
        : m_from(std::move(from))
    {
    }
    bool contains(const std::string& name) const override { return m_from->contains(name); }
    at::Tensor tensor(const std::string& name) const override
    {
        const at::Tensor weight = m_from->tensor(name);
        ++m_held;
        return at::from_blob(weight.data_ptr(), weight.sizes(), [this, weight](void*) { --m_held; }, weight.options());
    }
    int held() const { return m_held; }

private:
    std::shared_ptr<const engine::WeightLookup> m_from;
    mutable int m_held = 0;
};

/// Multiplies the weights whose names end with @p suffix.
class ScaledWeights final : public engine::WeightLookup {
public:
    ScaledWeights(std::shared_ptr<const engine::WeightLookup> from, std::string suffix, double factor)
        : m_from(std::move(from))
        , m_suffix(std::move(suffix))
        , m_factor(factor)
    {
    }
    bool contains(const std::string& name) const override { return m_from->contains(name); }
    at::Tensor tensor(const std::string& name) const override { return scaled(name, m_from->tensor(name)); }
    at::Tensor floatTensor(const std::string& name) const override { return scaled(name, m_from->floatTensor(name)); }

private:
    at::Tensor scaled(const std::string& name, const at::Tensor& weight) const { return name.ends_with(m_suffix) ? weight * m_factor : weight; }

    std::shared_ptr<const engine::WeightLookup> m_from;
    std::string m_suffix;
    double m_factor;
};

at::Tensor maskOf(const ModelCase& golden)
{
    return golden.hasInput("attention_mask") ? golden.input("attention_mask") : at::Tensor();
}

/// Every output that a case may expect.
std::map<std::string, at::Tensor> outputsOf(const ModelCase& golden, const engine::TextEncoder& encoder)
{
    const c10::InferenceMode guard;
    std::map<std::string, at::Tensor> outputs;
    const at::Tensor ids = golden.input("input_ids"), mask = maskOf(golden);
    const bool isQwen = golden.hasInput("drop_tokens");
    const TextFeatures features = encoder.encode(ids, mask, [&](std::int64_t k, const at::Tensor& state) {
        // The case's file has zeros where padding is.
        outputs["hidden_states." + std::to_string(k)] = isQwen ? state * mask.unsqueeze(-1) : state;
    });
    outputs["last_hidden_state"] = features.last;
    outputs["penultimate"] = features.penultimate;
    outputs["text_embeds"] = features.projected;
    if (mask.defined())
        outputs["last_hidden_state_without_mask"] = encoder.encode(ids).last;
    if (isQwen) {
        const auto valid = engine::validTokens(features.last, mask, golden.input("drop_tokens").item<std::int64_t>());
        outputs["prompt_embeds"] = valid.features;
        outputs["prompt_embeds_mask"] = valid.mask;
    }
    return outputs;
}

void addEncoderCases()
{
    QTest::addColumn<QString>("path");
    for (const auto& path : tests::rowsOf(tests::modelCases(tests::CaseKind::TextEncoder)))
        QTest::newRow(path.filename().c_str()) << QString::fromStdString(path.string());
}

std::string encoderProblem(ModelCase& golden, const engine::TextEncoder& encoder)
{
    auto outputs = outputsOf(golden, encoder);
    for (const std::string& name : golden.expected()) {
        if (const std::string problem = golden.check(name, outputs[name]); !problem.empty())
            return problem;
    }
    return {};
}

}  // namespace

class TextEncodersTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theReferenceGotTheSame_data() { addEncoderCases(); }
    void theReferenceGotTheSame()
    {
        QFETCH(QString, path);
        ModelCase golden(path.toStdString());
        const std::string problem = encoderProblem(golden, *buildEncoder(golden, fileWeights(golden, at::kFloat)));
        QVERIFY2(problem.empty(), problem.c_str());
    }

    void olderConfigsAndNewerNamesGiveTheSame()
    {
        for (const auto& path : tests::modelCases(tests::CaseKind::TextEncoder)) {
            if (!std::filesystem::exists(path / "legacy_config"))
                continue;
            ModelCase golden(path);
            const auto weights = fileWeights(golden, at::kFloat);
            QCOMPARE(encoderProblem(golden, *buildEncoder(golden, weights, "legacy_config")), std::string());
            QCOMPARE(encoderProblem(golden, *buildEncoder(golden, std::make_shared<NewerNames>(weights))), std::string());
        }
    }

    void bfloat16RoundsAndNoMore_data() { addEncoderCases(); }
    void bfloat16RoundsAndNoMore()
    {
        QFETCH(QString, path);
        const ModelCase golden(path.toStdString());
        const auto encoder = buildEncoder(golden, fileWeights(golden, at::kBFloat16));
        const c10::InferenceMode guard;
        const at::Tensor last = encoder->encode(golden.input("input_ids"), maskOf(golden)).last;
        QCOMPARE(last.scalar_type(), at::kBFloat16);
        const auto exact = buildEncoder(golden, fileWeights(golden, at::kFloat));
        const at::Tensor expected = exact->encode(golden.input("input_ids"), maskOf(golden)).last;
        // A rounding is 2^-9 of a value; some dozens of them follow each other.
        constexpr double kAllowed = 0.03;
        const double error = (last.to(at::kFloat) - expected).square().mean().sqrt().item<double>();
        const double size = expected.square().mean().sqrt().item<double>();
        QVERIFY2(error < kAllowed * size, qPrintable(QString::number(error / size)));
    }

    void float16RoundsAndNoMore_data()
    {
        QTest::addColumn<QString>("path");
        for (const auto& path : tests::rowsOf(tests::modelCases(tests::CaseKind::TextEncoder)))
            QTest::newRow(("defect-7: " + path.filename().string()).c_str()) << QString::fromStdString(path.string());
    }
    /// With masks, causal and of padding.
    void float16RoundsAndNoMore()
    {
        QFETCH(QString, path);
        const ModelCase golden(path.toStdString());
        const auto encoder = buildEncoder(golden, fileWeights(golden, at::kHalf));
        const c10::InferenceMode guard;
        const at::Tensor last = encoder->encode(golden.input("input_ids"), maskOf(golden)).last;
        QCOMPARE(last.scalar_type(), at::kHalf);
        const at::Tensor expected = buildEncoder(golden, fileWeights(golden, at::kFloat))->encode(golden.input("input_ids"), maskOf(golden)).last;
        const at::Tensor wide = last.to(at::kFloat);
        QVERIFY(wide.isfinite().all().item<bool>());
        const double error = (wide - expected).square().mean().sqrt().item<double>(), size = expected.square().mean().sqrt().item<double>();
        QVERIFY2(error < 0.004 * size, qPrintable(QString::number(error / size)));  // a rounding is 2^-12 of a value
    }

    void t5KeepsItsOutputProjectionInFloat32_data()
    {
        QTest::addColumn<QString>("name");
        QTest::newRow("defect-7: M-061 T5") << "t5";
        QTest::newRow("defect-7: M-061 UMT5") << "umt5";
    }
    /// The feed-forward layers' output is 10⁶ times as large, more than float16 holds; the last norm takes the factor out again.
    void t5KeepsItsOutputProjectionInFloat32()
    {
        QFETCH(QString, name);
        const std::filesystem::path folder = tests::caseNamed(tests::CaseKind::TextEncoder, name.toStdString());
        if (folder.empty())
            return;
        const ModelCase golden(folder);
        const auto encoded = [&](at::ScalarType dtype) {
            const c10::InferenceMode guard;
            const auto weights = std::make_shared<ScaledWeights>(fileWeights(golden, dtype), ".wo.weight", 1e6);
            return buildEncoder(golden, weights)->encode(golden.input("input_ids"), maskOf(golden)).last.to(at::kFloat);
        };
        const at::Tensor half = encoded(at::kHalf), expected = encoded(at::kFloat);
        QVERIFY(half.isfinite().all().item<bool>());
        const double error = (half - expected).square().mean().sqrt().item<double>(), size = expected.square().mean().sqrt().item<double>();
        QVERIFY2(error < 0.01 * size, qPrintable(QString::number(error / size)));
    }

    void noWeightsAreHeldBetweenLayers_data() { addEncoderCases(); }
    void noWeightsAreHeldBetweenLayers()
    {
        QFETCH(QString, path);
        const ModelCase golden(path.toStdString());
        const auto weights = std::make_shared<CountedWeights>(fileWeights(golden, at::kFloat));
        const auto encoder = buildEncoder(golden, weights);
        const c10::InferenceMode guard;
        std::int64_t states = 0;
        encoder->encode(golden.input("input_ids"), maskOf(golden), [&](std::int64_t, const at::Tensor&) {
            ++states;
            QCOMPARE(weights->held(), 0);
        });
        QCOMPARE(states, encoder->layers() + 1);
    }

    void whatAnEncoderCannotTakeIsNamed_data() { addEncoderCases(); }
    void whatAnEncoderCannotTakeIsNamed()
    {
        QFETCH(QString, path);
        const ModelCase golden(path.toStdString());
        const auto encoder = buildEncoder(golden, fileWeights(golden, at::kFloat));
        const at::Tensor ids = golden.input("input_ids");
        const auto config = contract::readJson(golden.modelFolder() / "config.json");
        const auto& text = config.contains("text_config") ? config.at("text_config") : config;
        const auto vocabulary = text.at("vocab_size").get<std::int64_t>();
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, encoder->encode(at::full_like(ids, vocabulary)));
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, encoder->encode(at::full_like(ids, -1)));
        if (text.contains("max_position_embeddings")) {
            const std::int64_t tooLong = text.at("max_position_embeddings").get<std::int64_t>() + 1;
            QVERIFY_THROWS_EXCEPTION(std::runtime_error, encoder->encode(at::zeros({1, tooLong}, ids.options())));
        }
    }
};

QTEST_GUILESS_MAIN(TextEncodersTest)
#include "tst_text_encoders.moc"
