// M2: form and text stay in step; invalid input is kept as typed and its problem is reported.
#include "launcher/home/ready_experiments.h"
#include "tests/ui/support/test_home.h"
#include "tests/ui/support/ui_test_main.h"
#include "ui/launch/draft.h"

#include <QFile>
#include <QProcess>
#include <QSignalSpy>
#include <QTemporaryDir>

#include <sys/stat.h>

#include <algorithm>

class DraftTest : public QObject {
    Q_OBJECT

private:
    ui_test::TestHome m_home;

private Q_SLOTS:
    void m02_theFormChangesTheText()
    {
        ui::Draft draft(m_home.home());
        draft.setToml("[optim]\nlr = 0.01 # mine\n");
        QSignalSpy text(&draft, &ui::Draft::textChanged);
        draft.setField("batch.micro", "8");
        QCOMPARE(text.count(), 1);
        QCOMPARE(draft.toml(), QStringLiteral("[optim]\nlr = 0.01 # mine\n\n[batch]\nmicro = 8\n"));
    }

    void m02_theTextChangesTheForm()
    {
        ui::Draft draft(m_home.home());
        draft.setToml("[optim]\nlr = 0.5\n");
        QCOMPARE(draft.fieldText("optim.lr"), QStringLiteral("0.5"));
        QVERIFY(draft.isChanged("optim.lr"));
        draft.revert("optim.lr");
        QVERIFY(!draft.isChanged("optim.lr"));
        QCOMPARE(draft.fieldText("optim.lr"), QStringLiteral("0.001"));
    }

    void m02_aWrongFieldKeepsWhatWasTypedAndSaysWhy()
    {
        ui::Draft draft(m_home.home());
        draft.setField("optim.lr", "fast");
        QCOMPARE(draft.fieldText("optim.lr"), QStringLiteral("fast"));
        QVERIFY(draft.problemOf("optim.lr").contains("optim.lr"));
        QCOMPARE(draft.problems().front().key, std::string("optim.lr"));
        draft.setField("optim.lr", "0.1");
        QVERIFY(draft.problemOf("optim.lr").isEmpty());
    }

    void anInvalidFieldNeverChangesTheText_data()
    {
        QTest::addColumn<QString>("toml");
        QTest::newRow("defect-45: a default") << "";
        QTest::newRow("defect-45: a value with a comment") << "[optim]\nlr = 0.01 # mine\n";
        QTest::newRow("defect-45: a text with another error") << "[optim]\nlr = 0.01\nspeed = 3\n";
    }
    void anInvalidFieldNeverChangesTheText()
    {
        QFETCH(QString, toml);
        ui::Draft draft(m_home.home());
        draft.setToml(toml);
        const auto errors = draft.textProblems().size();
        const double before = draft.experiment().real("optim.lr");
        for (const char* typed : {"0", "0,", "0,0", "0,00", "0,001"})
            draft.setField("optim.lr", typed);
        QCOMPARE(draft.toml(), toml);
        QCOMPARE(draft.textProblems().size(), errors);
        QCOMPARE(draft.experiment().real("optim.lr"), before);
        QCOMPARE(draft.fieldText("optim.lr"), QStringLiteral("0,001"));
        QVERIFY(!draft.problemOf("optim.lr").isEmpty());
    }

    void aListWithoutSpacesSaysWhatAListIs_data()
    {
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("isTold");
        QTest::newRow("numbers") << "optim.lr" << "1e-3,2e-3" << true;
        QTest::newRow("whole numbers") << "run.seed" << "1,2" << true;
        QTest::newRow("a decimal comma") << "optim.lr" << "0,001" << false;
        QTest::newRow("no numbers") << "optim.lr" << "fast,slow" << false;
    }
    void aListWithoutSpacesSaysWhatAListIs()
    {
        QFETCH(QString, key);
        QFETCH(QString, text);
        ui::Draft draft(m_home.home());
        draft.setField(key, text);
        QVERIFY(!draft.problemOf(key).isEmpty());
        QTEST(draft.problemOf(key).endsWith("; between several values stand a comma and a space"), "isTold");
    }

