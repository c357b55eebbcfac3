#include "engine/contract/experiment/toml_text.h"

#include <QtTest>

using contract::Experiment;

class TomlTextTest : public QObject {
    Q_OBJECT

private:
    static Experiment read(const std::string& toml) { return contract::parseExperiment(toml, {}).experiment; }

    static QString edited(const std::string& toml, const char* key, const char* value)
    {
        Experiment experiment = read(toml);
        experiment.setText(key, value);
        const std::string text = contract::withValue(toml, key, experiment, {});
        // Invariant: after any edit, the text parses to exactly the experiment.
        const auto readBack = contract::parseExperiment(text, {});
        if (!readBack.problems.empty() || !(readBack.experiment == experiment))
            return QStringLiteral("does not read back: %1").arg(QString::fromStdString(text));
        return QString::fromStdString(text);
    }

private Q_SLOTS:
    void oneLineChangesAndCommentsStay()
    {
        const std::string toml = "# mine\n[optim]\nlr = 0.01  # tuned\nbeta1 = 0.8\n\n[batch]\nmicro = 8\n";
        QCOMPARE(edited(toml, "optim.lr", "0.002"),
            QStringLiteral("# mine\n[optim]\nlr = 0.002  # tuned\nbeta1 = 0.8\n\n[batch]\nmicro = 8\n"));
    }

    void aNewValueJoinsItsTable()
    {
        QCOMPARE(edited("[optim]\nlr = 0.01\n\n[batch]\nmicro = 8\n", "optim.beta1", "0.5"),
            QStringLiteral("[optim]\nlr = 0.01\nbeta1 = 0.5\n\n[batch]\nmicro = 8\n"));
    }

    void aNewTableIsAppended()
    {
        QCOMPARE(edited("[optim]\nlr = 0.01\n", "batch.micro", "4"),
            QStringLiteral("[optim]\nlr = 0.01\n\n[batch]\nmicro = 4\n"));
        QCOMPARE(edited("", "batch.micro", "4"), QStringLiteral("[batch]\nmicro = 4\n"));
    }

    void aDefaultTakesItsLineAway()
    {
        QCOMPARE(edited("[optim]\nlr = 0.01\nbeta1 = 0.8\n", "optim.lr", "0.001"),
            QStringLiteral("[optim]\nbeta1 = 0.8\n"));
    }

    void textsThatCannotBeEditedByLineAreWrittenAnew_data()
    {
        QTest::addColumn<QString>("toml");
        QTest::newRow("dotted") << "optim.lr = 0.01\n";
        QTest::newRow("inline table") << "optim = { lr = 0.01 }\n";
        QTest::newRow("quoted key") << "[optim]\n\"lr\" = 0.01\n";
    }
    void textsThatCannotBeEditedByLineAreWrittenAnew()
    {
        QFETCH(QString, toml);
        const QString text = edited(toml.toStdString(), "optim.lr", "0.5");
        QVERIFY2(!text.startsWith("does not"), qPrintable(text));
    }

    void anySequenceOfEditsReadsBack()
    {
        std::string toml;
        Experiment experiment;
        for (int round = 0; round < 3; ++round) {
            for (const contract::Option& option : contract::options()) {
                if (option.type == contract::OptionType::Integer)
                    experiment.set(option.key, std::int64_t(option.minimum) + round);
                else if (option.type == contract::OptionType::Text)
                    experiment.set(option.key, std::string("a # \"quoted\" text") + std::to_string(round));
                else
                    continue;
                toml = contract::withValue(toml, option.key, experiment, {});
                QVERIFY(read(toml) == experiment);
            }
        }
    }
};

QTEST_GUILESS_MAIN(TomlTextTest)
#include "tst_toml_text.moc"
