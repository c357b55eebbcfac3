// E7: what TensorBoard, Weights & Biases and trackio record today is imported, value by value.
#include "tests/app/atelier_program.h"
#include "tests/paths.h"
#include "tests/peers/program_output.h"

#include <nlohmann/json.hpp>

#include <QJsonArray>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using Json = nlohmann::json;

namespace {

/// By metric and attempt, the values with their steps, in their order.
using Curves = std::map<std::pair<std::string, int>, std::vector<std::pair<std::int64_t, double>>>;

double asNumber(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

Curves curvesIn(const QByteArray& csv)
{
    Curves curves;
    for (const QByteArray& line : csv.trimmed().split('\n').mid(1)) {
        const auto cells = line.split(',');
        if (!cells.at(0).startsWith("host/") && !cells[0].startsWith("system/"))
            curves[{cells[0].toStdString(), cells.at(2).toInt()}].emplace_back(cells.at(3).toLongLong(), asNumber(cells.at(5).toStdString()));
    }
    return curves;
}

}  // namespace

class ForeignRunsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void E7_whatTheProgramsRecordIsImported()
    {
        constexpr int kSteps = 300;
        int exitCode = 0;
        const QByteArray environment = tests::outputOf(ATELIER_SOURCE_DIR "/tests/peers/environment", {}, &exitCode).trimmed();
        QCOMPARE(exitCode, 0);
        const QTemporaryDir folder;
        const QByteArray output = tests::outputOf(environment, {ATELIER_SOURCE_DIR "/tests/peers/make_foreign_runs.py", folder.path(), QString::number(kSteps)}, &exitCode);
        QCOMPARE(exitCode, 0);
        const Json logged = Json::parse(output.toStdString());

        tests::AtelierProgram atelier;
        const tests::Outcome imported = atelier.runWell({"import", folder.path(), "--json"});
        QCOMPARE(imported.exitCode, 0);
        QCOMPARE(imported.json()[QLatin1String("runs")].toArray().size(), 6);
        for (const auto& [name, first, second] : {std::tuple("plain", "plain", "plain 2"), std::tuple("tensors", "tensors", ""),
                 std::tuple("hparams", "hparams", ""), std::tuple("first try", "wandb", ""), std::tuple("second try", "second try", ""),
                 std::tuple("third try", "third try", "")}) {
            const Curves curves = curvesIn(atelier.runWell({"export", QString::fromUtf8(name), "--csv"}).output);
            std::size_t expectedCurves = 0;
            for (int attempt = 1; attempt <= (*second ? 2 : 1); ++attempt) {
                for (const auto& [metric, points] : logged.at(attempt == 1 ? first : second).items()) {
                    const auto curve = curves.find({metric, attempt});
                    QVERIFY2(curve != curves.end(), (std::string(name) + ": " + metric).c_str());
                    QCOMPARE(curve->second.size(), points.size());
                    ++expectedCurves;
                    for (std::size_t i = 0; i < points.size(); ++i) {
                        const auto& [step, value] = curve->second[i];
                        QCOMPARE(step, points[i].at(0).get<std::int64_t>());
                        const double expected = asNumber(points[i].at(1).get<std::string>());
                        QVERIFY2((value == expected && std::signbit(value) == std::signbit(expected)) || (std::isnan(value) && std::isnan(expected)),
                            (std::string(name) + ": " + metric + ", step " + std::to_string(step)).c_str());
                    }
                }
            }
            QCOMPARE(curves.size(), expectedCurves);
        }
        const QByteArray shown = atelier.runWell({"show", "first try", "--json"}).output;
        QVERIFY2(shown.contains("drawing") && shown.contains("A note"), shown);
        QCOMPARE(atelier.runWell({"import", folder.path()}).output.count(" known"), 6);
    }
};

QTEST_GUILESS_MAIN(ForeignRunsTest)
#include "tst_foreign_runs.moc"
