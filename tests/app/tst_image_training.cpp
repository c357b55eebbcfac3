// Trains an adapter from a diffusers folder and a folder of images, exports it and loads it again: real ranks, real emoji.
#include "engine/contract/formats/json_config.h"
#include "engine/contract/formats/safetensors.h"
#include "tests/app/atelier_program.h"
#include "tests/app/rank_process.h"
#include "tests/paths.h"
#include "tests/support/tiny_pipelines.h"
#include "tests/support/whole_test.h"

#include <QDir>
#include <QFile>
#include <QImage>
#include <QJsonArray>
#include <QJsonObject>
#include <QRegularExpression>
#include <QtTest>

#include <cmath>
#include <filesystem>
#include <utility>
#include <vector>

using tests::AtelierProgram;
using tests::Outcome;

class ImageTrainingTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    AtelierProgram m_atelier;
    QString m_model = goldenModel("pipeline_sd3");

    static QString goldenModel(const char* name) { return QStringLiteral(ATELIER_SOURCE_DIR "/tests/goldens/models/%1/pipeline").arg(name); }

    QString path(const QString& name) const { return m_folder.filePath(name); }

    QString experiment(const QByteArray& more)
    {
        return m_atelier.writeFile("images.toml", "[run]\nname = \"images\"\ntotal_steps = 20\ndeterministic = true\n[model]\nname = \"diffusers\"\nfolder = \""
                + m_model.toUtf8() + "\"\n[data]\nfolder = \"" + path("few").toUtf8()
                + "\"\nresolution = 48\nmax_ratio = 1.0\nvalidation_fraction = 0.25\n[batch]\nmicro = 2\n[engine]\ncompute_dtype = \"fp32\"\n"
                  "[sample]\nprompts = \"a red heart | a blue square\"\nsteps = 2\nevery = 10\n[validation]\nevery = 10\n[checkpoint]\nevery = 10\n" + more);
    }

    QImage image(const QStringList& more)
    {
        const Outcome outcome = m_atelier.runWell(QStringList {"generate", "--model", m_model, "--prompt", "a red heart", "--size", "48x48", "--steps", "4", "--dtype", "fp32",
                                         "--to", path("shown"), "--json"} + more);
        return QImage(outcome.json().object()["files"].toArray().at(0).toString());
    }

    static int greatestDifference(const QImage& a, const QImage& b)
    {
        int greatest = a.size() == b.size() && !a.isNull() ? 0 : 1000;
        for (int y = 0; greatest < 1000 && y < a.height(); ++y) {
            for (int x = 0; x < a.width(); ++x)
                greatest = std::max(greatest, std::abs(qGreen(a.pixel(x, y)) - qGreen(b.pixel(x, y))));
        }
        return greatest;
    }

    /// Id of the newest run with that name.
    QString newest(const QString& name) const
    {
        const QStringList runs = m_atelier.runs().filter(QRegularExpression("^" + name + "-"));  // in the order of their times
        return runs.value(runs.size() - 1);
    }

    /// Latents as another program may have computed them for the model.
    void writeLatents(const QString& file) const
    {
        const contract::JsonConfig config(m_model.toStdString() + "/vae/config.json");
        const std::vector<std::int64_t> shape = {config.count("latent_channels"), 6, 6};
        std::vector<float> values(static_cast<std::size_t>(shape[0] * 36));
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = std::sin(static_cast<float>(i));
        contract::SafetensorsWriter writer(file.toStdString(), {{"latents", "F32", shape}}, {});
        writer.write(values.data(), values.size() * sizeof(float));
        writer.finish();
    }

    /// A folder of the model's name in @p folder, with files that may be changed.
    static QString copyOfModel(const QTemporaryDir& folder)
    {
        const std::filesystem::path copy = folder.filePath("model").toStdString();
        std::filesystem::copy(goldenModel("pipeline_sd3").toStdString(), copy, std::filesystem::copy_options::recursive);
        for (const auto& entry : std::filesystem::recursive_directory_iterator(copy))
            std::filesystem::permissions(entry.path(), std::filesystem::perms::owner_write, std::filesystem::perm_options::add);
        return QString::fromStdString(copy.string());
    }

    static double metric(const QJsonObject& run, const char* name) { return run["metrics"].toObject()[name].toDouble(-1); }

