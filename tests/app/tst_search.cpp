// E16: a text is found in everything that is known of runs, by the real command.
#include "tests/app/atelier_program.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QtTest>

#include <filesystem>
#include <fstream>

using tests::AtelierProgram;
using tests::Outcome;
using tests::kDigits;

namespace {

constexpr char kOldFaces[] = "faces-20261120-101500-bbbb";

}  // namespace

class SearchTest : public QObject {
    Q_OBJECT

    std::unique_ptr<AtelierProgram> m_atelier;

private Q_SLOTS:
    void init()
    {
        m_atelier = std::make_unique<AtelierProgram>();
        const contract::RunFolder digits = m_atelier->addFinishedRun(kDigits, 3);
        m_atelier->addFinishedRun(kOldFaces, 3);
        std::filesystem::create_directories(digits.logs());
        std::ofstream log(digits.log(1));
        for (int line = 0; line < 250; ++line)
            log << "line " << line << " of a Heron\n";
        log << "\x1b[31m red heron \xff\n";
        m_atelier->runWell({"note", kOldFaces, "--text", "saw a heron\nand a duck"});
        m_atelier->runWell({"tag", kOldFaces, "--add", "duck"});
    }

    void E16_eachFindIsALine()
    {
        const Outcome duck = m_atelier->runWell({"search", "DUCK"});
        QCOMPARE(duck.output, QByteArray(kOldFaces) + ": tag: duck\n" + kOldFaces + ": note: and a duck\n");
        const Outcome option = m_atelier->runWell({"search", "--no-logs", "optim.kind = "});
        QCOMPARE(option.output.count('\n'), 2);
        QVERIFY2(option.output.contains(QByteArray(kDigits) + ": option optim.kind: "), option.report().constData());
    }

    /// Of a log the newest finds, without what would act on a terminal.
    void E16_logsAreSearched()
    {
        const Outcome heron = m_atelier->runWell({"search", "heron"});
        QCOMPARE(heron.output.count(": log rank 1: "), 100);
        QVERIFY(!heron.output.contains("line 150 of") && heron.output.contains("line 151 of"));
        QVERIFY2(!heron.output.contains('\x1b') && heron.output.contains("red heron \\xff"), heron.report().constData());
        QVERIFY(heron.output.contains(QByteArray(kOldFaces) + ": note: saw a heron\n"));
        QCOMPARE(m_atelier->runWell({"search", "heron", "--no-logs"}).output.count('\n'), 1);
        QCOMPARE(m_atelier->runWell({"search", "^line 2[0-4]9 ", "--regex"}).output.count('\n'), 5);
    }

    void E16_asADocument()
    {
        const auto found = m_atelier->runWell({"search", "duck", "--json"}).json().object()["found"].toArray();
        QCOMPARE(found.size(), 2);
        QCOMPARE(found[0].toObject(), (QJsonObject {{"run", kOldFaces}, {"in", "tag"}, {"text", "duck"}}));
        QCOMPARE(found[1].toObject(), (QJsonObject {{"run", kOldFaces}, {"in", "note"}, {"text", "and a duck"}}));
    }

    void E16_nothingFoundIsAnExitCode()
    {
        const Outcome nothing = m_atelier->run({"search", "albatross"});
        QCOMPARE(nothing.exitCode, 1);
        QVERIFY(nothing.output.isEmpty() && nothing.errors.isEmpty());
        const Outcome damaged = m_atelier->run({"search", "a(", "--regex"});
        QCOMPARE(damaged.exitCode, 2);
        QVERIFY2(damaged.errors.contains("parenthesis"), damaged.report().constData());
    }
};

QTEST_GUILESS_MAIN(SearchTest)
#include "tst_search.moc"
