// E7: runs that TensorBoard, Weights & Biases and trackio have recorded (tests/fixtures/foreign), as runs of ours. That what they record today
// is read, too, is tests/peers/tst_foreign_runs.cpp.
#include "engine/contract/run/annotations.h"
#include "engine/contract/run/origin.h"
#include "storage/exports/tensorboard_export.h"
#include "storage/imports/import.h"
#include "tests/storage/imported.h"

#include <QtTest>

#include <algorithm>
#include <cmath>

namespace fs = std::filesystem;
using tests::ImportHome;
using What = storage::ImportResult::What;

namespace {

constexpr int kSteps = 12;
double lossAt(int step) { return 1.0 / (step + 1); }

/// As in tests/peers/make_foreign_runs.py.
double oddAt(int step)
{
    switch (step % 11) {
    case 3:
        return std::nan("");
    case 5:
        return INFINITY;
    case 7:
        return -INFINITY;
    case 8:
        return -0.0;
    case 9:
        return 5e-324;
    case 10:
        return 1e300;
    default:
        return step;
    }
}

double asFloat(double value) { return double(float(value)); }

void compare(const std::vector<storage::Point>& points, double (*expected)(int))
{
    QVERIFY(points.size() >= kSteps);
    for (int step = 0; step < kSteps; ++step) {
        QCOMPARE(points[std::size_t(step)].step, step);
        QCOMPARE(tests::bits(points[std::size_t(step)].value), tests::bits(expected(step)));
    }
}

}  // namespace

class ImportsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void E7_tensorBoard()
    {
        ImportHome home;
        home.importAll(tests::foreignRuns() / "tensorboard");
        QCOMPARE(home.results.size(), std::size_t(3));
        QCOMPARE(home.failures, std::vector<std::string>());
        const std::string plain = home.runCalled("plain");
        const auto loss = home.points(plain, "train/loss", 1);
        compare(loss, [](int step) { return asFloat(lossAt(step)); });
        const auto attempts = home.store.attempts(plain);
        QCOMPARE(attempts.size(), std::size_t(2));
        QCOMPARE(attempts[0].startUnixMs + std::int64_t(std::llround(loss[7].tMs)), 1'700'000'001'000);  // 1.7e9 + 7/7 s
        QCOMPARE(attempts[0].host, std::string("vm"));
        compare(home.points(plain, "odd", 1), [](int step) { return asFloat(oddAt(step)); });
        QCOMPARE(home.points(plain, "int32", 1).at(0).step, std::int64_t(1) << 40);
        // The second file goes on from step 5.
        QCOMPARE(attempts[1].parentStep, 4);
        QCOMPARE(home.points(plain, "train/loss", 2).front().value, -asFloat(lossAt(5)));
        for (const auto& series : home.store.series(plain))
            QCOMPARE(series.supersededAfter.has_value(), series.attempt == 1);
        compare(home.points(home.runCalled("tensors"), "accuracy", 1), [](int step) { return asFloat(lossAt(step)); });
        const auto events = home.store.events(plain, 10);
        QCOMPARE(events.at(0).message, std::string("notes/text_summary: a *text* of\ntwo lines"));
        const auto samples = home.store.samples(plain);
        QCOMPARE(samples.at(0).prompt, std::string("picture"));
        QCOMPARE(samples.at(0).step, 2);
        QVERIFY(fs::file_size(home.folder(plain).root() / samples[0].file) > 60);
        QCOMPARE(home.leftOut("plain"), std::string("1 histogram was left out; Atelier has no place for it"));
        const std::string hparams = home.runCalled("hparams");
        QCOMPARE(home.parameter(hparams, "lr"), std::string("0.0003"));
        QCOMPARE(home.parameter(hparams, "batch"), std::string("16"));
        QCOMPARE(home.parameter(hparams, "name"), std::string("sd3"));
        QCOMPARE(home.points(hparams, "final", 1).at(0).value, 0.25);
        QCOMPARE(home.store.run(hparams)->project, std::string("tensorboard"));
    }

    void E7_weightsAndBiases()
    {
        ImportHome home;
        home.importAll(tests::foreignRuns() / "wandb");
        QCOMPARE(home.failures, std::vector<std::string>());
        const std::string id = home.runCalled("first try");
        const auto run = home.store.run(id);
        QCOMPARE(run->project, std::string("drawing"));
        QCOMPARE(run->tags, (std::vector<std::string> {"lora", "slow"}));
        QCOMPARE(run->notes, std::string("A note\nof two lines"));
        compare(home.points(id, "loss", 1), lossAt);
        compare(home.points(id, "odd", 1), oddAt);
        compare(home.points(id, "val.fid", 1), [](int step) { return 0.1 * step; });
        compare(home.points(id, "val.deep.count", 1), [](int step) { return double(step); });
        compare(home.points(id, "flag", 1), [](int step) { return step % 2 == 0 ? 1.0 : 0.0; });
        QCOMPARE(home.points(id, "late", 1).at(0).step, kSteps + 40);
        QCOMPARE(home.points(id, "summary/best", 1).at(0).value, 0.05);
        for (const storage::SeriesRow& series : home.store.series(id))
            QVERIFY2(series.metric.find("picture") == std::string::npos, series.metric.c_str());
        for (const auto& [key, value] : {std::pair("lr", "0.0003"), std::pair("model.depth", "12"), std::pair("model.name", "sd3"),
                 std::pair("betas", "[0.9,0.95]"), std::pair("bias", "true"), std::pair("added", "3"), std::pair("group", "g1")})
            QCOMPARE(home.parameter(id, key), std::string(value));
        QCOMPARE(home.store.events(id, 10).at(0).message, std::string("Look: the loss is low"));
        QCOMPARE(tests::contentOf(home.folder(id).log(0)), std::string("hello from the run\n"));
        QCOMPARE(home.store.samples(id).at(0).prompt, std::string("picture"));
        QCOMPARE(home.leftOut("first try"), std::string("12 texts were left out; Atelier has no place for them"));
        QCOMPARE(contract::readOrigin(home.folder(id))->sentence(), "Imported from Weights & Biases (" + home.results.at(0).second.place.string() + "), where it finished.");
    }

    void E7_trackio()
    {
        ImportHome home;
        home.importAll(tests::foreignRuns() / "trackio" / "drawing.db");
        QCOMPARE(home.failures, std::vector<std::string>());
        QCOMPARE(home.results.size(), std::size_t(2));
        const std::string id = home.runCalled("second try");
        QCOMPARE(home.store.run(id)->project, std::string("drawing"));
        compare(home.points(id, "loss", 1), lossAt);
        compare(home.points(id, "odd", 1), oddAt);
        compare(home.points(id, "val.fid", 1), [](int step) { return 0.1 * step; });
        QCOMPARE(home.parameter(id, "lr"), std::string("0.0003"));
        QCOMPARE(home.parameter(id, "model.name"), std::string("sd3"));
        const auto events = home.store.events(id, 10);
        QCOMPARE(events.at(0).message, std::string("Look: the loss is low"));
        QCOMPARE(events[0].level, std::string("warning"));
        QVERIFY(home.store.run(id)->createdUnixMs > 1'700'000'000'000);
        const auto third = home.points(home.runCalled("third try"), "loss", 1);
        QCOMPARE(third.at(0).step, 10);
        QCOMPARE(third[0].value, 2.5);
    }

    void E7_ourOwnExportIsReadBack()
    {
        ImportHome home;
        const auto run = home.createRun("own-20261121-101500-aaaa");
        std::string lines = headerLine(1, 0, 1'700'000'000'123);
        for (int step = 0; step < 200; ++step)
            lines += stepLine(step, step * 1.237, {{"loss", lossAt(step)}, {"odd", oddAt(step)}});
        append(run.journal(0), lines);
        append(run.journal(contract::kHostRank), headerLine(1, contract::kHostRank, 1'700'000'000'123) + stepLine(4321, 4'321'000, {{"system/cpu_load", 7}}, "host"));
        storage::Ingest(home.store).catchUp(run);
        storage::exportTensorBoard(home.store, run.id(), home.root() / "logs");
        home.importAll(home.root() / "logs");
        const std::string id = home.runCalled("logs");
        const std::int64_t shift = storage::beginUnixMs(home.store.attempts(run.id()).at(0)) - storage::beginUnixMs(home.store.attempts(id).at(0));
        for (const char* metric : {"loss", "odd"}) {
            const auto before = home.points(run.id(), metric, 1), after = home.points(id, metric, 1);
            QCOMPARE(after.size(), before.size());
            for (std::size_t i = 0; i < before.size(); ++i) {
                QCOMPARE(after[i].step, before[i].step);
                QCOMPARE(tests::bits(after[i].value), tests::bits(asFloat(before[i].value)));
                QVERIFY(std::abs(after[i].tMs - double(shift) - before[i].tMs) < 1e-3);
            }
        }
        // What the machine did counts seconds, not steps.
        QCOMPARE(home.store.run(id)->lastStep, 199);
        const std::vector<storage::SeriesRow> series = home.store.series(id);
        const auto load = std::ranges::find(series, std::string("system/cpu_load"), &storage::SeriesRow::metric);
        QVERIFY(load != series.end());
        QCOMPARE(load->rank, contract::kHostRank);
        QCOMPARE(home.store.points(load->id).at(0).value, 7.0);
    }

    void E7_theIndexCanBeRebuilt()
    {
        ImportHome home;
        home.importAll(tests::foreignRuns());
        QCOMPARE(home.results.size(), std::size_t(6));
        const auto before = home.everything();
        const fs::path other = home.root() / "other.db";
        QCOMPARE(storage::reindex(other, home.runs(), [](std::size_t, std::size_t) {}), std::vector<std::string>());
        const std::string after = tests::everythingIn(storage::Store(other));
        const auto place = std::size_t(std::ranges::mismatch(before, after).in1 - before.begin());
        QVERIFY2(after == before, (before.substr(place > 100 ? place - 100 : 0, 200) + " became " + after.substr(place, 100)).c_str());
    }

    void E7_importingAgainAddsWhatIsNew()
    {
        ImportHome home;
        const fs::path logs = home.root() / "logs";
        fs::copy(tests::foreignRuns() / "tensorboard" / "tensors", logs, fs::copy_options::recursive);
        const fs::path file = storage::eventFiles(logs).at(0);
        const std::string whole = tests::contentOf(file);
        tests::write(file, whole.substr(0, whole.size() - 10));  // within the last record
        home.importAll(logs);
        const std::string id = home.runCalled("logs");
        QCOMPARE(home.points(id, "accuracy", 1).size(), std::size_t(kSteps - 1));
        QVERIFY2(home.leftOut("logs").ends_with("ends within a record, as while it is being written; what comes before was read"), home.leftOut("logs").c_str());
        contract::Annotations noted;
        noted.notes = "mine";
        contract::appendAnnotations(home.folder(id).annotations(), {}, noted);

        tests::write(file, whole);
        home.importAll(logs);
        QCOMPARE(home.results.back().first.what, What::Extended);
        QCOMPARE(home.results.back().first.newValues, 1);
        QCOMPARE(home.runCalled("logs"), id);
        compare(home.points(id, "accuracy", 1), [](int step) { return asFloat(lossAt(step)); });
        QCOMPARE(home.store.run(id)->notes, std::string("mine"));
        home.importAll(logs);
        QCOMPARE(home.results.back().first.what, What::Known);
        QCOMPARE(home.store.runs().size(), std::size_t(1));
        // A Weights & Biases run is known wherever its folder lies.
        home.importAll(tests::foreignRuns() / "wandb");
        fs::copy(tests::foreignRuns() / "wandb", home.root() / "copy", fs::copy_options::recursive);
        home.importAll(home.root() / "copy");
        QCOMPARE(home.store.runs().size(), std::size_t(2));
    }
};

QTEST_GUILESS_MAIN(ImportsTest)
#include "tst_imports.moc"
