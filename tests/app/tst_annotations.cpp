// M10, M16: the commands that edit what a user adds to runs.
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
        const QJsonArray runs = atelier.runWell({"list", "--json", "--all"}).json().array();
        QCOMPARE(runs.size(), 2);
        for (const QJsonValue& run : runs)
            QCOMPARE(run["project"].toString(), QStringLiteral("trials"));
        QCOMPARE(atelier.runWell({"archive", "faces", "--restore"}).exitCode, 0);
        QVERIFY(!contract::readAnnotations(second.annotations()).isArchived);
    }

    void M10_nothingIsEditedWhenARunIsUnknown()
    {
        AtelierProgram atelier;
        const auto run = atelier.addFinishedRun("digits-20261121-101500-aaaa", 1);
        const Outcome outcome = atelier.run({"tag", "digits", "moons", "--add", "lora"});
        QVERIFY2(outcome.exitCode == 1 && outcome.errors.contains("moons"), outcome.report());
        QVERIFY(contract::readAnnotations(run.annotations()).tags.empty());
    }
};

QTEST_APPLESS_MAIN(AnnotationsCommandsTest)
#include "tst_annotations.moc"
