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
        const std::string text = contract::withValue(toml, key, experiment, {}).value_or("nothing");
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

    void m02_whatHasNoLineOfItsOwnIsChangedInItsPlace_data()
    {
        QTest::addColumn<QString>("toml");
        QTest::addColumn<QString>("after");
        QTest::newRow("dotted") << "# é\noptim.lr = 0.01 # tuned\n" << "# é\noptim.lr = 0.5 # tuned\n";
        QTest::newRow("inline table") << "optim = { beta1 = 0.8, lr = 0.01 } # both\n" << "optim = { beta1 = 0.8, lr = 0.5 } # both\n";
        QTest::newRow("new in an inline table") << "optim = { beta1 = 0.8 } # }\n" << "optim = { beta1 = 0.8 , lr = 0.5 } # }\n";
        QTest::newRow("new beside dotted") << "# mine\noptim.beta1 = 0.8\n[batch]\nmicro = 8\n"
                                           << "# mine\noptim.beta1 = 0.8\noptim.lr = 0.5\n[batch]\nmicro = 8\n";
        QTest::newRow("quoted key") << "[optim]\n\"lr\" = 0.01 # é\n" << "[optim]\n\"lr\" = 0.5 # é\n";
    }
    void m02_whatHasNoLineOfItsOwnIsChangedInItsPlace()
    {
        QFETCH(QString, toml);
        QTEST(edited(toml.toStdString(), "optim.lr", "0.5"), "after");
    }

    void m02_aTextOfSeveralLinesIsChangedAsAWhole()
    {
        QCOMPARE(edited("[run]\nname = \"\"\"\none\"\"\" # first\nseed = 7\n", "run.name", "two"),
            QStringLiteral("[run]\nname = \"two\" # first\nseed = 7\n"));
    }

    /// What is wrong elsewhere stays as it was written.
    void m02_problemsElsewhereStay()
    {
        const std::string toml = "[optim]\nspeed = 3 # mine\nlr = \"fast\"\nbeta1 = 7\n";
        Experiment experiment = read(toml);
        experiment.setText("optim.lr", "0.5");
        QCOMPARE(contract::withValue(toml, "optim.lr", experiment, {}), std::optional<std::string>("[optim]\nspeed = 3 # mine\nlr = 0.5\nbeta1 = 7\n"));
        QVERIFY(!contract::withValue("[optim\nlr = 0.1\n", "optim.lr", experiment, {}));
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
                toml = contract::withValue(toml, option.key, experiment, {}).value();
                QVERIFY(read(toml) == experiment);
            }
        }
    }
};

QTEST_GUILESS_MAIN(TomlTextTest)
#include "tst_toml_text.moc"
