// The algorithms' arithmetic against what the reference implementations computed.
#include "engine/comm/errors.h"
#include "tests/engine/goldens/case_rows.h"
#include "tests/engine/goldens/golden_operations.h"

#include <QtTest>

using tests::GoldenCase;

namespace {

const tests::GoldenOperations& operations()
{
    static const tests::GoldenOperations all = [] {
        tests::GoldenOperations result;
        for (auto& part : {tests::diffusionOperations(), tests::lossOperations(), tests::optimizerOperations(), tests::rolloutOperations()})
            result.insert(part.begin(), part.end());
        return result;
    }();
    return all;
}

}  // namespace

class AlgorithmGoldensTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theReferenceGotTheSame_data()
    {
        QTest::addColumn<QString>("path");
        for (const auto& path : tests::rowsOf(tests::goldenCases("algorithms"))) {
            const auto operation = operations().find(GoldenCase(path).op());
            const std::string rows = operation == operations().end() ? "unknown op" : operation->second.rows;
            QTest::newRow((rows + " " + path.stem().string()).c_str()) << QString::fromStdString(path.string());
        }
    }
    void theReferenceGotTheSame()
    {
        QFETCH(QString, path);
        GoldenCase golden(path.toStdString());
        const auto operation = operations().find(golden.op());
        QVERIFY2(operation != operations().end(), qPrintable("unknown op " + QString::fromStdString(golden.op())));
        std::string problems;
        try {
            operation->second.check(golden);
        } catch (const std::exception& error) {
            problems = engine::firstLine(error);
        }
        for (const std::string& problem : golden.problems())
            problems += "\n" + problem;
        QVERIFY2(problems.empty(), problems.c_str());
    }
};

QTEST_GUILESS_MAIN(AlgorithmGoldensTest)
#include "tst_goldens_algorithms.moc"
