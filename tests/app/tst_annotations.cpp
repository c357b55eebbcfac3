// M10, E3, M16: the commands that edit what a user adds to runs, and the one that compares them.
#include "engine/contract/attempt/attempt.h"
#include "engine/contract/formats/output_file.h"
#include "engine/contract/run/annotations.h"
#include "tests/app/atelier_program.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QtTest>

using tests::AtelierProgram;
using tests::Outcome;

class AnnotationsCommandsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void M10_severalRunsAreEditedAtOnce()
    {
        AtelierProgram atelier;
        const auto first = atelier.addFinishedRun("digits-20261121-101500-aaaa", 1);
        const auto second = atelier.addFinishedRun("faces-20261121-101500-cccc", 1);
        QCOMPARE(atelier.runWell({"tag", "digits", "faces", "--add", "lora", "--add", "r16"}).exitCode, 0);
        QCOMPARE(atelier.runWell({"tag", "faces", "--remove", "r16", "--add", "lora"}).exitCode, 0);
        QCOMPARE(atelier.runWell({"project", "digits", "faces", "--to", "trials"}).exitCode, 0);
        QCOMPARE(atelier.runWell({"note", "faces", "--text", "Looks blurred."}).exitCode, 0);
        QCOMPARE(atelier.runWell({"rename", "digits", "sharper digits"}).exitCode, 0);
        QCOMPARE(atelier.runWell({"archive", "faces"}).exitCode, 0);
        contract::Annotations expected;
        expected.name = "sharper digits";
        expected.project = "trials";
        expected.tags = {"lora", "r16"};
        QVERIFY(contract::readAnnotations(first.annotations()) == expected);
        expected = {};
        expected.project = "trials";
        expected.tags = {"lora"};
        expected.notes = "Looks blurred.";
        expected.isArchived = true;
        QVERIFY(contract::readAnnotations(second.annotations()) == expected);
        const Outcome shown = atelier.runWell({"show", "faces"});
        QVERIFY2(shown.output.contains("\nProject:     trials\nTags:        lora\nNote:        Looks blurred.\n"), shown.report());
        const QJsonArray runs = atelier.runWell({"list", "--json", "--all"}).json().array();
        QCOMPARE(runs.size(), 2);
        for (const QJsonValue& run : runs)
            QCOMPARE(run["project"].toString(), QStringLiteral("trials"));
        QCOMPARE(atelier.runWell({"archive", "faces", "--restore"}).exitCode, 0);
        QVERIFY(!contract::readAnnotations(second.annotations()).isArchived);
    }

    void M16_anEmptyTagIsNotAdded_data()
    {
        QTest::addColumn<QString>("tag");
        QTest::newRow("M16 empty") << "";
        QTest::newRow("M16 blank") << "  ";
    }
    void M16_anEmptyTagIsNotAdded()
    {
        QFETCH(QString, tag);
        AtelierProgram atelier;
        const auto run = atelier.addFinishedRun("digits-20261121-101500-aaaa", 1);
        const Outcome outcome = atelier.run({"tag", "digits", "--add", "lora", "--add", tag});
        QVERIFY2(outcome.exitCode == 2 && outcome.errors.contains("must not be empty"), outcome.report());
        QVERIFY(contract::readAnnotations(run.annotations()) == contract::Annotations());
    }

    void M16_theLinesOfSeveralRunsAreChosen()
    {
        AtelierProgram atelier;
        const auto first = atelier.addFinishedRun("digits-20261121-101500-aaaa", 1);
        const auto second = atelier.addFinishedRun("faces-20261121-101500-cccc", 1);
        QCOMPARE(atelier.runWell({"look", "digits", "faces", "--color", "#D55E00", "--line", "dash-dot", "--marker", "circle"}).exitCode, 0);
        QCOMPARE(atelier.runWell({"look", "faces", "--color", "0072b2", "--line", "automatic"}).exitCode, 0);
        const QJsonObject digits = atelier.runWell({"show", "digits", "--json"}).json().object()["look"].toObject();
        QCOMPARE(digits, QJsonObject({{"color", "#d55e00"}, {"line", "dash-dot"}, {"marker", "circle"}}));
        const QJsonObject faces = atelier.runWell({"show", "faces", "--json"}).json().object()["look"].toObject();
        QCOMPARE(faces, QJsonObject({{"color", "#0072b2"}, {"line", "automatic"}, {"marker", "circle"}}));
        const Outcome text = atelier.runWell({"show", "faces"});
        QVERIFY2(text.output.contains("Look:        color #0072b2, line automatic, marker circle"), text.report());
        QCOMPARE(atelier.runWell({"look", "digits", "--color", "automatic", "--line", "automatic", "--marker", "automatic"}).exitCode, 0);
        QVERIFY(contract::readAnnotations(first.annotations()) == contract::Annotations());
        QVERIFY(!atelier.runWell({"show", "digits"}).output.contains("Look:"));
    }

    void M16_noLookIsChangedByAWrongWord_data()
    {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<QByteArray>("why");
        QTest::newRow("M16 colour") << QStringList({"--line", "dot", "--color", "red"}) << QByteArray("six hexadecimal digits");
        QTest::newRow("M16 line") << QStringList({"--color", "#d55e00", "--line", "wavy"}) << QByteArray("solid, dash, dot, dash-dot, or automatic");
        QTest::newRow("M16 marker") << QStringList({"--color", "#d55e00", "--marker", "star"}) << QByteArray("diamond, or automatic");
        QTest::newRow("M16 nothing") << QStringList() << QByteArray("--color");
    }
    void M16_noLookIsChangedByAWrongWord()
    {
        QFETCH(QStringList, words);
        QFETCH(QByteArray, why);
        AtelierProgram atelier;
        const auto run = atelier.addFinishedRun("digits-20261121-101500-aaaa", 1);
        const Outcome outcome = atelier.run(QStringList({"look", "digits"}) + words);
        QVERIFY2(outcome.exitCode == 2 && outcome.errors.contains(why), outcome.report());
        QVERIFY(!std::filesystem::exists(run.annotations()));
    }

    void M10_nothingIsEditedWhenARunIsUnknown()
    {
        AtelierProgram atelier;
        const auto run = atelier.addFinishedRun("digits-20261121-101500-aaaa", 1);
        const Outcome outcome = atelier.run({"tag", "digits", "moons", "--add", "lora"});
        QVERIFY2(outcome.exitCode == 1 && outcome.errors.contains("moons"), outcome.report());
        QVERIFY(contract::readAnnotations(run.annotations()).tags.empty());
    }

    void E3_runsAreCompared()
    {
        AtelierProgram atelier;
        atelier.addFinishedRun("digits-20261121-101500-aaaa", 4);
        const auto faces = atelier.addFinishedRun("faces-20261121-101500-cccc", 9);
        const QJsonObject found = atelier.runWell({"compare", "digits", "faces", "--json", "--all", "--ignore", "optim.*"}).json().object();
        QCOMPARE(found["runs"].toArray().size(), 2);
        QJsonObject common, last;
        for (const QJsonValue& row : found["rows"].toArray()) {
            QVERIFY(!row["name"].toString().startsWith("optim."));
            if (row["name"] == "loss" && row["what"] == "at_common_step")
                common = row.toObject();
            if (row["name"] == "loss" && row["what"] == "last")
                last = row.toObject();
        }
        QCOMPARE(common["step"].toInt(), 4);
        QCOMPARE(common["values"].toArray(), QJsonArray({tests::exampleLoss(4), tests::exampleLoss(4)}));
        QVERIFY(!common["differs"].toBool());
        QCOMPARE(last["values"].toArray(), QJsonArray({tests::exampleLoss(4), tests::exampleLoss(9)}));
        QCOMPARE(last["differences"].toArray().at(1).toDouble(), tests::exampleLoss(9) - tests::exampleLoss(4));
        QCOMPARE(last["ratios"].toArray().at(1).toDouble(), tests::exampleLoss(9) / tests::exampleLoss(4));
        const Outcome text = atelier.runWell({"compare", "digits", "faces"});
        QVERIFY2(text.output.contains("loss, last") && !text.output.contains("optim.lr"), text.report());
        // A long text is cut in the table alone.
        contract::Experiment experiment = contract::experimentOf(faces, 1);
        const std::string prompts = "a red heart | " + std::string(200, 'x');
        experiment.setText("sample.prompts", prompts);
        contract::writeFileAtomically(faces.config(1), experiment.toToml(contract::Experiment::Write::Everything));
        atelier.runWell({"reindex"});
        const Outcome cut = atelier.runWell({"compare", "digits", "faces"});
        QVERIFY2(cut.output.contains("a red heart | xxx") && !cut.output.contains(std::string(60, 'x').c_str()), cut.report());
        const Outcome csv = atelier.runWell({"compare", "digits", "faces", "--csv"});
        QVERIFY2(csv.output.startsWith("what,") && csv.output.contains(prompts.c_str()), csv.report());
        const Outcome one = atelier.run({"compare", "digits", "digits-20261121-101500-aaaa"});
        QVERIFY2(one.exitCode == 2 && one.errors.contains("two different runs"), one.report());
    }
};

QTEST_APPLESS_MAIN(AnnotationsCommandsTest)
#include "tst_annotations.moc"
