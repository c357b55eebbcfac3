// Text encoders, image towers and autoencoders beside those of transformers and diffusers (eager): the same weights, one thread.
// What they compute is compared too.
#include "engine/contract/formats/model_folder.h"
#include "engine/models/clip/clip_image_encoder.h"
#include "engine/models/text/text_encoder_registry.h"
#include "engine/models/vae/autoencoder_registry.h"
#include "engine/weights/file_weights.h"
#include "tests/bench/figures.h"
#include "tests/bench/processes.h"
#include "tests/paths.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <c10/core/InferenceMode.h>

#include <QTemporaryDir>

#include <chrono>
#include <cstdio>
#include <functional>
#include <iostream>

namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

constexpr int kRuns = 7;

/// What ours makes of the case's input.
using Network = std::function<at::Tensor(const at::Tensor&)>;

Network networkOf(const fs::path& folder, const std::string& className, at::ScalarType dtype)
{
    const contract::JsonConfig config(folder / "config.json");
    const auto weights = std::make_shared<engine::CachedWeights>(std::make_shared<engine::FileWeights>(
        engine::WeightsSource(contract::SafetensorsSet(contract::findWeights(folder))), dtype));
    if (className.starts_with("Autoencoder")) {
        std::shared_ptr<engine::Autoencoder> autoencoder = engine::buildAutoencoder(className, config, weights);
        const bool encodes = folder.filename().string().ends_with("encode");
        return [=](const at::Tensor& x) { return encodes ? autoencoder->encode(x) : autoencoder->decode(x); };
    }
    if (className == "CLIPVisionModelWithProjection")
        return [tower = std::make_shared<engine::ClipImageEncoder>(config, weights)](const at::Tensor& x) { return tower->encode(x); };
    std::shared_ptr<engine::TextEncoder> encoder = engine::buildTextEncoder(className, config, weights);
    return [=](const at::Tensor& ids) { return encoder->encode(ids).last; };
}

/// @param allowed relative error of the output
void measure(Json& rows, const QString& python, const QString& name, const char* dtypeName, at::ScalarType dtype, double allowed)
{
    const QTemporaryDir temporary;
    const fs::path folder = fs::path(temporary.path().toStdString()) / name.toStdString();
    bench::LineServer peer(
        python, {ATELIER_SOURCE_DIR "/tests/peers/frozen_models.py", QString::fromStdString(folder.string()), name, dtypeName});
    const Network network = networkOf(folder, peer.greeting().toStdString(), dtype);
    const engine::WeightsSource files {contract::SafetensorsSet(folder / "case.safetensors")};
    const at::Tensor input = files.view("input"), expected = files.view("output");
    const std::string whole = name.toStdString() + "-" + dtypeName;

    std::vector<double> mine, theirs;
    for (int run = 0; run <= kRuns; ++run) {  // the first of both is not counted
        const auto begin = std::chrono::steady_clock::now();
        const at::Tensor output = network(input);
        const double our = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
        const double their = peer.milliseconds("forward");
        if (run > 0) {
            mine.push_back(our);
            theirs.push_back(their);
            continue;
        }
        const double error = ((output.to(at::kFloat) - expected).norm() / expected.norm()).item<double>();
        if (!(error < allowed))
            throw std::runtime_error(whole + ": the output differs from the peer's by " + std::to_string(error));
    }
    rows.push_back(bench::row("models", whole, "forward", "ms", mine, bench::Better::Lower,
        {bench::quantile(theirs, 0.5), name.contains("vae") ? "diffusers" : "transformers"}));
    std::fprintf(stderr, "  %s: ratio %.2f\n", whole.c_str(), rows.back().at("ratio").get<double>());
}

}  // namespace

int main()
{
    try {
        at::set_num_threads(1);
        const c10::InferenceMode guard;
        const QString python = bench::diffusersPython();
        Json rows = Json::array();
        const QByteArray names = bench::outputOf(python, {ATELIER_SOURCE_DIR "/tests/peers/frozen_models.py"});
        for (const QByteArray& name : names.trimmed().split('\n')) {
            measure(rows, python, QString::fromUtf8(name), "float32", at::kFloat, 1e-4);
            measure(rows, python, QString::fromUtf8(name), "bfloat16", at::kBFloat16, 0.1);  // both sides round in their own order
        }
        std::cout << Json {{"rows", rows}}.dump(1) << '\n';
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 1;
    }
}
