// M2: form and text follow each other; what is wrong is said, and nothing typed is lost.
#include "tests/ui/support/test_home.h"
#include "tests/ui/support/ui_test_main.h"
#include "ui/launch/draft.h"

#include <QSignalSpy>

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

    void m02_rulesThatNeedFilesAreCheckedInTheBackground()
    {
        ui::Draft draft(m_home.home());
        QSignalSpy checked(&draft, &ui::Draft::checked);
        draft.setField("data.path", "/nowhere/digits.csv.gz");
        QVERIFY(draft.isChecking());
        QVERIFY(checked.wait());
        QVERIFY(!draft.isChecking());
        QVERIFY(draft.problemOf("data.path").contains("/nowhere/digits.csv.gz"));
        QVERIFY(!draft.preflight().empty());
    }

    void m02_theCommandLineMakesTheSameExperiment()
    {
        ui::Draft draft(m_home.home());
        draft.setField("run.name", "it's mine");
        draft.setField("optim.lr", "0.5");
        QCOMPARE(draft.commandLine(),
            QStringLiteral("atelier run --set 'run.name=it'\\''s mine' --set optim.lr=0.5"));
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
