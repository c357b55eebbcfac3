// E8, E9, M16: what the toolbar shows, in a terminal: what has happened in all runs, and the GPUs.
#include "engine/contract/run/journal_writer.h"
#include "tests/app/atelier_program.h"
#include "tests/paths.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QtTest>

#include <filesystem>

using tests::AtelierProgram;
using tests::Outcome;

class AlertsCommandTest : public QObject {
    Q_OBJECT

    static QStringList unreadOf(AtelierProgram& atelier)
    {
        QStringList names;
        for (const QJsonValue& alert : atelier.runWell({"alerts", "--unread", "--json"}).json().array())
            names << alert["name"].toString();
        return names;
    }

private Q_SLOTS:
    void E9_alertsOfAllRunsNewestFirst()
    {
        AtelierProgram atelier;
        const auto first = atelier.addFinishedRun("first-20261121-101500-x3k9", 5);
        QVERIFY(atelier.runWell({"alerts"}).output.contains("finished"));
        std::filesystem::remove(first.journal(-1));
        std::filesystem::remove(first.journal(0));
        {
            contract::JournalWriter journal(first.journal(0), {.version = 1, .run = first.id(), .attempt = 1, .rank = 0, .host = {}, .startUnixMs = 0});
            journal.begin("step", 3).add("loss", 1.0).commit();  // and nobody wrote an end
        }
        atelier.addFinishedRun("second-20261121-101500-x3k9", 1200);
        const QJsonArray all = atelier.runWell({"alerts", "--json"}).json().array();
        QCOMPARE(all.size(), 2);
        const QJsonObject newest = all[0].toObject(), other = all[1].toObject();
        QCOMPARE(newest["name"].toString(), QStringLiteral("second"));
        QCOMPARE(newest["alert"].toString(), QStringLiteral("finished"));
        QCOMPARE(newest["step"].toInt(), 1200);
        QCOMPARE(other["run"].toString().toStdString(), first.id());
        QCOMPARE(other["alert"].toString(), QStringLiteral("interrupted"));
        QVERIFY(!other["details"].toString().isEmpty());
        QCOMPARE(atelier.runWell({"alerts", "--json", "--limit", "1"}).json().array(), QJsonArray {newest});
        const QByteArray text = atelier.runWell({"alerts"}).output;
        QVERIFY2(text.startsWith("TIME ") && text.contains("1,200") && text.indexOf("second") < text.indexOf("interrupted"), text.constData());
    }

    void E9_withoutAlertsOrWithAWrongNumberItSaysSo()
    {
        AtelierProgram atelier;
        std::filesystem::create_directories(atelier.home().runs());
        QVERIFY(atelier.runWell({"alerts"}).output.startsWith("Nothing has happened yet"));
        QCOMPARE(atelier.runWell({"alerts", "--json"}).json().array(), QJsonArray());
        const Outcome wrong = atelier.run({"alerts", "--limit", "-1"});
        QVERIFY2(wrong.exitCode == 2 && wrong.errors.contains("--limit"), wrong.report());
    }

    void E9_alertsCountAsReadWhenTheCommandSaysSo()
    {
        AtelierProgram atelier;
        atelier.addFinishedRun("first-20261121-101500-x3k9", 5);
        QCOMPARE(unreadOf(atelier), QStringList("first"));  // nobody has read anything yet
        atelier.runWell({"alerts", "--read"});
        QVERIFY(atelier.runWell({"alerts", "--unread"}).output.startsWith("Nothing is unread"));
        atelier.addFinishedRun("second-20261121-101600-x3k9", 5);
        QCOMPARE(unreadOf(atelier), QStringList("second"));
        QCOMPARE(atelier.runWell({"alerts", "--json"}).json().array().size(), 2);
        QCOMPARE(atelier.runWell({"alerts"}).output.count("finished, unread"), 1);
        atelier.runWell({"alerts", "--read"});
        QCOMPARE(unreadOf(atelier), QStringList());
        const Outcome both = atelier.run({"alerts", "--read", "--json"});
        QVERIFY2(both.exitCode == 2, both.report());
    }

