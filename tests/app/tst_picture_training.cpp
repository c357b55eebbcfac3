// From a diffusers folder and a folder of pictures to an adapter that other programs load, and back: real ranks, real emoji.
#include "engine/contract/json_config.h"
#include "engine/contract/safetensors.h"
#include "tests/app/atelier_program.h"
#include "tests/support/tiny_pipelines.h"

#include <QDir>
#include <QFile>
#include <QImage>
#include <QJsonArray>
#include <QJsonObject>
#include <QRegularExpression>
#include <QtTest>

#include <cmath>
#include <utility>
#include <vector>

using tests::AtelierProgram;
using tests::Outcome;

class PictureTrainingTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    AtelierProgram m_atelier;
    QString m_model = goldenModel("pipeline_sd3");

    static QString goldenModel(const char* name) { return QStringLiteral(ATELIER_SOURCE_DIR "/tests/goldens/models/%1/pipeline").arg(name); }

    QString path(const QString& name) const { return m_folder.filePath(name); }

    QString experiment(const QByteArray& more)
    {
        return m_atelier.writeFile("pictures.toml", "[run]\nname = \"pictures\"\ntotal_steps = 20\ndeterministic = true\n[model]\nname = \"diffusers\"\nfolder = \""
                + m_model.toUtf8() + "\"\n[data]\nfolder = \"" + path("few").toUtf8()
                + "\"\nresolution = 48\nmax_ratio = 1.0\nvalidation_fraction = 0.25\n[batch]\nmicro = 2\n[engine]\ncompute_dtype = \"fp32\"\n"
                  "[sample]\nprompts = \"a red heart | a blue square\"\nsteps = 2\nevery = 10\n[validation]\nevery = 10\n[checkpoint]\nevery = 10\n" + more);
    }

    QImage picture(const QStringList& more)
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

    /// Id of the run of that name that began last.
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

    static double metric(const QJsonObject& run, const char* name) { return run["metrics"].toObject()[name].toDouble(-1); }

private Q_SLOTS:
    void initTestCase()
    {
        m_atelier.setVariable("ATELIER_WORKER", ATELIER_BIN_DIR "/atelier-worker");
        QCOMPARE(m_atelier.runWell({"data", "emoji", "--to", path("emoji")}).exitCode, 0);
        QVERIFY(QDir().mkpath(path("few")));
        const QStringList all = QDir(path("emoji")).entryList({"*.png"});
        QVERIFY(all.size() > 3000);
        for (const QString& name : all.mid(1000, 16)) {
            const QString base = name.chopped(4);
            QVERIFY(QFile::copy(path("emoji/" + name), path("few/" + name)) && QFile::copy(path("emoji/" + base + ".txt"), path("few/" + base + ".txt")));
        }
    }

    void anAdapterIsTrainedResumedAndTakenAway_data()
    {
        QTest::addColumn<QString>("model");
        QTest::newRow("Flux with guidance inside") << QString::fromStdString(tests::makeFluxFolder(m_folder.path().toStdString(), true).string());
        QTest::newRow("Qwen-Image") << goldenModel("pipeline_qwen_image");
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
        QVERIFY2(!QImage(run + "/" + first["last_sample"].toString()).isNull(), trained.told());
        QCOMPARE(m_atelier.runWell({"resume", "latest", "--set", "run.total_steps=30", "--json"}).json().object()["step"].toInteger(), 30);

        // A checkpoint holds the adapter, not the model that lies in the folder.
        const Outcome listed = m_atelier.runWell({"checkpoints", "latest", "--json"});
        const qint64 bytes = listed.json().array().last().toObject()["bytes"].toInteger();
        QVERIFY2(bytes > 0 && bytes < QFileInfo(m_model + "/transformer/diffusion_pytorch_model.safetensors").size() / 2, listed.told());

        // Every form of the adapter, and the model that it was added to, draw the same picture, which the model alone does not.
        const QImage plain = picture({});
        QImage adapted;
        for (const char* form : {"peft", "diffusers", "kohya"}) {
            QCOMPARE(m_atelier.runWell({"checkpoints", "export", "latest", "--format", form, "--to", path(form)}).exitCode, 0);
            const QImage drawn = picture({"--lora", path(form), "--ranks", "2"});
            QVERIFY(greatestDifference(plain, drawn) > 2);
            if (!adapted.isNull())
                QVERIFY(greatestDifference(adapted, drawn) <= 1);
            adapted = drawn;
        }
        QCOMPARE(greatestDifference(plain, picture({"--lora", path("peft"), "--lora-weight", "0"})), 0);

        // And training may begin with it.
        QCOMPARE(m_atelier.runWell({"run", experiment("[lora]\ninit_from = \"" + path("peft").toUtf8() + "\"\n"), "--set", "run.total_steps=1", "--json"}).exitCode, 0);
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
        QVERIFY2(!shown.output.contains("encodes"), shown.told());
    }

    void brokenPicturesAreListedAndLeftOut()
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
        const QByteArray told = m_atelier.runWell({"show", "latest"}).output;
        QVERIFY2(told.contains("zz-cut.png") && told.contains("zz-empty.png") && told.count("left out: ") == 2, told);
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
        const QStringList pictures = QDir(path("few")).entryList({"*.png"});
        for (const QString& name : isMasked ? pictures : QStringList()) {
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
        QVERIFY2(isNothingLearnt ? loss == 0 : loss > 0 && std::abs(loss - whole) < 1e-6 * whole, trained.told());
    }

    void priorPicturesRepeatsAndTensorsAreData()
    {
        // Seven pictures in a folder that says how often they are seen, four of what is not to be forgotten.
        const QStringList pictures = QDir(path("few")).entryList({"*.png"});
        QVERIFY(QDir().mkpath(path("data/3_a thing")) && QDir().mkpath(path("prior")));
        for (int i = 0; i < 11; ++i)
            QVERIFY(QFile::copy(path("few/" + pictures[i]), path((i < 7 ? "data/3_a thing/" : "prior/") + pictures[i])));
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
            full.told() + half.told());
        const QByteArray told = m_atelier.runWell({"show", "latest"}).output;
        QVERIFY2(told.contains("zz-cut.safetensors") && told.count("left out: ") == 1, told);
    }

    void theValidationLossIsOfTheSameNoiseEachTime()
    {
        // At a learning rate of 0 nothing changes; so neither does the loss, on any number of ranks.
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
        QTest::addColumn<QString>("said");
        QTest::newRow("no pictures") << QStringList {"data.folder=" + path("nowhere")} << "nowhere";
        QTest::newRow("no prior pictures") << QStringList {"data.prior_folder=" + path("nowhere")} << "nowhere";
        QTest::newRow("no model") << QStringList {"model.folder="} << "model.folder is not set";
        QTest::newRow("a size that patches do not divide") << QStringList {"data.resolution=50"} << "multiple of 16";
        QTest::newRow("layers that the model has not") << QStringList {"lora.rank=2", "lora.targets=to_nothing, to_none"} << "to_nothing";
    }
    void whatCannotBeTrainedIsNamed()
    {
        QFETCH(QStringList, settings);
        QFETCH(QString, said);
        QStringList arguments = {"run", experiment("")};
        for (const QString& setting : settings)
            arguments << "--set" << setting;
        const Outcome outcome = m_atelier.run(arguments);
        QVERIFY2(outcome.exitCode != 0 && outcome.errors.contains(said.toUtf8()), outcome.told());
    }
};

QTEST_GUILESS_MAIN(PictureTrainingTest)
#include "tst_picture_training.moc"
