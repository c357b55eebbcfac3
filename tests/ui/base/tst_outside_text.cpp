// E17: what launcher and engine really say is known to the window's translations. A sentence that was changed there fails here.
#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "engine/contract/experiment/correction_spec.h"
#include "engine/contract/experiment/experiment.h"
#include "engine/contract/experiment/reward_spec.h"
#include "engine/contract/formats/model_folder.h"
#include "engine/contract/formats/safetensors.h"
#include "engine/contract/formats/sentence.h"
#include "engine/contract/formats/text.h"
#include "launcher/plan/forecast.h"
#include "launcher/plan/preflight.h"
#include "launcher/ranks/rank_exit.h"
#include "launcher/state/outcome.h"
#include "launcher/state/run_state.h"
#include "launcher/supervisor/restart_policy.h"
#include "tests/launcher/worker_without.h"
#include "tests/paths.h"
#include "tests/ui/support/test_home.h"
#include "tests/ui/support/ui_test_main.h"
#include "ui/language/language.h"
#include "ui/language/outside_text.h"

#include <QRegularExpression>
#include <QTemporaryDir>

#include <cerrno>
#include <cmath>
#include <csignal>
#include <fstream>
#include <sstream>

using contract::OptionType;

namespace {

/// Fails for a sentence that stayed English, in whole or in part.
void expectGerman(const std::string& english)
{
    const QString text = ui::translatedSentence(english);
    QString words = text;
    words.remove(QRegularExpression("`[^`]*`|\"[^\"]*\"|\\S*[/_=]\\S*"));  // commands, values and paths are the same in each language
    static const QRegularExpression isEnglish("\\b(the|is|of|to|and|at|cannot|must|be|not|by|for|has|have|with|but|there|after|its|than|which|missing|give|write|it|are|step|before|failed|killed|choose|set)\\b");
    QVERIFY2(!words.contains(isEnglish), qPrintable(text));
    QVERIFY2(!text.contains(QRegularExpression("%\\d(?!\\d)")), qPrintable(text));
}

std::string content(const std::filesystem::path& file)
{
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
}

void write(const std::filesystem::path& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

/// What @p work complains about; empty: nothing.
template <typename Work>
std::string complaintOf(Work work)
{
    try {
        work();
    } catch (const std::exception& error) {
        return contract::sentenceOf(error);
    }
    return {};
}

}  // namespace

class OutsideTextTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        // As in the command line, where no language is spoken.
        QCOMPARE(ui::translatedSentence("Rank 1 was killed (signal 9) after step 60"), QStringLiteral("Rank 1 was killed (signal 9) after step 60"));
        ui::speakLanguage("de");
    }

    void E17_partsOfSentencesAreTranslatedToo_data()
    {
        QTest::addColumn<QString>("english");
        QTest::addColumn<QString>("german");
        QTest::newRow("killed") << "Rank 1 was killed (signal 9, out of memory) after step 4120" << "Rank 1 wurde getötet (Signal 9, Speicher erschöpft) nach Schritt 4120";
        QTest::newRow("its own words stay") << "Rank 0 failed (exit code 1) after step 7: CUDA error: %1 is not here" << "Rank 0 ist fehlgeschlagen (Exit-Code 1) nach Schritt 7: CUDA error: %1 is not here";
        QTest::newRow("not restarted") << "The ranks hung at step 9; not started again: 2 restarts have brought no progress"
                                       << "Die Ranks hingen bei Schritt 9; nicht neu gestartet: 2 Neustarts haben keinen Fortschritt gebracht";
        QTest::newRow("waits") << "rank 3 loads data" << "Rank 3 lädt Daten";
        QTest::newRow("size") << "74.6 GB free at /runs, about 0.1 GB needed for checkpoints" << "74,6 GB frei in /runs, etwa 0,1 GB für Checkpoints nötig";
        QTest::newRow("database") << "/home/atelier.db is not a database: `atelier reindex` builds a new one from the run folders and keeps this file"
                                  << "/home/atelier.db ist keine Datenbank: `atelier reindex` baut aus den Laufordnern einen neuen Index auf und behält diese Datei";
        QTest::newRow("left out") << "3 histograms were left out; Atelier has no place for them" << "Histogramm ausgelassen (3); Atelier hat keinen Platz dafür";
        QTest::newRow("unknown") << "all-gather of blocks.17 failed: Connection closed" << "all-gather of blocks.17 failed: Connection closed";
        QTest::newRow("of a library, in part") << "libfoo: a.png: Permission denied" << "libfoo: a.png: Keine Berechtigung";
        QTest::newRow("nothing") << "" << "";
    }
    void E17_partsOfSentencesAreTranslatedToo()
    {
        QFETCH(QString, english);
        QFETCH(QString, german);
        QCOMPARE(ui::translatedSentence(english.toStdString()), german);
    }

    void E17_endsOfRanks()
    {
        using namespace launcher;
        std::vector<RankExit> exits;
        for (const int code : {worker_exit::kSuccess, 1, worker_exit::kWrongUsage, worker_exit::kLostPeer, worker_exit::kOutOfMemory, worker_exit::kBadCheckpoint,
                 worker_exit::kTimeout, worker_exit::kNotStarted})
            exits.push_back({.rank = 2, .code = code, .errorText = {}});
        for (const int signal : {SIGKILL, SIGTERM, SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL})
            exits.push_back({.rank = 2, .isSignal = true, .code = signal, .errorText = {}});
        exits.push_back({.rank = 2, .isSignal = true, .code = SIGKILL, .sawOomKill = true, .errorText = {}});
        for (RankExit exit : exits) {
            for (const std::int64_t step : {0, 60}) {
                exit.step = step;
                expectGerman(describe(exit));
                expectGerman(whatHappened(exit));
            }
            expectGerman(RestartPolicy(1).preview(failureOf(exit), 0, 0).refusal);
        }
        for (const auto request : {StopRequest::Now, StopRequest::Kill})
            expectGerman(judgeOutcome({}, request, {}).cause);
    }

    void E17_whatStandsAgainstAValue()
    {
        for (const contract::Option& option : contract::options()) {
            contract::Experiment experiment;
            for (const char* const value : {"none of these\n", "-1e300", "1e300"}) {
                if (const auto problem = experiment.setText(option.key, value))
                    expectGerman(problem->message);
            }
            expectGerman(contract::describeRange(option));
        }
    }

    void E17_whatStandsAgainstAnExperiment_data()
    {
        QTest::addColumn<QString>("toml");
        QTest::newRow("no data") << "";
        QTest::newRow("no file") << "[data]\npath = \"/nowhere\"";
        QTest::newRow("no TOML") << "[[[";
        QTest::newRow("unknown") << "[optim]\nlearning = 1";
        QTest::newRow("nearly known") << "[optim]\nlrr = 1";
        QTest::newRow("too small") << "[run]\ntotal_steps = 0";
        QTest::newRow("width") << "[model]\nwidth = 130\nheads = 4";
        QTest::newRow("pretrained") << "[model]\nname = \"diffusers\"";
        QTest::newRow("pretrained, nowhere") << "[model]\nname = \"diffusers\"\nfolder = \"/nowhere\"\n[data]\nfolder = \"/nowhere\"";
        QTest::newRow("resolution") << "[model]\nname = \"sd3\"\n[data]\nresolution = 33\nsource = \"emoji\"";
        QTest::newRow("batch") << "[batch]\nglobal = 7\nmicro = 4";
        QTest::newRow("ranks") << "[engine]\nshard_size = \"3\"\n[launch]\nranks = 4";
        QTest::newRow("sequences") << "[engine]\nulysses = 3\n[launch]\nranks = 4";
        QTest::newRow("rules") << "[run]\nrules = \"loss is huge: stop\"";
        QTest::newRow("rules, no action") << "[run]\nrules = \"loss > 2\"";
        QTest::newRow("profile") << "[run]\nprofile_steps = \"x\"";
        QTest::newRow("cluster") << "[launch]\ntarget = \"slurm\"\nranks = 3\n[slurm]\nnodes = 2\ntime = \"soon\"";
        QTest::newRow("GPUs") << "[launch]\ngpus = \"GPU-1\"\nranks = 2";
    }
    void E17_whatStandsAgainstAnExperiment()
    {
        QFETCH(QString, toml);
        const auto parsed = contract::parseExperiment(toml.toStdString(), "/");
        auto problems = parsed.problems;
        if (problems.empty())
            problems = parsed.experiment.validate();
        QVERIFY(!problems.empty());
        for (const contract::Problem& problem : problems)
            expectGerman(problem.message);
    }

    void E17_whatStandsAgainstRewards_data()
    {
        QTest::addColumn<QString>("rewards");
        for (const char* const rewards : {"'jpeg_size", "'jpeg_size' 2", "jpeg'size", "beauty", "jpeg_siz", "http://:80/", "http://gpu1", "http://me@gpu1/", "http://gpu1/a b",
                 "program:", "clip:", "aesthetic:", "judge:", "judge:gpu1", "jpeg_size,,redness", "jpeg_size,", "group:", "pairs:", "group:redness", "pairs:redness", "redness:heavy",
                 "redness, redness", "redness:0", "program:/nowhere", "program:/etc", "program:/etc/passwd", "clip:/nowhere", "clip:/etc", "score.pt"})
            QTest::newRow(qPrintable(QStringLiteral("E17 %1").arg(QLatin1String(rewards)))) << rewards;
    }
    void E17_whatStandsAgainstRewards()
    {
        QFETCH(QString, rewards);
        const auto problems = contract::problemsOfRewards(rewards.toStdString(), "");
        QVERIFY(!problems.empty());
        for (const contract::Problem& problem : problems)
            expectGerman(problem.message);
    }

    void E17_damagedManifests_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        const QString manifest = "manifest.json";
        QTest::newRow("E17 gone") << manifest << "" << "";
        QTest::newRow("E17 no JSON") << manifest << "{" << "";
        QTest::newRow("E17 newer") << manifest << "\"v\": 1" << "\"v\": 9";
        QTest::newRow("E17 changed") << manifest << "\"step\": 300" << "\"step\": 301";
        QTest::newRow("E17 file gone") << "weights.bin" << "" << "";
        QTest::newRow("E17 file shorter") << "weights.bin" << "11" << "1";
        QTest::newRow("E17 file changed") << "weights.bin" << "11" << "12";
    }
    void E17_damagedManifests()
    {
        QFETCH(QString, file);
        QFETCH(QString, from);
        QFETCH(QString, to);
        const QTemporaryDir folder;
        const std::filesystem::path root = folder.path().toStdString();
        write(root / "weights.bin", "1111");
        contract::CheckpointManifest manifest;
        manifest.step = 300;
        manifest.fileBytes["weights.bin"] = 4;
        manifest.checksums["weights.bin"] = "0000000000000000";
        manifest.tensors = {{.name = "a", .dtype = "F32", .shape = {1}, .pieces = {{"weights.bin", 0, 0, 1}}}};
        contract::writeManifest(root, manifest);
        const std::filesystem::path damaged = root / file.toStdString();
        std::string text = content(damaged);
        std::filesystem::remove(damaged);
        if (!from.isEmpty()) {
            QVERIFY(text.find(from.toStdString()) != std::string::npos);
            write(damaged, text.replace(text.find(from.toStdString()), std::size_t(from.size()), to.toStdString()));
        }
        const std::string complaint = complaintOf([&] { contract::verifyCheckpoint(root); });
        QVERIFY(!complaint.empty());
        expectGerman(complaint);
    }

    void E17_impossibleManifests_data()
    {
        QTest::addColumn<QString>("dtype");
        QTest::addColumn<int>("size");
        QTest::addColumn<QString>("file");
        QTest::addColumn<int>("offset");
        QTest::addColumn<int>("begin");
        QTest::newRow("E17 dtype") << "X8" << 1 << "w" << 0 << 0;
        QTest::newRow("E17 shape") << "F32" << -1 << "w" << 0 << 0;
        QTest::newRow("E17 other file") << "F32" << 1 << "v" << 0 << 0;
        QTest::newRow("E17 gap") << "F32" << 1 << "w" << 0 << 1;
        QTest::newRow("E17 past the end") << "F32" << 1 << "w" << 4 << 0;
        QTest::newRow("E17 not whole") << "F32" << 2 << "w" << 0 << 0;
    }
    void E17_impossibleManifests()
    {
        QFETCH(QString, dtype);
        QFETCH(int, size);
        QFETCH(QString, file);
        QFETCH(int, offset);
        QFETCH(int, begin);
        const QTemporaryDir folder;
        const std::filesystem::path root = folder.path().toStdString();
        write(root / "w", "1111");
        contract::CheckpointManifest manifest;
        manifest.step = 300;
        manifest.fileBytes["w"] = 4;
        manifest.tensors = {{.name = "a", .dtype = dtype.toStdString(), .shape = {size},
            .pieces = {{file.toStdString(), std::uint64_t(offset), std::uint64_t(begin), 1}}}};
        contract::writeManifest(root, manifest);
        const std::string complaint = complaintOf([&] { contract::readManifest(root); });
        QVERIFY(!complaint.empty());
        expectGerman(complaint);
    }

    void E17_oddModelFolders()
    {
        const QTemporaryDir folder;
        const std::filesystem::path root = folder.path().toStdString();
        const auto complain = [&] { return complaintOf([&] { contract::ModelFolder(root).config("transformer"); }); };
        for (const char* const index : {"", "{", "[]", "{}", "{\"_class_name\": 7}", "{\"_class_name\": \"FluxPipeline\", \"vae\": [\"diffusers\", \"AutoencoderKL\"]}",
                 "{\"_class_name\": \"FluxPipeline\", \"transformer\": [\"diffusers\", \"FluxTransformer2DModel\"]}"}) {
            if (*index)
                write(root / "model_index.json", index);
            const std::string complaint = complain();
            QVERIFY2(!complaint.empty(), index);
            expectGerman(complaint);
        }
        for (const char* const content : {"", "abc", "<!doctype html><html></html>", "{\"a\": 1}          ", "\x80\x02            "}) {
            write(root / "model.safetensors", content);
            const std::string complaint = complaintOf([&] { contract::SafetensorsFile file(root / "model.safetensors"); });
            QVERIFY2(!complaint.empty(), content);
            expectGerman(complaint);
        }
    }

    /// The window does not link the engine that writes these reasons to a list, so that its sources stand for it.
    void E17_whyDataWereLeftOut_data()
    {
        QTest::addColumn<QString>("source");
        QTest::addColumn<QString>("reason");
        const auto row = [](const char* source, const char* reason) { QTest::newRow(qPrintable(QStringLiteral("E17 %1").arg(QLatin1String(reason)))) << source << reason; };
        row("data/image.cpp", "is empty");
        row("data/image.cpp", "is not a PNG, JPEG or WebP file");
        row("data/image.cpp", "has %90000 × 90000% pixels; at most %40000000% pixels are supported");
        row("data/decode_jpeg.cpp", "is a damaged JPEG (it ends before its image)");
        row("data/decode_png.cpp", "is a damaged PNG (%CRC error%)");
        row("data/decode_webp.cpp", "is a damaged WebP");
        row("data/decode_webp.cpp", "is an animation; only still images are supported");
        row("data/image_folder.cpp", "differs in size from its image");
        row("data/caption_files.cpp", "is not a JSON object with a file_name, of at most %1000% bytes");
        row("data/caption_files.cpp", "the caption has more than %1000% bytes");
        row("data/caption_files.cpp", "has a NUL character, so it is not text (UTF-16 is not read: save it as UTF-8)");
        row("data/caption_files.cpp", "%12% more lines are malformed");
        row("data/video_folder.cpp", "has only %3% of %17% frames");
        row("data/video_folder.cpp", "has no images any more");
        row("video/open_video.cpp", "is not a video that FFmpeg can open");
        row("video/open_video.cpp", "has no video stream");
        row("video/video_module.cpp", "has no frames");
        row("video/video_module.cpp", "has empty frames, or frames of more than 33 million pixels");
        row("video/open_video.cpp", "has streams that cannot be read");
        row("video/rgb_converter.cpp", "has an unsupported pixel format");
        row("video/rgb_converter.cpp", "has a frame that cannot be converted");
        row("video/video_module.cpp", "has too many frames per second");
        row("video/video_module.cpp", "needs more memory than is available");
        row("video/open_video.cpp", "uses a codec that this FFmpeg does not support");
        row("video/open_video.cpp", "has unsupported codec parameters");
        row("video/video_module.cpp", "cannot be decoded");
        row("video/video_module.cpp", "ends after only %3% of %17% frames");
        row("tasks/prepared_images.cpp", " or its mask% %: cannot be decoded");
        row("tasks/prepared_images.cpp", "could not be read when the images were scanned");
    }
    void E17_whyDataWereLeftOut()
    {
        QFETCH(QString, source);
        QFETCH(QString, reason);  // fixed parts, and between them what differs
        const std::string code = content(std::filesystem::path(ATELIER_SOURCE_DIR) / "engine" / source.toStdString());
        const QStringList parts = reason.split('%');
        for (qsizetype i = 0; i < parts.size(); i += 2)
            QVERIFY2(code.find(parts[i].toStdString()) != std::string::npos, qPrintable(parts[i]));
        expectGerman("/data/ä b.png" + std::string(reason.startsWith(' ') ? "" : ": ") + QString(reason).remove("% %").remove('%').toStdString());
        expectGerman("/data/metadata.jsonl, line 7: " + QString(reason).remove("% %").remove('%').toStdString());
    }

    void E17_checksBeforeTheStart()
    {
        const ui_test::TestHome home;
        contract::Experiment experiment;
        for (const char* const path : {"", ATELIER_SOURCE_DIR "/resources/digits.csv.gz"}) {
            QVERIFY(!experiment.setText("data.path", path));
            for (const launcher::PreflightItem& item : launcher::preflight(home.home(), experiment)) {
                expectGerman(item.message);
                for (const launcher::PreflightFix& fix : item.fixes)
                    QVERIFY2(ui::translatedSentence(fix.label) != QString::fromStdString(fix.label), fix.label.c_str());
            }
        }
        const QByteArray worker = qgetenv("ATELIER_WORKER");
        for (const char* const library : {"libtorch_x.so1", "libnothing.so1"}) {
            qputenv("ATELIER_WORKER", workerWithout(home.home().data, library).c_str());
            const auto items = launcher::preflight(home.home(), experiment);
            const auto item = std::ranges::find(items, "Worker", &launcher::PreflightItem::what);
            QCOMPARE(item->level, launcher::PreflightItem::Level::Error);
            expectGerman(item->message);
        }
        qputenv("ATELIER_WORKER", worker);
        for (const char* const part : {"program", "parameters", "average", "gradients", "optimizer", "buffers", "activations", "encoding", "checkpoint"})
            expectGerman(launcher::meaningOf(part));
        for (const int cause : {EACCES, ENOSPC, EROFS, ENOTDIR})
            expectGerman(contract::cannotBe("written", "/runs", cause));
    }

    void E17_statesOfRuns()
    {
        const ui_test::TestHome home;
        expectGerman(launcher::inspectRun(home.writeRun("alpha-20261121-100000-aaaa", 10, "")).cause);
        expectGerman(launcher::inspectRun(contract::RunFolder(home.home().runs() / "none-20261121-100000-aaaa")).cause);
    }
};

ATELIER_UI_TEST_MAIN(OutsideTextTest)
#include "tst_outside_text.moc"