    void aValueThatIsGivenTwiceMakesOneRun()
    {
        ui::Draft draft(m_home.home());
        draft.setField("optim.lr", "1e-3, 0.001");
        QCOMPARE(draft.runCount(), std::size_t(1));
        draft.setField("optim.lr", "1e-3, 0.001, 2e-3");
        QCOMPARE(draft.runCount(), std::size_t(2));
        draft.finishField();
        QCOMPARE(draft.fieldText("optim.lr"), QStringLiteral("1e-3, 2e-3"));
    }

    void m02_anOptionOfOneThatHasNoEffectHasNone()
    {
        ui::Draft draft(m_home.home());
        const contract::Option& folder = *contract::findOption("data.folder");
        draft.setToml("[model]\nname = \"sd3\"\n");
        QVERIFY(draft.applies(folder));
        draft.setField("data.source", "emoji");
        QVERIFY(!draft.applies(folder));
        draft.setToml("[model]\nname = \"dit\"\n");
        QCOMPARE(draft.missingCondition(folder), std::string_view("model.name=diffusers|sd3"));  // which data.source needs
    }

    void m02_anOptionMayNeedSeveralOthers()
    {
        ui::Draft draft(m_home.home());
        const contract::Option& rewards = *contract::findOption("reward.functions");
        draft.setToml("[model]\nname = \"sd3\"\n");
        QVERIFY(draft.missingCondition(rewards).starts_with("algorithm.name=flow_grpo|"));
        draft.setField("algorithm.name", "flow_grpo");
        QVERIFY(draft.applies(rewards));
        draft.setField("model.name", "dit");
        QCOMPARE(draft.missingCondition(rewards), std::string_view("model.name=diffusers|sd3"));
    }

    void m02_aTextThatTheFormCannotShowIsKept()
    {
        ui::Draft draft(m_home.home());
        const QString toml = QStringLiteral("[optim]\nlearning_rate = 0.5\nlr = 0.25\n");
        draft.setToml(toml);
        QCOMPARE(draft.toml(), toml);
        QCOMPARE(draft.textProblems().size(), std::size_t(1));
        QCOMPARE(draft.fieldText("optim.lr"), QStringLiteral("0.25"));
        QVERIFY(!draft.problems().empty());
    }

    /// A form beside a text with errors changes one value of it and loses nothing.
    void M2_aFieldChangesItsValueInATextWithErrors()
    {
        ui::Draft draft(m_home.home());
        draft.setToml("# mine\n[optim]\nlearning_rate = 0.5 # tomorrow\nlr = 0.25\n[batch]\nmicro = \"many\"\n");
        QCOMPARE(draft.textProblems().size(), std::size_t(2));
        draft.setField("optim.lr", "0.125");
        QCOMPARE(draft.toml(), QStringLiteral("# mine\n[optim]\nlearning_rate = 0.5 # tomorrow\nlr = 0.125\n[batch]\nmicro = \"many\"\n"));
        QCOMPARE(draft.textProblems().size(), std::size_t(2));
        draft.setField("batch.micro", "4");
        QVERIFY(draft.toml().contains("learning_rate = 0.5 # tomorrow") && draft.toml().contains("micro = 4"));
        QCOMPARE(draft.textProblems().size(), std::size_t(1));
    }

    void M2_aTextThatCannotBeReadIsNotTouchedByTheForm()
    {
        ui::Draft draft(m_home.home());
        draft.setToml("[optim]\nlr = 0.25 # mine\n");
        draft.setToml("[optim]\nlr = 0.25 # mine\nbeta1 =");
        QVERIFY(!draft.isTextReadable());
        QCOMPARE(draft.fieldText("optim.lr"), QStringLiteral("0.25"));
        draft.setField("optim.lr", "0.5");
        draft.revert("optim.lr");
        QCOMPARE(draft.toml(), QStringLiteral("[optim]\nlr = 0.25 # mine\nbeta1 ="));
        QCOMPARE(draft.fieldText("optim.lr"), QStringLiteral("0.25"));
        draft.discardText();
        QVERIFY(draft.isTextReadable());
        QCOMPARE(draft.toml(), QStringLiteral("[optim]\nlr = 0.25 # mine\n"));
    }

