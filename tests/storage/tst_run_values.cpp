// M10: options and metrics of all runs, as columns of the runs table show them.
#include "engine/contract/experiment/options.h"
#include "storage/database.h"
#include "storage/ingest.h"
#include "storage/migrations.h"
#include "tests/storage/run_home.h"

#include <QtTest>

#include <cmath>
#include <fstream>

using storage::Database;
using storage::RunField;
using storage::Store;
using Kind = storage::RunField::Kind;

namespace fs = std::filesystem;

namespace {

/// "run=value …", by the runs' ids.
QString shown(const Store& store, Kind kind, const std::string& name, const std::string& run = {})
{
    QStringList all;
    for (const storage::RunValue& value : store.values({kind, name}, run)) {
        const QString text = kind == Kind::Parameter ? QString::fromStdString(value.text) : QString::number(value.number);
        all << QString::fromStdString(value.run) + "=" + text;
    }
    all.sort();
    return all.join(' ');
}

void ingest(const RunHome& home)
{
    Store store(home.database());
    storage::catchUpAll(store, home.runs());
}

}  // namespace

class RunValuesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void M10_anOptionIsThatOfTheLastAttempt()
    {
        const RunHome home;
        beginAttempt(home.createRun("a"), 2, 1, 5, {{"optim.lr", "0.5"}});
        home.createRun("b");
        ingest(home);
        const Store store(home.database());
        QCOMPARE(shown(store, Kind::Parameter, "optim.lr").section(' ', 0, 0), QStringLiteral("a=0.5"));
        QCOMPARE(shown(store, Kind::Parameter, "optim.lr").count('='), 2);
        QCOMPARE(shown(store, Kind::Parameter, "optim.lr", "a"), QStringLiteral("a=0.5"));
        QCOMPARE(shown(store, Kind::Parameter, "optim.lr", "absent"), QString());
        QCOMPARE(shown(store, Kind::Parameter, "no.such"), QString());
    }

    void M10_metricsOfAResumedRunLeaveOutWhatIsSuperseded_data()
    {
        QTest::addColumn<bool>("isMigrated");
        QTest::newRow("M10: written by this version") << false;
        QTest::newRow("M10: extremes that an earlier version did not store") << true;
    }
    /// Attempt 1 reaches step 300, attempt 2 resumes at 200: what attempt 1 did after that does not count.
    void M10_metricsOfAResumedRunLeaveOutWhatIsSuperseded()
    {
        QFETCH(bool, isMigrated);
        const RunHome home;
        const auto folder = home.createRun("a");
        append(folder.journal(0), headerLine(1, 0));
        for (int step = 1; step <= 300; ++step) {
            std::vector<std::pair<std::string, double>> values = {{"loss", step == 250 ? -7.0 : 400.0 - step}};
            if (step == 150 || step == 260)
                values.emplace_back("validation/loss", step);
            append(folder.journal(0), stepLine(step, step, values));
        }
        beginAttempt(folder, 2, 1, 200);
        append(folder.journal(0), headerLine(2, 0));
        append(folder.journal(0), stepLine(201, 1, {{"loss", 150}}));
        append(folder.journal(0), stepLine(202, 2, {{"loss", std::nan("")}}));
        append(folder.journal(1), headerLine(1, 1) + stepLine(1, 1, {{"loss", -100}, {"time", 3}}));
        ingest(home);
        if (isMigrated)
            Database(home.database(), Database::Mode::ReadWrite).execute("UPDATE series SET minimum_bits = NULL, maximum_bits = NULL");
        const Store store(home.database());
        QCOMPARE(shown(store, Kind::Last, "loss"), QStringLiteral("a=nan"));
        QCOMPARE(shown(store, Kind::Lowest, "loss"), QStringLiteral("a=150"));
        QCOMPARE(shown(store, Kind::Highest, "loss"), QStringLiteral("a=399"));
        QCOMPARE(shown(store, Kind::Last, "validation/loss"), QStringLiteral("a=150"));
        QCOMPARE(shown(store, Kind::Highest, "validation/loss"), QStringLiteral("a=150"));
        QCOMPARE(shown(store, Kind::Last, "time"), QStringLiteral("a=3"));  // which only rank 1 has
    }

    void M10_aMetricWithoutAFiniteValueHasNoExtreme()
    {
        const RunHome home;
        const auto folder = home.createRun("a");
        append(folder.journal(0), headerLine(1, 0) + stepLine(1, 1, {{"loss", INFINITY}}));
        ingest(home);
        const Store store(home.database());
        QCOMPARE(shown(store, Kind::Lowest, "loss"), QStringLiteral("a=nan"));
        QCOMPARE(shown(store, Kind::Last, "loss"), QStringLiteral("a=inf"));
    }

    void M10_namesAreListed()
    {
        const RunHome home;
        const auto folder = home.createRun("a");
        append(folder.journal(0), headerLine(1, 0) + stepLine(1, 1, {{"z", 1}, {"a/b", 1}}) + stepLine(2, 1, {{"z", 1}}));
        ingest(home);
        const auto names = Store(home.database()).fieldNames();
        QCOMPARE(names.metrics, (std::vector<std::string> {"a/b", "z"}));
        QCOMPARE(names.parameters.size(), contract::options().size());
        QCOMPARE(names.parameters.front(), std::string(contract::options().front().key));
        const RunHome empty;
        QVERIFY(Store(empty.database()).fieldNames() == storage::FieldNames());
    }

    /// The parameters of a database of version 3 are kept, in their order, and a copy of it is left beside it.
    void M10_theParametersOfAnEarlierVersionAreKept()
    {
        const RunHome home;
        {
            std::ofstream(home.database()).close();
            Database database(home.database(), Database::Mode::ReadWrite);
            storage::migrate(database, home.database(), storage::migrations().first(3));
            database.execute("INSERT INTO run VALUES (1, 'a', '/a', '', '', '', 0, ''), (2, 'b', '/b', '', '', '', 0, '')");
            database.execute("INSERT INTO attempt VALUES (1, 1, 0, 1, '', '', 0, '', '', 9, 's'), (2, 1, 0, 1, '', '', 0, '', '', 9, 's')");
            database.execute("INSERT INTO parameter VALUES (1, 1, 'z.first', 0, 'one'), (1, 1, 'a.second', 1, 'two'), (2, 1, 'a.second', 1, 'three')");
            database.execute("INSERT INTO series (run, attempt, rank, metric, points, first_step, last_step, last_bits, non_finite, is_sorted, tail)"
                             " VALUES (1, 1, 0, 'loss', 0, 0, 0, 0, 0, 1, x'')");
        }
        const Store store(home.database());
        QVERIFY(fs::exists(home.database().string() + ".before-v" + std::to_string(storage::migrations().size())));
        QVERIFY(store.parameters("a", 1) == (std::vector<storage::ParameterRow> {{"z.first", "one"}, {"a.second", "two"}}));
        QCOMPARE(shown(store, Kind::Parameter, "a.second"), QStringLiteral("a=two b=three"));
        QCOMPARE(shown(store, Kind::Lowest, "loss"), QStringLiteral("a=nan"));
        Store(home.database()).removeRun("a");
        QCOMPARE(shown(store, Kind::Parameter, "a.second"), QStringLiteral("b=three"));
    }
};

QTEST_APPLESS_MAIN(RunValuesTest)
#include "tst_run_values.moc"
