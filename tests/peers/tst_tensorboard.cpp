// E7: TensorBoard reads the curves, samples and options that Atelier exports for it.
#include "engine/contract/run/journal_writer.h"
#include "tests/app/atelier_program.h"
#include "tests/paths.h"
#include "tests/peers/program_output.h"

#include <nlohmann/json.hpp>

#include <QImage>
#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

using Json = nlohmann::json;

class TensorBoardTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void E7_tensorBoardReadsEveryValue()
    {
        tests::AtelierProgram atelier;
        const contract::RunFolder run = atelier.addFinishedRun("digits-20261121-101500-aaaa", 60);
        std::filesystem::create_directories(run.samples());
        QImage picture(6, 4, QImage::Format_RGB32);
        picture.fill(Qt::red);
        QVERIFY(picture.save(QString::fromStdString((run.samples() / "one.png").string())));
        {
            contract::JournalHeader header;
            header.run = run.id();
            contract::JournalWriter journal(run.journal(0), header);
            journal.begin(contract::record::kSample, 60).add("file", std::string("samples/one.png")).add("prompt", std::string("seven"));
            journal.commit();
        }
        const QTemporaryDir logs;
        QCOMPARE(atelier.runWell({"export", "latest", "--tensorboard", logs.path()}).exitCode, 0);
        const QByteArray csv = atelier.runWell({"export", "latest", "--csv"}).output;

        int exitCode = 0;
        const QByteArray environment = tests::outputOf(ATELIER_SOURCE_DIR "/tests/peers/environment", {}, &exitCode).trimmed();
        QCOMPARE(exitCode, 0);
        const QByteArray output = tests::outputOf(environment, {ATELIER_SOURCE_DIR "/tests/peers/read_events.py", logs.path()}, &exitCode);
        QCOMPARE(exitCode, 0);
        const Json read = Json::parse(output.toStdString());
        std::size_t values = 0;
        std::map<std::string, std::size_t> next;
        for (const QByteArray& line : csv.trimmed().split('\n').mid(1)) {
            const auto cells = line.split(',');
            const std::string folder = run.id() + (cells[1].toInt() > 0 ? "/rank-" + cells[1].toStdString() : "");
            const Json& series = read.at(folder).at("scalars").at(cells[0].toStdString());
            const Json& point = series.at(next[folder + ":" + cells[0].toStdString()]++);
            QCOMPARE(point.at(0).get<std::int64_t>(), cells[3].toLongLong());
            const auto expected = static_cast<float>(std::strtod(cells[5].constData(), nullptr));
            const auto actual = static_cast<float>(std::strtod(point.at(2).get<std::string>().c_str(), nullptr));
            QVERIFY2(actual == expected || (std::isnan(actual) && std::isnan(expected)), line.constData());
            ++values;
        }
        QVERIFY(values >= 120);
        const Json& main = read.at(run.id());
        QCOMPARE(main.at("images").at("samples/seven").dump(), std::string("[[60,6,4]]"));
        QVERIFY(main.at("texts").dump().find("| optim.lr |") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TensorBoardTest)
#include "tst_tensorboard.moc"