    void M2_aTextWhoseChangesAreDiscardedIsNotEdited()
    {
        ui::Draft draft(m_home.home());
        contract::Experiment experiment;
        experiment.setText("run.seed", "7");
        draft.setExperiment({ui::DraftOrigin::Kind::Run, QStringLiteral("a run"), experiment});
        const QString kept = draft.toml();
        draft.setToml(kept + "\n");
        draft.setToml(kept + "\n[[junk");
        QVERIFY(draft.isEdited() && !draft.isTextReadable());
        draft.discardText();
        QCOMPARE(draft.toml(), kept);
        QVERIFY(!draft.isEdited());
    }

    void M2_anInvalidFieldKeepsItsTextWhileTheTextChangesElsewhere()
    {
        ui::Draft draft(m_home.home());
        draft.setField("optim.lr", "abc");
        draft.setToml("[batch]\nmicro = 4\n");
        QCOMPARE(draft.fieldText("optim.lr"), QStringLiteral("abc"));
        QVERIFY(!draft.problemOf("optim.lr").isEmpty());
        draft.setToml("[optim]\nlr = 0.25\n");
        QCOMPARE(draft.fieldText("optim.lr"), QStringLiteral("0.25"));
        QVERIFY(draft.problemOf("optim.lr").isEmpty());
    }

