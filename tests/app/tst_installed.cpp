// An installation by `cmake --install` works from its folder, without the checkout (except LibTorch).
#include "tests/app/atelier_program.h"
#include "tests/paths.h"

#include <QDir>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QtTest>

using tests::AtelierProgram;
using tests::Outcome;

class InstalledTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_place;

    QString installed(const QString& file) const { return QDir(m_place.path()).canonicalPath() + "/prefix/" + file; }

    /// The installed program, which locates its worker and resources itself.
    void useInstalled(AtelierProgram& atelier) const
    {
        atelier.setProgram(installed("bin/atelier"));
        for (const char* variable : {"ATELIER_WORKER", "ATELIER_PROGRAM", "ATELIER_RESOURCES"})
            atelier.setVariable(variable, {});
    }

private Q_SLOTS:
    void initTestCase()
    {
        QProcess install;
        install.setProcessChannelMode(QProcess::MergedChannels);
        install.start(CMAKE_PROGRAM, {"--install", ATELIER_BUILD_DIR, "--prefix", m_place.filePath("first")});
        QVERIFY(install.waitForFinished(60000));
        QVERIFY2(install.exitCode() == 0, install.readAll());
        // Moved after the installation: no path of it may be compiled in.
        QVERIFY(QDir().rename(m_place.filePath("first"), m_place.filePath("prefix")));
    }

    void theDesktopFindsItsEntryAndIcon()
    {
        for (const char* file : {"share/applications/atelier.desktop", "share/icons/hicolor/scalable/apps/atelier.svg",
                 "share/icons/hicolor/48x48/apps/atelier.png", "share/mime/packages/atelier.xml"})
            QVERIFY2(QFileInfo(installed(file)).size() > 0, file);
    }

    void optionsAreListed()
    {
        AtelierProgram atelier;
        useInstalled(atelier);
        const Outcome outcome = atelier.run({"options"});
        QVERIFY2(outcome.exitCode == 0 && outcome.output.contains("run.total_steps"), outcome.report());
    }

    void theDoctorFindsTheInstalledWorker()
    {
        AtelierProgram atelier;
        useInstalled(atelier);
        const Outcome outcome = atelier.run({"doctor"});
        const QByteArray worker = installed("bin/atelier-worker").toUtf8() + ": atelier-worker";
        QVERIFY2(outcome.output.contains(worker), outcome.report());
    }

    void digitsTrainsOnTheInstalledData()
    {
        AtelierProgram atelier;
        useInstalled(atelier);
        QStringList arguments = {"run", "digits"};
        for (const char* setting : {"run.total_steps=2", "model.width=16", "model.depth=1", "model.heads=2",
                 "batch.micro=4", "sample.every=0", "sample.judge=0", "validation.every=0", "schedule.warmup_steps=0"})
            arguments << "--set" << setting;
        const Outcome outcome = atelier.run(arguments);
        QVERIFY2(outcome.exitCode == 0, outcome.report());
        const contract::Experiment used = contract::loadExperiment(atelier.onlyRun().config(1)).experiment;
        QCOMPARE(QString::fromStdString(used.text("data.path")), installed("share/atelier/digits.csv.gz"));
        QCOMPARE(used.integer("run.total_steps"), std::int64_t(2));
    }
};

QTEST_GUILESS_MAIN(InstalledTest)
#include "tst_installed.moc"
