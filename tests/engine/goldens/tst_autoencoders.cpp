// Autoencoders against what the public libraries computed, gradients too.
#include "engine/contract/formats/model_folder.h"
#include "engine/models/vae/autoencoder_registry.h"
#include "engine/weights/file_weights.h"
#include "tests/engine/goldens/case_rows.h"
#include "tests/engine/goldens/model_case.h"

#include <QtTest>

using tests::ModelCase;

namespace {

/// Weights that gradients are wanted of.
class DifferentiatedWeights final : public engine::WeightLookup {
public:
    explicit DifferentiatedWeights(const std::filesystem::path& folder)
        : m_tensors(tests::tensorsOf(contract::findWeights(folder)))
    {
        for (auto& [name, tensor] : m_tensors)
            tensor = tests::onDevice(tensor).requires_grad_();
    }
    bool contains(const std::string& name) const override { return m_tensors.contains(name); }
    at::Tensor tensor(const std::string& name) const override { return m_tensors.at(name); }

private:
    std::map<std::string, at::Tensor> m_tensors;
};

std::unique_ptr<engine::Autoencoder> build(const ModelCase& golden, std::shared_ptr<const engine::WeightLookup> weights)
{
    const contract::JsonConfig config(golden.modelFolder() / "config.json");
    return engine::buildAutoencoder(contract::classNameOf(config), config, std::move(weights));
}

std::unique_ptr<engine::Autoencoder> build(const ModelCase& golden)
{
    engine::WeightsSource source {contract::SafetensorsSet(golden.modelFolder())};
    const auto files = std::make_shared<engine::FileWeights>(std::move(source), at::kFloat, tests::device());
    return build(golden, std::make_shared<engine::CachedWeights>(files));
}

void addCases()
{
    QTest::addColumn<QString>("path");
    for (const auto& path : tests::rowsOf(tests::modelCases(tests::CaseKind::Autoencoder)))
        QTest::newRow(path.filename().c_str()) << QString::fromStdString(path.string());
}

bool isClose(const at::Tensor& a, const at::Tensor& b) { return at::allclose(a, b, 1e-4, 1e-5); }

}  // namespace

class AutoencodersTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theReferenceGotTheSame_data() { addCases(); }
    void theReferenceGotTheSame()
    {
        QFETCH(QString, path);
        ModelCase golden(path.toStdString());
        const auto weights = std::make_shared<DifferentiatedWeights>(golden.modelFolder());
        const auto autoencoder = build(golden, weights);
        const auto check = [&](const std::string& name, const at::Tensor& actual) {
            const std::string problem = golden.check(name, actual);
            QVERIFY2(problem.empty(), problem.c_str());
        };

        const at::Tensor image = golden.input("image").clone().requires_grad_();
        const at::Tensor moments = autoencoder->encode(image);
        const engine::Posterior posterior = engine::posterior(moments);
        const at::Tensor encodeLoss = (moments * golden.input("probe_encode")).mean().view({1});
        check("moments", moments);
        check("mean", posterior.mean);
        check("logvar", posterior.logVariance);
        check("std", posterior.deviation());
        check("loss_encode", encodeLoss);
        encodeLoss.backward();
        check("grad_input.image", image.grad());

        const at::Tensor latent = golden.input("latent").clone().requires_grad_();
        const at::Tensor decoded = autoencoder->decode(latent);
        const at::Tensor decodeLoss = (decoded * golden.input("probe_decode")).mean().view({1});
        check("decoded", decoded);
        check("loss_decode", decodeLoss);
        decodeLoss.backward();
        check("grad_input.latent", latent.grad());

        for (const std::string& name : golden.expected()) {
            constexpr std::string_view kOfParameter = "grad.";
            if (name.starts_with(kOfParameter))
                check(name, weights->tensor(name.substr(kOfParameter.size())).grad());
        }
        for (const std::string& name : golden.unchecked())
            QFAIL(("nothing computes " + name).c_str());
    }

    void samplesByThemselvesGiveTheSame_data() { addCases(); }
    void samplesByThemselvesGiveTheSame()
    {
        QFETCH(QString, path);
        const ModelCase golden(path.toStdString());
        const c10::InferenceMode guard;
        const auto autoencoder = build(golden);
        const at::Tensor images = at::cat({golden.input("image"), golden.input("image").flip(-1)});
        const at::Tensor latents = at::cat({golden.input("latent"), golden.input("latent").flip(-2)});
        const at::Tensor moments = autoencoder->encode(images), decoded = autoencoder->decode(latents);
        autoencoder->setMaxPixels(images.size(-1) * images.size(-2));  // of one
        QVERIFY(isClose(autoencoder->encode(images), moments));
        QVERIFY(isClose(autoencoder->decode(latents), decoded));
    }

    void largeImagesGoInTiles_data() { addCases(); }
    void largeImagesGoInTiles()
    {
        QFETCH(QString, path);
        const ModelCase golden(path.toStdString());
        const c10::InferenceMode guard;
        const auto autoencoder = build(golden);
        const auto config = contract::readJson(golden.modelFolder() / "config.json");
        const std::int64_t factor = autoencoder->spatialFactor();
        const std::int64_t tile = config.value("sample_size", std::int64_t {256}) / factor, own = tile * 3 / 4, width = own + 2;
        const at::Tensor given = golden.input("latent");
        const at::Tensor latents
            = given.narrow(2, 0, given.dim() == 4 ? given.size(2) : 1).repeat_interleave(tile, -1).narrow(-1, 0, width).contiguous();
        const at::Tensor small = autoencoder->decode(latents);
        autoencoder->setMaxPixels(1);
        QVERIFY(isClose(autoencoder->decode(latents), small));  // it fits into a tile
        const at::Tensor wide = at::cat({latents, latents}, -1);
        const at::Tensor decoded = autoencoder->decode(wide);
        QCOMPARE(decoded.size(-1), 2 * width * factor);
        const at::Tensor first = autoencoder->decode(wide.narrow(-1, 0, tile));
        QVERIFY(isClose(decoded.narrow(-1, 0, own * factor), first.narrow(-1, 0, own * factor)));
        const at::Tensor moments = autoencoder->encode(decoded);
        QCOMPARE(moments.sizes().slice(2), wide.sizes().slice(2));
        const at::Tensor firstMoments = autoencoder->encode(decoded.narrow(-1, 0, tile * factor));
        QVERIFY(isClose(moments.narrow(-1, 0, own), firstMoments.narrow(-1, 0, own)));
    }

    void framesDoNotSeeLaterOnes()
    {
        for (const auto& path : tests::modelCases(tests::CaseKind::Autoencoder)) {
            const ModelCase golden(path);
            const std::int64_t frames = golden.input("image").dim() == 5 ? golden.input("image").size(2) : 1;
            if (frames == 1)
                continue;
            const c10::InferenceMode guard;
            const auto autoencoder = build(golden);
            const at::Tensor video = golden.input("image");
            QVERIFY(isClose(autoencoder->encode(video.narrow(2, 0, 1)), golden.expectedTensor("moments").narrow(2, 0, 1)));
            const at::Tensor latent = golden.input("latent");
            QVERIFY(isClose(autoencoder->decode(latent.narrow(2, 0, 1)), golden.expectedTensor("decoded").narrow(2, 0, 1)));
            QVERIFY_THROWS_EXCEPTION(std::runtime_error, autoencoder->encode(video.narrow(2, 0, frames - 1)));
        }
    }

    void latentsAreScaledAndBack_data() { addCases(); }
    void latentsAreScaledAndBack()
    {
        QFETCH(QString, path);
        const ModelCase golden(path.toStdString());
        const auto config = contract::readJson(golden.modelFolder() / "config.json");
        const engine::LatentScaling scaling = build(golden)->scaling();
        const at::Tensor latent = golden.input("latent");
        const at::Tensor scaled = scaling.toModel(latent);
        for (std::int64_t channel = 0; channel < latent.size(1); ++channel) {
            const auto at = static_cast<std::size_t>(channel);
            const bool isPerChannel = !config.at("latents_mean").is_null();
            const double shift = isPerChannel ? config.at("latents_mean").at(at) : config.at("shift_factor");
            const double scale = isPerChannel ? 1 / config.at("latents_std").at(at).get<double>() : config.at("scaling_factor").get<double>();
            QVERIFY(isClose(scaled.select(1, channel), (latent.select(1, channel) - shift) * scale));
        }
        QVERIFY(isClose(scaling.toAutoencoder(scaled), latent));
    }
};

QTEST_GUILESS_MAIN(AutoencodersTest)
#include "tst_autoencoders.moc"
