// `atelier mcp` answers the client that the Model Context Protocol's authors publish.
#include "tests/app/atelier_program.h"
#include "tests/paths.h"
#include "tests/peers/program_output.h"

#include "engine/contract/run/journal_writer.h"

#include <QImage>
#include <QJsonArray>
#include <QJsonObject>
#include <QtTest>

#include <filesystem>

class McpClientTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void itsClientIsAnsweredInBothEras()
    {
        tests::AtelierProgram atelier;
        const contract::RunFolder run = atelier.addFinishedRun("digits-20261121-101500-aaaa", 6);
        std::filesystem::create_directories(run.samples());
        QImage picture(6, 4, QImage::Format_RGB32);
        picture.fill(Qt::red);
        QVERIFY(picture.save(QString::fromStdString((run.samples() / "one.png").string())));
        {
            contract::JournalHeader header;
            header.run = run.id();
            contract::JournalWriter journal(run.journal(0), header);
            journal.begin(contract::record::kSample, 6).add("file", std::string("samples/one.png")).add("prompt", std::string("seven"));
            journal.commit();
        }
        int exitCode = 0;
        const QByteArray environment = tests::outputOf(ATELIER_SOURCE_DIR "/tests/peers/environment", {}, &exitCode).trimmed();
        QCOMPARE(exitCode, 0);
        const QByteArray output = tests::outputOf(environment, {ATELIER_SOURCE_DIR "/tests/peers/ask_mcp.py", atelier.program(), "digits"}, &exitCode);
        QCOMPARE(exitCode, 0);
        const QJsonObject answers = QJsonDocument::fromJson(output).object();
        QCOMPARE(answers["older"]["revision"].toString(), QStringLiteral("2025-11-25"));
        QCOMPARE(answers["newer"]["revision"].toString(), QStringLiteral("2026-07-28"));
        for (const char* era : {"older", "newer"}) {
            const QJsonObject answer = answers[QLatin1String(era)].toObject();
            QVERIFY2(answer["tools"].toArray().contains("list_runs"), output);
            QCOMPARE(answer["id"].toString(), QString::fromStdString(run.id()));
            QCOMPARE(answer["image"].toArray().at(1).toString(), QStringLiteral("image/png"));
            QVERIFY(answer["refused"].toBool());
        }
    }
};

QTEST_GUILESS_MAIN(McpClientTest)
#include "tst_mcp_client.moc"
