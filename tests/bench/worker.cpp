// The program that users run beside PyTorch's FSDP2: two ranks of atelier-worker on a run folder (experiment, data set, journal,
// logs, a sample grid and a checkpoint at the end) and two ranks of a training script on the same data and model. Measured are the
// time from the start of the processes to the end of their first step, and the peak memory of a rank until it exits.
//
// Both sides draw their own weights and noise here, so losses are not compared; the number of parameters and of steps is.
#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "engine/contract/run/journal_parser.h"
#include "launcher/runs/launch.h"
#include "tests/bench/engine_cases.h"
#include "tests/bench/figures.h"
#include "tests/bench/fsdp2_variants.h"
#include "tests/bench/ranks.h"
#include "tests/paths.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QTemporaryDir>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>

namespace {

using Json = nlohmann::json;

constexpr int kRounds = 5;
constexpr int kSteps = 8;

/// A DiT on the handwritten digits, 8 × 8 pixels.
struct Case {
    const char* size;
    int patch, width, depth, heads, batch;

    std::string name() const { return std::string("worker-") + size + "-bf16"; }
};
constexpr Case kCases[] = {{"tiny", 2, 128, 6, 4, 32}, {"small", 1, 384, 12, 6, 8}, {"base", 1, 768, 12, 12, 4}};

struct Figure {
    const char* name;
    const char* unit;
    const char* key;
};
constexpr Figure kFigures[] = {{"start", "s", "first_step_s"}, {"memory", "MiB", "peak_mib"}};

const char* const kDigits = ATELIER_SOURCE_DIR "/resources/digits.csv.gz";

contract::Experiment experimentOf(const Case& what)
{
    contract::Experiment experiment;
    for (const auto& [key, value] : std::map<const char*, std::string> {{"run.name", "bench"}, {"run.total_steps", std::to_string(kSteps)},
             {"run.threads", "1"}, {"launch.ranks", std::to_string(bench::kRanks)}, {"data.path", kDigits},
             {"model.patch", std::to_string(what.patch)}, {"model.width", std::to_string(what.width)},
             {"model.depth", std::to_string(what.depth)}, {"model.heads", std::to_string(what.heads)},
             {"batch.micro", std::to_string(what.batch)}, {"engine.compute_dtype", "bf16"}, {"engine.reshard_after_forward", "false"},
             {"ema.decay", "0"}, {"optim.lr", "1e-4"}, {"sample.judge", "0"}, {"sample.per_label", "1"}, {"sample.steps", "1"}}) {
        if (const auto problem = experiment.setText(key, value))
            throw std::runtime_error(problem->message);
    }
    return experiment;
}

/// When step 1 of @p rank was over, and how many steps it trained.
struct Steps {
    double firstUnixMs = 0;
    int count = 0;
};

Steps stepsIn(const contract::RunFolder& folder, int rank)
{
    Steps steps;
    contract::JournalParser parser;
    double startUnixMs = 0;
    std::ifstream file(folder.journal(rank));
    for (std::string line; std::getline(file, line);) {
        const contract::JournalLine& record = parser.parse(line);
        if (record.kind == contract::JournalLine::Kind::Header)
            startUnixMs = static_cast<double>(record.header.startUnixMs);
        if (record.kind != contract::JournalLine::Kind::Record || record.type != contract::record::kStep)
            continue;
        if (++steps.count == 1)
            steps.firstUnixMs = startUnixMs + record.tMs;
    }
    return steps;
}

std::uint64_t parametersIn(const contract::RunFolder& folder)
{
    std::uint64_t count = 0;
    for (const contract::TensorEntry& tensor : contract::readManifest(folder.checkpoint(kSteps)).tensors) {
        if (tensor.name.starts_with("model/"))
            count += tensor.elements();
    }
    return count;
}

Json ours(const Case& what)
{
    const QTemporaryDir home;
    qputenv("ATELIER_HOME", home.path().toLocal8Bit());
    const launcher::DataHome places = launcher::DataHome::locate();
    places.create();
    const contract::RunFolder folder = launcher::createRun(places, experimentOf(what)).folder;
    const bench::RanksOutcome outcome = bench::startRanks(QCoreApplication::applicationDirPath() + "/../bin/atelier-worker",
        {"--run", QString::fromStdString(folder.root().string()), "--attempt", "1"});
    double firstUnixMs = 0;
    for (int rank = 0; rank < bench::kRanks; ++rank) {
        const Steps steps = stepsIn(folder, rank);
        if (steps.count != kSteps)
            throw std::runtime_error(what.name() + ": rank " + std::to_string(rank) + " journalled " + std::to_string(steps.count)
                + " steps of " + std::to_string(kSteps));
        firstUnixMs = std::max(firstUnixMs, steps.firstUnixMs);
    }
    return {{"first_step_s", (firstUnixMs - static_cast<double>(outcome.startUnixMs)) / 1e3}, {"peak_mib", outcome.peakMib},
        {"params", parametersIn(folder)}};
}

QStringList peerArguments(const Case& what)
{
    // The peer's steps before it measures are three; it takes as many as ours in all.
    QStringList arguments {"--digits", kDigits, "--dtype", "bf16", "--warmup", "3", "--steps", QString::number(kSteps - 3)};
    for (const auto& [name, value] : {std::pair {"--image", 8}, {"--channels", 1}, {"--patch", what.patch}, {"--width", what.width},
             {"--depth", what.depth}, {"--heads", what.heads}, {"--batch", what.batch}})
        arguments << name << QString::number(value);
    return arguments;
}

/// For each figure by itself, the peer's variant that was best at it in a run of each, both sides alternated.
void measure(const Case& what, Json& rows)
{
    const bench::Fsdp2Search search(what.name(), peerArguments(what), /*withCompiled=*/false);
    for (const Figure& figure : kFigures) {
        const bench::Fsdp2Variant& variant = search.best(figure.key);
        std::vector<double> mine, theirs;
        for (int round = 0; round < kRounds; ++round) {
            const Json our = ours(what), peer = bench::runFsdp2(variant, peerArguments(what));
            if (our.at("params") != peer.at("params"))
                throw std::runtime_error(what.name() + ": our model has " + our.at("params").dump() + " parameters, the peer's "
                    + peer.at("params").dump());
            mine.push_back(our.at(figure.key));
            theirs.push_back(peer.at(figure.key));
        }
        rows.push_back(bench::row("engine", what.name(), figure.name, figure.unit, mine, bench::Better::Lower,
            {bench::quantile(theirs, 0.5), variant.name}));
        const Json& row = rows.back();
        std::fprintf(stderr, "  %s %s: ours %.2f, peer %.2f %s (%s), ratio %.2f\n", what.name().c_str(), figure.name, row.at("ours").get<double>(),
            row.at("peer").get<double>(), figure.unit, variant.name.c_str(), row.at("ratio").get<double>());
    }
}

}  // namespace

int main(int argc, char** argv)
{
    const QCoreApplication application(argc, argv);
    const QStringList wanted = application.arguments().mid(1).filter(QRegularExpression("^[^-]"));
    try {
        Json rows = Json::array();
        for (const Case& each : kCases) {
            if (wanted.isEmpty() && bench::isSlowForPeer(each.size))
                std::fputs(bench::leftOutMessage(each.name()).c_str(), stderr);
            else if (wanted.isEmpty() || wanted.contains(QString::fromStdString(each.name())))
                measure(each, rows);
        }
        std::cout << Json {{"rows", rows}}.dump(1) << '\n';
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 1;
    }
}
