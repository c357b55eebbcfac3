// What the other optimizers cost beside AdamW: a step of our engine, the optimizer's part of it and the bytes of its
// states, two CPU ranks of one thread each, run alternately.
#include "tests/bench/figures.h"
#include "tests/bench/ranks.h"

#include <QCoreApplication>

#include <cstdio>
#include <iostream>
#include <stdexcept>

namespace {

using Json = nlohmann::json;

constexpr int kRounds = 3;

struct Figure {
    const char* name;
    const char* unit;
    const char* key;  ///< JSON pointer into a rank's line
};

const std::vector<Figure> kFigures = {{"step", "ms", "/median_ms"}, {"optimizer", "ms", "/phase_ms/optimizer"},
    {"states", "bytes/parameter", "/state_bytes_per_parameter"}, {"memory", "MiB", "/peak_mib"}};

Json run(const QString& size, const QString& kind)
{
    return bench::runRanks(QCoreApplication::applicationDirPath() + "/engine_bench_rank",
        {"--size", size, "--steps", "12", "--reshard", "false", "--optimizer", kind});
}

void measure(const QString& size, const QString& kind, Json& rows)
{
    std::vector<Json> ours, adamw;
    for (int round = 0; round < kRounds; ++round) {
        ours.push_back(run(size, kind));
        adamw.push_back(run(size, "adamw"));
    }
    for (const Figure& figure : kFigures) {
        const auto values = [&](const std::vector<Json>& lines) {
            std::vector<double> result;
            for (const Json& line : lines)
                result.push_back(line.at(Json::json_pointer(figure.key)));
            return result;
        };
        rows.push_back(bench::row("engine", (size + "-bf16, " + kind).toStdString(), figure.name, figure.unit, values(ours),
            bench::Better::Lower, {bench::quantile(values(adamw), 0.5), "our AdamW"}));
    }
}

}  // namespace

int main(int argc, char** argv)
{
    const QCoreApplication application(argc, argv);
    try {
        Json rows = Json::array();
        for (const char* size : {"tiny", "small"}) {
            for (const char* kind : {"adamw8bit", "muon"})
                measure(size, kind, rows);
        }
        std::cout << Json {{"rows", rows}}.dump(1) << '\n';
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 1;
    }
}