    /// The window keeps what was read, and would write over what another process has written.
    void E9_anOpenWindowTakesThemAsRead()
    {
        AtelierProgram atelier;
        atelier.setVariable("QT_QPA_PLATFORM", "offscreen");
        atelier.addFinishedRun("first-20261121-101500-x3k9", 5);
        atelier.runWell({"alerts", "--read"});
        const auto window = atelier.start({});
        QTRY_VERIFY(std::filesystem::exists(atelier.home().runtime / "window"));
        atelier.addFinishedRun("second-20261121-101600-x3k9", 5);
        QCOMPARE(unreadOf(atelier), QStringList("second"));
        const auto isRead = [&] { return atelier.run({"alerts", "--read"}).exitCode == 0 && unreadOf(atelier).isEmpty(); };
        QTRY_VERIFY_WITH_TIMEOUT(isRead(), tests::kTimeoutMs);  // once the window has seen the run
        atelier.runWell({"--open", "second"});  // of which the window keeps something else
        const auto kept = [&] { return tests::contentOf(atelier.home().state / "window.ini"); };
        QTRY_VERIFY(kept().contains("inspectedRun=second-20261121-101600-x3k9"));
        QCOMPARE(unreadOf(atelier), QStringList());
        window->kill();
        QVERIFY(window->waitForFinished());
    }

    void E9_aNearlyFullDiskIsToldOnce()
    {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        QSKIP("a sanitizer must be loaded before anything else");
#endif
        AtelierProgram atelier;
        atelier.setVariable("LD_PRELOAD", FAKE_DISK);
        atelier.setVariable("FAKE_FREE_BYTES", "4000000000");
        atelier.runWell({"run", "digits", "--detach", "--set", QStringLiteral("run.total_steps=%1").arg(tests::kEndless)});
        const auto alerts = [&] { return atelier.runWell({"alerts", "--json"}).json().array(); };
        QTRY_COMPARE_WITH_TIMEOUT(alerts().size(), 1, tests::kTimeoutMs);
        QCOMPARE(alerts().first().toObject()["alert"].toString(), QStringLiteral("disk low"));
        QCOMPARE(alerts().first().toObject()["details"].toString(), QStringLiteral("4.0 GB are free where the run is kept; checkpoints may soon not fit"));
        const auto samples = [&] { return tests::contentOf(atelier.onlyRun().journal(contract::kHostRank)).count('\n'); };
        const auto before = samples();
        QTRY_VERIFY_WITH_TIMEOUT(samples() > before + 1, tests::kTimeoutMs);  // the disk was looked at again
        QCOMPARE(alerts().size(), 1);
    }

    void E8_gpusWithWhatTheyDo()
    {
        AtelierProgram atelier;
        atelier.setVariable("LD_LIBRARY_PATH", FAKE_NVML_FOLDER);
        atelier.setVariable("FAKE_NVML", atelier.writeFile("gpus", "GPU-1|GPU of the box|80000000000|70000000000|\n"));
        const QJsonObject gpu = atelier.runWell({"gpus", "--json"}).json().object()["gpus"].toObject()["list"].toArray().first().toObject();
        QCOMPARE(gpu["name"].toString(), QStringLiteral("GPU of the box"));
        QCOMPARE(gpu["load"].toDouble(), 0.87);
        QCOMPARE(gpu["temperature_c"].toDouble(), 61.0);
        QVERIFY(gpu["throttled"].toBool());
        const QByteArray text = atelier.runWell({"gpus"}).output;
        QVERIFY2(text.contains("10.0 GB of 80.0 GB") && text.contains("slowed down"), text.constData());
        atelier.setVariable("FAKE_NVML", "/nowhere");
        QVERIFY(atelier.runWell({"gpus"}).output.startsWith("No GPU: the NVIDIA driver does not work"));
    }
};

QTEST_GUILESS_MAIN(AlertsCommandTest)
#include "tst_alerts.moc"