    void m02_rulesThatNeedFilesAreCheckedInTheBackground()
    {
        ui::Draft draft(m_home.home());
        QSignalSpy checked(&draft, &ui::Draft::checked);
        draft.setField("data.path", "/nowhere/digits.csv.gz");
        QVERIFY(draft.isChecking());
        QVERIFY(checked.wait(20'000));
        QVERIFY(!draft.isChecking());
        QVERIFY(draft.problemOf("data.path").contains("/nowhere/digits.csv.gz"));
        QVERIFY(!draft.preflight().empty());
    }

    void m02_theCommandLineMakesTheSameExperiment_data()
    {
        QTest::addColumn<QString>("toml");
        QTest::addColumn<QString>("start");
        QTest::newRow("defect-23: nothing set") << "" << "atelier run ";
        QTest::newRow("defect-23: names that need quotes") << "[run]\nname = \"it's mine\"\n[optim]\nlr = 0.5\n" << "atelier run ";
        QTest::newRow("defect-23: a text with nothing in it") << "[sample]\nprompts = \"\"\nnegative = \"a | b\"\n" << "atelier run ";
        for (const launcher::ReadyExperiment& ready : launcher::readyExperiments()) {
            QFile file(QString::fromStdString(ready.file.string()));
            QVERIFY(file.open(QIODevice::ReadOnly));
            QTest::newRow(("defect-23: the ready experiment " + ready.name).c_str())
                << QString::fromUtf8(file.readAll()) << "atelier run " + QString::fromStdString(ready.name);
        }
    }
    /// A shell reads the line as `atelier run FILE --set …`, and these words give the experiment of the form.
    void m02_theCommandLineMakesTheSameExperiment()
    {
        QFETCH(QString, toml);
        QFETCH(QString, start);
        ui::Draft draft(m_home.home());
        draft.setBaseFolder((launcher::resourcesFolder() / "experiments").string());
        draft.setToml(toml);
        QVERIFY(draft.textProblems().empty());
        QVERIFY2(draft.commandLine().startsWith(start), qPrintable(draft.commandLine()));
        QProcess shell;
        shell.start("/bin/sh", {"-c", "atelier() { printf '%s\\0' \"$@\"; }; " + draft.commandLine()});
        QVERIFY(shell.waitForFinished());
        QList<QByteArray> words = shell.readAllStandardOutput().split('\0');
        words.removeLast();
        QCOMPARE(words.takeFirst(), QByteArray("run"));
        const std::string file = words.takeFirst().toStdString();
        const auto ready = launcher::readyExperiments();
        const auto named = std::ranges::find(ready, file, &launcher::ReadyExperiment::name);
        QVERIFY2(named != ready.end(), file.c_str());
        contract::Experiment experiment = contract::loadExperiment(named->file).experiment;
        for (; !words.isEmpty(); words.removeFirst()) {
            QCOMPARE(words.takeFirst(), QByteArray("--set"));
            const std::string setting = words.front().toStdString();
            const std::size_t equals = setting.find('=');
            QVERIFY(!experiment.setText(setting.substr(0, equals), setting.substr(equals + 1)));
        }
        QVERIFY(experiment == draft.experiment());
    }

    void whatIsNoExperimentIsRefusedInASentence_data()
    {
        QTest::addColumn<QString>("kind");
        for (const char* kind : {"a pipe", "a device without end", "a folder", "a large file", "bytes that are no text", "nothing"})
            QTest::newRow((std::string("defect-31: ") + kind).c_str()) << kind;
    }
    void whatIsNoExperimentIsRefusedInASentence()
    {
        QFETCH(QString, kind);
        QTemporaryDir folder;
        QString path = folder.filePath("other.toml");
        if (kind == "a pipe")
            QCOMPARE(::mkfifo(path.toLocal8Bit().constData(), 0600), 0);
        else if (kind == "a device without end")
            path = "/dev/zero";
        else if (kind == "a folder")
            path = folder.path();
        else if (kind != "nothing") {
            QFile file(path);
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(kind == "a large file" ? QByteArray(2 << 20, '\n') : QByteArray("name = \"\xff\xfe\"\n"));
        }
        ui::Draft draft(m_home.home());
        draft.setToml("[optim]\nlr = 0.5\n");
        draft.load(path);
        QCOMPARE(draft.textProblems().size(), std::size_t(1));
        const QString message = QString::fromStdString(draft.textProblems().front().message);
        QVERIFY2(message.startsWith(path) && message.size() < 300, qPrintable(message));
        QCOMPARE(draft.toml(), QStringLiteral("[optim]\nlr = 0.5\n"));
    }

    /// A draft that is saved in another folder names the same files there.
    void pathsMoveWithTheDraft()
    {
        QTemporaryDir from, to;
        for (const char* name : {"digits.csv.gz", "other.bin"})
            QVERIFY(QFile(from.filePath(name)).open(QIODevice::WriteOnly));
        const std::string elsewhere = to.path().toStdString();
        ui::Draft draft(m_home.home());
        draft.setBaseFolder(from.path().toStdString());
        draft.setToml("[data]\npath = \"digits.csv.gz\"\n[optim]\nlr = 0.5 # mine\n");
        const contract::Experiment before = draft.experiment();
        draft.moveTo(elsewhere);
        QVERIFY(contract::parseExperiment(draft.toml().toStdString(), elsewhere).experiment == before);
        QVERIFY2(draft.toml().contains("lr = 0.5 # mine"), qPrintable(draft.toml()));
        const QString absolute = draft.toml();
        draft.moveTo(from.path().toStdString());
        QCOMPARE(draft.toml(), absolute);
        draft.setToml("[reward]\nfunctions = \"program:./other.bin, jpeg_size:2\"\nclip = 3 # two\n");
        const std::string rewards = draft.experiment().text("reward.functions");
        draft.moveTo(elsewhere);
        QCOMPARE(contract::parseExperiment(draft.toml().toStdString(), elsewhere).experiment.text("reward.functions"), rewards);
        QVERIFY2(draft.toml().contains("# two"), qPrintable(draft.toml()));
        draft.moveTo(from.path().toStdString());
        draft.setToml("# both\n[data]\npath = \"digits.csv.gz\"\n[reward]\nfunctions = \"program:./other.bin\"\n");
        const QString moved = draft.tomlFor({});
        QVERIFY(contract::parseExperiment(moved.toStdString(), {}).experiment == draft.experiment());
        QVERIFY2(moved.startsWith("# both"), qPrintable(moved));
        QVERIFY(draft.toml().contains("./other.bin"));
        draft.setToml("[data]\npath = 7\n");  // a text with problems stays as typed
        draft.moveTo(elsewhere);
        QCOMPARE(draft.toml(), QStringLiteral("[data]\npath = 7\n"));
    }

    void optionsOfAnotherChoiceDoNotApply()
    {
        ui::Draft draft(m_home.home());
        const contract::Option& ratio = *contract::findOption("schedule.min_ratio");
        QVERIFY(!draft.applies(ratio));
        draft.setField("schedule.type", "cosine");
        QVERIFY(draft.applies(ratio));
        draft.setField("schedule.type", "wsd");
        QVERIFY(draft.applies(ratio));
        QVERIFY(!draft.applies(*contract::findOption("schedule.cycles")));
    }
};

ATELIER_UI_TEST_MAIN(DraftTest)
#include "tst_draft.moc"
