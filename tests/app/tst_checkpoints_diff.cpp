// N11: `atelier checkpoints diff`.
#include "tests/app/atelier_program.h"
#include "tests/engine/contract/formats/small_safetensors.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QtTest>

#include <filesystem>

using tests::AtelierProgram;
using tests::Outcome;

namespace {

tests::Tensors weights(float drift)
{
    return {{{"blocks.0.weight", "F32", {4}}, {3, 0, 4, 0}}, {{"blocks.0.bias", "F32", {1}}, {1}}, {{"out.bias", "F32", {2}}, {3, 4 + drift}}};
}

}  // namespace

class CheckpointsDiffTest : public QObject {
    Q_OBJECT

    std::unique_ptr<AtelierProgram> m_atelier;

private Q_SLOTS:
    void init()
    {
        m_atelier = std::make_unique<AtelierProgram>();
        const contract::RunFolder run = m_atelier->addFinishedRun("digits-20261121-101500-aaaa", 30);
        for (const int step : {10, 20, 30})
            tests::writeCheckpoint(run.checkpoint(step), weights(float(step - 10) / 4), {});
    }

    void N11_theOldestIsComparedWithTheLatest()
    {
        const Outcome text = m_atelier->runWell({"checkpoints", "diff", "digits"});
        const QStringList lines = QString::fromUtf8(text.output).trimmed().split('\n');
        QVERIFY2(lines.at(0).contains("step-10 and ") && lines[0].endsWith("step-30:"), text.report());
        const auto cells = [&](int line) { return lines.at(line).split(' ', Qt::SkipEmptyParts); };
        QCOMPARE(cells(1), QStringList({"LAYER", "CHANGED", "LARGEST", "RMS", "RELATIVE"}));
        QCOMPARE(cells(2), QStringList({"out", "50.0", "%", "5", "3.536", "1"}));
        QCOMPARE(cells(3), QStringList({"blocks.0", "0.0", "%", "0", "0", "0"}));
        QCOMPARE(cells(4).mid(0, 3), QStringList({"all", "14.3", "%"}));
        const Outcome tensors = m_atelier->runWell({"checkpoints", "diff", "digits", "--tensors", "-n", "1"});
        QVERIFY2(tensors.output.contains("out.bias") && !tensors.output.contains("blocks.0.weight") && tensors.output.contains("2 rows with smaller"), tensors.report());
    }

    void N11_anyTwoAreComparedInJson()
    {
        const QJsonObject document = m_atelier->runWell({"checkpoints", "diff", "digits", "--from", "20", "--to", "10", "--json"}).json().object();
        QVERIFY(document["first"].toString().endsWith("step-20"));
        QCOMPARE(document["tensors"].toArray().size(), 3);
        QCOMPARE(document["layers"].toArray().size(), 2);
        QCOMPARE(document["layers"][0]["tensors"].toInt(), 2);
        QCOMPARE(document["tensors"][2]["largest"].toDouble(), 2.5);
        QCOMPARE(document["all"]["values"].toInt(), 7);
        QCOMPARE(document["all"]["changed"].toInt(), 1);
    }

    void N11_checkpointsOfTwoRunsAreCompared()
    {
        const contract::RunFolder other = m_atelier->addFinishedRun("faces-20261120-101500-bbbb", 30);
        tests::writeCheckpoint(other.checkpoint(30), {{{"out.bias", "F32", {2, 1}}, {3, 4}}, {{"new", "F32", {1}}, {1}}}, {});
        const Outcome text = m_atelier->runWell({"checkpoints", "diff", "digits", "--to-run", "faces"});
        QVERIFY2(text.output.contains("digits-20261121-101500-aaaa/checkpoints/step-30 and "), text.report());
        QVERIFY2(text.output.contains("the shapes differ") && text.output.contains("only in the second") && text.output.contains("only in the first"), text.report());
        const QByteArray nothing = "the checkpoints have no tensor of the same name and shape in common";
        QVERIFY2(text.output.contains(nothing) && !text.output.contains("0.0 %"), text.report());
        const QJsonObject all = m_atelier->runWell({"checkpoints", "diff", "digits", "--to-run", "faces", "--json"}).json()["all"].toObject();
        QCOMPARE(all["note"].toString().toUtf8(), nothing);
    }

    void N11_whatCannotBeComparedIsSaid_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("sentence");
        QTest::newRow("N11 no run") << QStringList {} << QByteArray("name a run");
        QTest::newRow("N11 no such step") << QStringList {"digits", "--from", "11"} << QByteArray("has no checkpoint of step 11");
        QTest::newRow("N11 no average") << QStringList {"digits", "--weights", "ema"} << QByteArray("holds no moving average of the weights");
    }
    void N11_whatCannotBeComparedIsSaid()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, sentence);
        const Outcome outcome = m_atelier->run(QStringList({"checkpoints", "diff"}) + arguments);
        QVERIFY2(outcome.exitCode != 0 && outcome.errors.startsWith("error: checkpoints diff: ") && outcome.errors.contains(sentence), outcome.report());
    }
};

QTEST_GUILESS_MAIN(CheckpointsDiffTest)
#include "tst_checkpoints_diff.moc"
