// Text encoders and autoencoders beside those of transformers and diffusers (eager): the same weights, one thread. What they
// compute is compared too.
#include "engine/contract/model_folder.h"
#include "engine/model/autoencoder/autoencoder_registry.h"
#include "engine/model/file_weights.h"
#include "engine/model/text/text_encoder_registry.h"
#include "tests/bench/figures.h"
#include "tests/bench/processes.h"

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
    const auto weights = std::make_shared<engine::KeptWeights>(std::make_shared<engine::FileWeights>(
        engine::WeightsSource(contract::SafetensorsSet(contract::findWeights(folder))), dtype));
    if (className.starts_with("Autoencoder")) {
        std::shared_ptr<engine::Autoencoder> autoencoder = engine::buildAutoencoder(className, config, weights);
        const bool encodes = folder.filename().string().ends_with("encode");
        return [=](const at::Tensor& x) { return encodes ? autoencoder->encode(x) : autoencoder->decode(x); };
    }
    std::shared_ptr<engine::TextEncoder> encoder = engine::buildTextEncoder(className, config, weights);
    return [=](const at::Tensor& ids) { return encoder->encode(ids).last; };
}

/// @param allowed relative error of what comes out
std::vector<double> timed(const std::string& name, const Network& network, const engine::WeightsSource& files, double allowed)
{
    const at::Tensor input = files.view("input"), expected = files.view("output");
    std::vector<double> runs;
    at::Tensor output;
    for (int i = 0; i <= kRuns; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        output = network(input);
        runs.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    }
    const double error = ((output.to(at::kFloat) - expected).norm() / expected.norm()).item<double>();
    if (!(error < allowed))
        throw std::runtime_error(name + " has another result than the peer's, by " + std::to_string(error));
    runs.erase(runs.begin());
    return runs;
}

void measure(Json& rows, const QString& python, const char* dtypeName, at::ScalarType dtype, double allowed)
{
    const QTemporaryDir folder;
    const auto peers = Json::parse(bench::outputOf(python,
        {ATELIER_SOURCE_DIR "/tests/peers/frozen_models.py", folder.path(), dtypeName, QString::number(kRuns)}).toStdString());
    for (const auto& [name, peer] : peers.items()) {
        const fs::path own = fs::path(folder.path().toStdString()) / name;
        const engine::WeightsSource files {contract::SafetensorsSet(own / "case.safetensors")};
        const auto runs = timed(name, networkOf(own, peer.at("class"), dtype), files, allowed);
        std::vector<double> theirs = peer.at("runs");
        for (double& run : theirs)
            run *= 1e3;
        rows.push_back(bench::row("models", name + "-" + dtypeName, "forward", "ms", runs, bench::Better::Lower,
            {bench::quantile(theirs, 0.5), name.find("vae") != std::string::npos ? "diffusers" : "transformers"}));
    }
}

}  // namespace

int main()
{
    try {
        at::set_num_threads(1);
        const c10::InferenceMode guard;
        const QString python = bench::diffusersPython();
        Json rows = Json::array();
        measure(rows, python, "float32", at::kFloat, 1e-4);
        measure(rows, python, "bfloat16", at::kBFloat16, 0.1);  // both round, each its own way
        std::cout << Json {{"rows", rows}}.dump(1) << '\n';
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 1;
    }
}