private Q_SLOTS:
    void initTestCase()
    {
        m_atelier.setVariable("ATELIER_WORKER", ATELIER_BIN_DIR "/atelier-worker");
        const QStringList all = QString::fromUtf8(tests::contentOf(QStringLiteral("/usr/share/unicode/emoji/emoji-test.txt"))).split('\n').filter("; fully-qualified");
        const QString names = m_atelier.writeFile("names.txt", all.mid(1000, 16).join('\n').toUtf8() + '\n');
        QCOMPARE(m_atelier.runWell({"data", "emoji", "--to", path("few"), "--names", names}).exitCode, 0);
        QCOMPARE(QDir(path("few")).entryList({"*.png"}).size(), 16);
    }

    void anAdapterIsTrainedResumedAndTakenAway_data()
    {
        QTest::addColumn<QString>("model");
        if (tests::isWhole()) {
            QTest::newRow("Flux with guidance inside") << QString::fromStdString(tests::makeFluxFolder(m_folder.path().toStdString(), true).string());
            QTest::newRow("Qwen-Image") << goldenModel("pipeline_qwen_image");
        }
        QTest::newRow("Stable Diffusion 3") << goldenModel("pipeline_sd3");
    }
    void anAdapterIsTrainedResumedAndTakenAway()
    {
        QFETCH(QString, model);
        m_model = model;
        const QString file = experiment("[lora]\nrank = 4\nalpha = 8.0\ntargets = \"to_q, to_k, to_v, to_out.0\"\n[optim]\nlr = 0.01\n");
        const Outcome trained = m_atelier.runWell({"run", file, "--json"});
        QCOMPARE(trained.exitCode, 0);
        const QJsonObject first = trained.json().object();
        QCOMPARE(first["outcome"].toString(), "finished");
        for (const char* name : {"loss", "validation/loss", "grad_norm"})
            QVERIFY2(metric(first, name) > 0, name);
        const QString run = QString::fromStdString(m_atelier.home().runs().string()) + "/" + first["run"].toString();
        QVERIFY2(!QImage(run + "/" + first["last_sample"].toString()).isNull(), trained.report());
        QCOMPARE(m_atelier.runWell({"resume", "latest", "--set", "run.total_steps=30", "--json"}).json().object()["step"].toInteger(), 30);

        // A checkpoint holds the adapter, not the base model.
        const Outcome listed = m_atelier.runWell({"checkpoints", "latest", "--json"});
        const qint64 bytes = listed.json().array().last().toObject()["bytes"].toInteger();
        QVERIFY2(bytes > 0 && bytes < QFileInfo(m_model + "/transformer/diffusion_pytorch_model.safetensors").size() / 2, listed.report());

        // Every format of the adapter and the merged model draw the same image, which differs from the base model's.
        const QImage plain = image({});
        QImage adapted;
        for (const char* form : {"peft", "diffusers", "kohya"}) {
            QCOMPARE(m_atelier.runWell({"checkpoints", "export", "latest", "--format", form, "--overwrite", "--to", path(form)}).exitCode, 0);
            const QImage drawn = image({"--lora", path(form), "--ranks", "2"});
            QVERIFY(greatestDifference(plain, drawn) > 2);
            if (!adapted.isNull())
                QVERIFY(greatestDifference(adapted, drawn) <= 1);
            adapted = drawn;
        }
        QCOMPARE(greatestDifference(plain, image({"--lora", path("peft"), "--lora-weight", "0"})), 0);

        // Defect 48: so does the transformer with the adapter merged into it.
        QCOMPARE(m_atelier.runWell({"checkpoints", "export", "latest", "--format", "merged", "--overwrite", "--to", path("merged")}).exitCode, 0);
        QVERIFY(greatestDifference(adapted, image({"--transformer", path("merged")})) <= 2);
        const Outcome alone = m_atelier.run({"generate", "--model", path("merged"), "--prompt", "a red heart", "--to", path("shown")});
        QVERIFY2(alone.exitCode == 1 && alone.errors.contains("Transformer2DModel alone; give --model the folder of a whole pipeline, and this one by --transformer"),
            alone.report());

        // Training can start from the exported adapter.
        QCOMPARE(m_atelier.runWell({"run", experiment("[lora]\ninit_from = \"" + path("peft").toUtf8() + "\"\n"), "--set", "run.total_steps=1", "--json"}).exitCode, 0);
    }

    void anAdapterTrainedByARewardIsTakenAway_A110()
    {
        const Outcome trained = m_atelier.runWell({"run", experiment("[lora]\nrank = 4\nalpha = 8.0\n[optim]\nlr = 0.01\n[algorithm]\nname = \"flow_grpo\"\n"
            "[rollout]\nprompts = 2\nsamples_per_prompt = 4\nsteps = 3\nnoise_level = 0.7\n[reward]\nfunctions = \"redness:2, jpeg_size:0.1\"\n"),
            "--name", "rewarded", "--json", "--set", "run.total_steps=3", "--set", "validation.every=3"});
        const QJsonObject run = trained.json().object();
        QVERIFY2(metric(run, "validation/loss") > 0 && metric(run, "actor/ratio_mean") == 1, trained.report());
        const double sum = 2 * metric(run, "critic/redness/mean") + 0.1 * metric(run, "critic/jpeg_size/mean");
        QVERIFY2(std::abs(metric(run, "critic/rewards/mean") - sum) < 1e-4, trained.report());
        QCOMPARE(m_atelier.runWell({"checkpoints", "export", "latest", "--format", "peft", "--overwrite", "--to", path("rewarded")}).exitCode, 0);
        QVERIFY(greatestDifference(image({}), image({"--lora", path("rewarded")})) > 2);
    }

    void fluxIsToldItsGuidanceWhileItTrains()
    {
        m_model = QString::fromStdString(tests::makeFluxFolder(m_folder.path().toStdString(), true).string());
        const QString file = experiment("[lora]\nrank = 2\n[optim]\nlr = 1e-9\n");
        const auto losses = [&](const char* guidance) {
            const QJsonObject run = m_atelier.runWell({"run", file, "--json", "--set", "run.total_steps=1", "--set", "validation.every=1", "--set",
                QString("flow.guidance=") + guidance}).json().object();
            return std::pair(metric(run, "loss"), metric(run, "validation/loss"));
        };
        const auto low = losses("1"), again = losses("1"), high = losses("12");
        QVERIFY2(low.first > 0 && low.second > 0 && low == again, qPrintable(QString("%1, %2").arg(low.first).arg(low.second)));
        QVERIFY2(std::abs(low.first - high.first) > 1e-5 && std::abs(low.second - high.second) > 1e-5,
            qPrintable(QString("%1, %2").arg(high.first).arg(high.second)));
        m_model = goldenModel("pipeline_sd3");
    }

    void theWholeModelIsTrainedAndExported()
    {
        const Outcome trained = m_atelier.runWell({"run", experiment("[optim]\nlr = 0.001\n"), "--name", "whole", "--json"});
        QCOMPARE(trained.exitCode, 0);
        QCOMPARE(m_atelier.runWell({"checkpoints", "export", "latest", "--format", "diffusers", "--to", path("transformer")}).exitCode, 0);
        QVERIFY(QFile::exists(path("transformer/config.json")));
    }

    void theCacheServesTheNextStart()
    {
        const QString file = experiment("");
        QCOMPARE(m_atelier.runWell({"run", file, "--name", "again", "--set", "run.total_steps=1"}).exitCode, 0);
        const Outcome shown = m_atelier.runWell({"show", "latest"});
        QVERIFY2(!shown.output.contains("encodes"), shown.report());
    }

    void aSamplingThatFailsCostsNoStep_data()
    {
        QTest::addColumn<int>("sampleEvery");
        QTest::addColumn<int>("savedStep");
        QTest::newRow("defect-1: after the last step") << 0 << 3;
        QTest::newRow("defect-1: where a checkpoint is due as well") << 2 << 2;
    }
    /// The autoencoder lacks a tensor that only decoding needs.
    void aSamplingThatFailsCostsNoStep()
    {
        QFETCH(int, sampleEvery);
        QFETCH(int, savedStep);
        const QTemporaryDir folder;
        m_model = copyOfModel(folder);
        const auto restore = qScopeGuard([&] { m_model = goldenModel("pipeline_sd3"); });
        QFile weights(m_model + "/vae/diffusion_pytorch_model.safetensors");
        QVERIFY(weights.open(QIODevice::ReadWrite));
        QByteArray content = weights.readAll();
        const qsizetype at = content.indexOf("\"decoder.conv_in.bias\"");
        QVERIFY(at > 0);
        QVERIFY(weights.seek(at + 1) && weights.write("d3coder") == 7);
        weights.close();
        const Outcome trained = m_atelier.run({"run", experiment(""), "--name", "undrawn", "--json", "--set", "run.total_steps=3", "--set", "validation.every=0",
            "--set", QString("sample.every=%1").arg(sampleEvery), "--set", QString("checkpoint.every=%1").arg(sampleEvery)});
        QVERIFY2(trained.exitCode == 1 && trained.errors.contains("has no tensor \"decoder.conv_in.bias\""), trained.report());
        const QJsonArray saved = m_atelier.runWell({"checkpoints", "latest", "--json"}).json().array();
        QVERIFY2(saved.size() == 1 && saved[0]["step"].toInt() == savedStep && saved[0]["damage"].toString().isEmpty(), trained.report());
    }

    void whatElseLiesBesideAnEncoderDoesNoHarm_defect_10()
    {
        const QTemporaryDir folder;
        m_model = copyOfModel(folder);
        const auto restore = qScopeGuard([&] { m_model = goldenModel("pipeline_sd3"); });
        QVERIFY(QDir().mkpath(m_model + "/text_encoder/onnx") && QFile::link(m_model + "/gone", m_model + "/vae/dangling"));
        const Outcome trained = m_atelier.runWell({"run", experiment(""), "--name", "beside", "--set", "run.total_steps=1"});
        QCOMPARE(trained.exitCode, 0);
    }

    void longCaptionsAreWarnedAboutOnce_defect_49()
    {
        QVERIFY(QDir().mkpath(path("captioned")));
        const QStringList images = QDir(path("few")).entryList({"*.png"}).mid(0, 8);
        for (int i = 0; i < images.size(); ++i) {
            QVERIFY(QFile::copy(path("few/" + images[i]), path(QString("captioned/%1.png").arg(i))));
            QFile caption(path(QString("captioned/%1.txt").arg(i)));
            QVERIFY(caption.open(QIODevice::WriteOnly));
            QVERIFY(caption.write("heart " + QByteArray::number(i) + QByteArray(" red").repeated(i < 2 ? 100 : 0)) > 0);
        }
        const Outcome trained = m_atelier.runWell({"run", experiment(""), "--name", "long", "--set", "run.total_steps=1", "--set", "data.folder=" + path("captioned")});
        QVERIFY2(trained.output.count("2 of 8 captions are too long for a text encoder; for example, the end of a prompt is cut off: text_encoder reads 75 of its ") == 1,
            trained.report());
    }

    void brokenImagesAreListedAndLeftOut()
    {
        const auto write = [&](const char* name, const QByteArray& content) {
            QFile file(path("few/") + name);
            return file.open(QIODevice::WriteOnly) && file.write(content) == content.size();
        };
        QFile whole(path("few/") + QDir(path("few")).entryList({"*.png"}).value(0));
        QVERIFY(whole.open(QIODevice::ReadOnly));
        QVERIFY(write("zz-cut.png", whole.readAll().chopped(600)) && write("zz-empty.png", {}));
        const Outcome trained = m_atelier.runWell({"run", experiment(""), "--name", "broken", "--set", "run.total_steps=1"});
        QVERIFY(QFile::remove(path("few/zz-cut.png")) && QFile::remove(path("few/zz-empty.png")));
        QCOMPARE(trained.exitCode, 0);
        const QByteArray shown = m_atelier.runWell({"show", "latest"}).output;
        QVERIFY2(shown.contains("zz-cut.png") && shown.contains("zz-empty.png") && shown.count("left out: ") == 2, shown);
    }

    void masksWeighTheLoss_data()
    {
        QTest::addColumn<QString>("setting");
        QTest::addColumn<bool>("isMasked");
        QTest::addColumn<bool>("isNothingLearnt");
        QTest::newRow("no masks") << "data.unmasked_weight=0" << false << false;
        QTest::newRow("black masks") << "data.unmasked_weight=0" << true << true;
        QTest::newRow("black masks that count fully") << "data.unmasked_weight=1" << true << false;
    }
    void masksWeighTheLoss()
    {
        QFETCH(QString, setting);
        QFETCH(bool, isMasked);
        QFETCH(bool, isNothingLearnt);
        const QStringList images = QDir(path("few")).entryList({"*.png"});
        for (const QString& name : isMasked ? images : QStringList()) {
            QImage mask(136, 128, QImage::Format_Grayscale8);
            mask.fill(Qt::black);
            QVERIFY(mask.save(path("few/" + name.chopped(4) + "-masklabel.png")));
        }
        const Outcome trained = m_atelier.runWell({"run", experiment(""), "--name", "masked", "--set", "run.total_steps=1", "--set", setting, "--json"});
        for (const QString& mask : QDir(path("few")).entryList({"*-masklabel.png"}))
            QVERIFY(QFile::remove(path("few/" + mask)));
        const double loss = metric(trained.json().object(), "loss");
        static double whole = 0;
        if (!isMasked)
            whole = loss;
        QVERIFY2(isNothingLearnt ? loss == 0 : loss > 0 && std::abs(loss - whole) < 1e-6 * whole, trained.report());
    }

    void priorImagesRepeatsAndTensorsAreData()
    {
        // Seven images in a folder whose name holds their repeats, and four prior images.
        const QStringList images = QDir(path("few")).entryList({"*.png"});
        QVERIFY(QDir().mkpath(path("data/3_a thing")) && QDir().mkpath(path("prior")));
        for (int i = 0; i < 11; ++i)
            QVERIFY(QFile::copy(path("few/" + images[i]), path((i < 7 ? "data/3_a thing/" : "prior/") + images[i])));
        QFile cut(path("data/zz-cut.safetensors"));
        QVERIFY(cut.open(QIODevice::WriteOnly) && cut.write("{}") == 2);
        cut.close();
        writeLatents(path("data/tensors.safetensors"));
        const auto run = [&](const QString& weight) {
            return m_atelier.runWell({"run", experiment(""), "--name", "prior", "--json", "--set", "run.total_steps=2", "--set", "data.folder=" + path("data"), "--set",
                "data.folder_repeats=true", "--set", "data.prior_folder=" + path("prior"), "--set", "data.prior_weight=" + weight});
        };
        const Outcome full = run("1"), half = run("0.5");
        QVERIFY2(metric(half.json().object(), "loss") > 0 && metric(half.json().object(), "loss") < metric(full.json().object(), "loss"),
            full.report() + half.report());
        const QByteArray shown = m_atelier.runWell({"show", "latest"}).output;
        QVERIFY2(shown.contains("zz-cut.safetensors") && shown.count("left out: ") == 1, shown);
    }

    void theValidationLossIsOfTheSameNoiseEachTime()
    {
        // With a learning rate of 0 the weights and so the validation loss stay the same, on any number of ranks.
        QList<double> losses;
        for (const char* ranks : {"2", "1"}) {
            QCOMPARE(m_atelier.runWell({"run", experiment(""), "--name", "held", "--set", "optim.lr=0", "--set", "run.total_steps=4", "--set", "validation.every=2",
                         "--set", QStringLiteral("launch.ranks=%1").arg(ranks)}).exitCode, 0);
            QFile journal(QString::fromStdString(m_atelier.home().runs().string()) + "/" + newest("held") + "/journal/rank-0.jsonl");
            QVERIFY(journal.open(QIODevice::ReadOnly));
            for (const QByteArray& line : journal.readAll().split('\n')) {
                const QJsonObject record = QJsonDocument::fromJson(line).object();
                if (record.contains("validation/loss"))
                    losses << record["validation/loss"].toDouble();
            }
        }
        QCOMPARE(losses.size(), 4);
        QVERIFY(losses[0] > 0 && losses[0] == losses[1] && losses[2] == losses[3]);
        QVERIFY2(std::abs(losses[0] - losses[2]) < 1e-5 * losses[0], qPrintable(QStringLiteral("%1, %2").arg(losses[0]).arg(losses[2])));
    }

    void whatCannotBeTrainedIsNamed_data()
    {
        QTest::addColumn<QStringList>("settings");
        QTest::addColumn<QString>("expectedError");
        QTest::newRow("no images") << QStringList {"data.folder=" + path("nowhere")} << "nowhere";
        QTest::newRow("no prior images") << QStringList {"data.prior_folder=" + path("nowhere")} << "nowhere";
        QTest::newRow("no model") << QStringList {"model.folder="} << "model.folder is not set";
        QTest::newRow("defect-50: images that are too large") << QStringList {"data.resolution=208"} << "data.resolution = 208: the model takes images of at most 192 × 192 pixels";
        QTest::newRow("a size that patches do not divide") << QStringList {"data.resolution=50"} << "multiple of 16";
    }
    void whatCannotBeTrainedIsNamed()
    {
        QFETCH(QStringList, settings);
        QFETCH(QString, expectedError);
        QStringList arguments = {"run", experiment("")};
        for (const QString& setting : settings)
            arguments << "--set" << setting;
        const Outcome outcome = m_atelier.run(arguments);
        QVERIFY2(outcome.exitCode != 0 && outcome.errors.contains(expectedError.toUtf8()), outcome.report());
    }

    void adaptersOfNoLayerAreToldBeforeTheRunExists_data()
    {
        QTest::addColumn<QString>("setting");
        QTest::addColumn<QByteArray>("expectedError");
        QTest::newRow("defect-50: a list") << "lora.targets=to_nothing, to_none" << QByteArray("\"to_nothing, to_none\": none of the model's linear layers matches");
        QTest::newRow("defect-50: a regular expression") << "lora.targets=.*nothing" << QByteArray("\".*nothing\": none of the model's linear layers matches");
        QTest::newRow("defect-50: all excluded") << "lora.exclude=all-linear" << QByteArray("are excluded by \"all-linear\"");
    }
    void adaptersOfNoLayerAreToldBeforeTheRunExists()
    {
        QFETCH(QString, setting);
        QFETCH(QByteArray, expectedError);
        const QStringList before = m_atelier.runs();
        const Outcome outcome = m_atelier.run({"run", experiment(""), "--set", "lora.rank=2", "--set", setting});
        QVERIFY2(outcome.exitCode == 1 && outcome.errors.count(expectedError) == 1 && outcome.errors.count('\n') == 1, outcome.report());
        QCOMPARE(m_atelier.runs(), before);
    }

    void defect49_aLongPromptOfTheSamplesIsAWarning()
    {
        const QString longPrompt = QStringLiteral("red ").repeated(300).trimmed();
        const QStringList run = {"run", experiment(""), "--name", "long", "--set", "run.total_steps=1", "--set", "sample.prompts=a heart | " + longPrompt};
        const Outcome outcome = m_atelier.run(run);  // it prints the warnings in the journal
        QVERIFY2(outcome.exitCode == 0 && outcome.output.count("is cut off") == 1, outcome.report());
        QVERIFY2(outcome.output.contains("samples: the end of a prompt is cut off: text_encoder reads 75 of its "), outcome.report());
    }
};

QTEST_GUILESS_MAIN(ImageTrainingTest)
#include "tst_image_training.moc"
