// What a run is trained on, and what was left out and why, as `atelier data list` tells it of a real run.
#include "tests/app/atelier_program.h"
#include "tests/paths.h"
#include "tests/support/tiny_pipelines.h"

#include <QDir>
#include <QFile>
#include <QImage>
#include <QJsonArray>
#include <QJsonObject>
#include <QtTest>

#include <map>

using tests::AtelierProgram;
using tests::Outcome;

class DataListTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    AtelierProgram m_atelier;

    QString path(const QString& name) const { return m_folder.filePath(name); }

    void writeText(const QString& name, const QByteArray& text) const
    {
        QDir().mkpath(QFileInfo(path(name)).path());
        QFile file(path(name));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
    }

    void writeImage(const QString& name, QSize size, QRgb colour) const
    {
        QImage image(size, QImage::Format_RGB32);
        image.fill(colour);
        QDir().mkpath(QFileInfo(path(name)).path());
        QVERIFY(image.save(path(name)));
    }

    QString experiment(const QString& model, const QByteArray& data)
    {
        return m_atelier.writeFile("data.toml", "[run]\nname = \"data\"\ntotal_steps = 1\n[launch]\nranks = 1\n[model]\nname = \"diffusers\"\nfolder = \""
                + model.toUtf8() + "\"\n[data]\n" + data
                + "[batch]\nmicro = 1\n[lora]\nrank = 1\n[sample]\nprompts = \"a red heart\"\nsteps = 1\nevery = 1\n[checkpoint]\nevery = 0\n");
    }

    static QJsonObject entryNamed(const QJsonObject& list, const QString& ending)
    {
        for (const auto& entry : list["entries"].toArray()) {
            if (entry.toObject()["file"].toString().endsWith(ending))
                return entry.toObject();
        }
        return {};
    }

private Q_SLOTS:
    void initTestCase() { m_atelier.setVariable("ATELIER_WORKER", ATELIER_BIN_DIR "/atelier-worker"); }

    void imagesWithBucketsMasksAndWhatIsLeftOut()
    {
        for (int i = 0; i < 4; ++i) {
            writeImage(QString("images/3_a dog/%1.png").arg(i), {64, 64}, 0xff000000 + 0x204060 * unsigned(i));
            writeText(QString("images/3_a dog/%1.txt").arg(i), "a dog, number " + QByteArray::number(i));
        }
        writeImage("images/wide.png", {128, 32}, 0xff8040ff);
        writeText("images/wide.txt", "a wide one");
        writeImage("images/masked.png", {96, 96}, 0xff40ff80);
        writeImage("images/masked-masklabel.png", {96, 96}, 0xffffffff);
        writeText("images/masked.txt", "a masked one");
        writeImage("images/small.png", {20, 20}, 0xff1080ff);
        writeText("images/broken.png", "no image at all");
        writeText("images/utf16.txt", QByteArray("a\0b\0", 4));
        writeImage("images/utf16.png", {64, 64}, 0xff1080ff);
        writeImage("regular/a.png", {64, 64}, 0xffffff00);
        const QString file = experiment(QStringLiteral(ATELIER_SOURCE_DIR "/tests/goldens/models/pipeline_sd3/pipeline"),
            "folder = \"" + path("images").toUtf8() + "\"\nprior_folder = \"" + path("regular").toUtf8()
                + "\"\nfolder_repeats = true\nresolution = 48\nmax_ratio = 2.0\nvalidation_fraction = 0.2\n");
        QCOMPARE(m_atelier.runWell({"run", file}).exitCode, 0);
        const Outcome listed = m_atelier.runWell({"data", "list", "latest", "--json"});
        QCOMPARE(listed.exitCode, 0);
        const QJsonObject list = listed.json().object();
        QCOMPARE(list["folder"].toString(), path("images"));
        QCOMPARE(list["resolution"].toInt(), 48);
        QCOMPARE(list["entries"].toArray().size(), 10);
        std::map<QString, int> uses;
        for (const auto& entry : list["entries"].toArray())
            ++uses[entry.toObject()["use"].toString()];
        QCOMPARE(uses, (std::map<QString, int> {{"left out", 2}, {"prior", 1}, {"training", 6}, {"validation", 1}}));

        const QJsonObject dog = entryNamed(list, "3_a dog/2.png");
        QCOMPARE(dog["caption"].toString(), "a dog, number 2");
        QCOMPARE(dog["repeats"].toInt(), 3);
        QCOMPARE(dog["bucket"].toArray(), (QJsonArray {48, 48}));
        const QJsonObject wide = entryNamed(list, "wide.png");
        QCOMPARE(wide["bucket"].toArray(), (QJsonArray {64, 32}));
        QCOMPARE(wide["width"].toInt(), 128);
        QCOMPARE(wide["cropped"].toDouble(), 0.5);
        QCOMPARE(entryNamed(list, "/masked.png")["mask"].toString(), path("images/masked-masklabel.png"));
        const QJsonObject small = entryNamed(list, "small.png");
        QVERIFY(small["enlarged"].toBool() && !wide["enlarged"].toBool());
        QCOMPARE(small["caption"].toString(), QString());
        QCOMPARE(entryNamed(list, "regular/a.png")["use"].toString(), "prior");
        QVERIFY2(entryNamed(list, "broken.png")["reason"].toString().contains("broken.png: "), listed.output);
        QVERIFY2(entryNamed(list, "utf16.png")["reason"].toString().contains("NUL character"), listed.output);

        const QString text = QString::fromUtf8(m_atelier.runWell({"data", "list", "latest"}).output);
        for (const char* line : {"Trained on:         6\n", "Held out:           1\n", "Regularisation:     1\n", "Left out:           2\n",
                 "With a mask:        1\n", "\n48 × 48        ", "left out: "})
            QVERIFY2(text.contains(line), qPrintable(text));
        const QString all = QString::fromUtf8(m_atelier.runWell({"data", "list", "latest", "--all"}).output);
        QVERIFY2(all.contains("a dog, number 3") && all.contains("NUL character"), qPrintable(all));
    }

    void videosHaveFramesAndAPicture()
    {
        for (const char* name : {"grey", "white"}) {
            for (int frame = 0; frame < 6; ++frame)
                writeImage(QString("videos/%1/%2.png").arg(name).arg(frame), {32, 32}, 0xff808080);
            writeText(QString("videos/%1.txt").arg(name), name);
        }
        const QString model = QString::fromStdString(tests::makeWanFolder(m_folder.path().toStdString()).string());
        QCOMPARE(m_atelier.runWell({"run", experiment(model, "folder = \"" + path("videos").toUtf8() + "\"\nresolution = 32\nframes = 5\n")}).exitCode, 0);
        const QJsonObject list = m_atelier.runWell({"data", "list", "latest", "--json"}).json().object();
        QCOMPARE(list["entries"].toArray().size(), 2);
        QCOMPARE(entryNamed(list, "videos/grey")["frames"].toInt(), 5);
        QCOMPARE(entryNamed(list, "videos/grey")["caption"].toString(), "grey");
    }

    void aRunWithoutImagesSaysSo()
    {
        m_atelier.addFinishedRun("digits-20261121-101500-none", 3);
        const Outcome outcome = m_atelier.run({"data", "list", "digits-20261121-101500-none"});
        QCOMPARE(outcome.exitCode, 1);
        QVERIFY2(outcome.errors.contains("has listed no images"), outcome.report());
    }
};

QTEST_GUILESS_MAIN(DataListTest)
#include "tst_data_list.moc"
