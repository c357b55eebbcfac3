// E3: the tab Compare and plots of differences in the real window.
#include "engine/contract/run/journal_writer.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/compare/compare_model.h"
#include "ui/compare/compare_view.h"
#include "ui/plot/canvas/plot_panel.h"
#include "ui/plot/plots_view.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QTabWidget>
#include <QTest>
#include <QTreeView>

using ui_test::OpenWindow;

namespace {

const QString kBaseline = QStringLiteral("alpha-20261121-100000-aaaa");
const QString kCompared = QStringLiteral("beta-20261121-100001-bbbb");

}  // namespace

class WindowCompareTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<OpenWindow> m_window;

    void open()
    {
        m_window = std::make_unique<OpenWindow>(m_home->home());
        QTRY_COMPARE(m_window->bench().runs.rowCount(), 2);
    }
    void openBoth()
    {
        m_home->writeRun(kBaseline.toStdString(), 40, "finished");
        m_home->writeRun(kCompared.toStdString(), 70, "");
        open();
        ui::Selection& selection = m_window->bench().selection;
        QTRY_VERIFY(!selection.drawn().isEmpty());
        selection.setDrawn(selection.drawn().front().runId, false);
        selection.setDrawn(QStringList({kBaseline, kCompared}), true);
        m_window->action("view.tab4")->trigger();
        QCOMPARE((*m_window)->tabs().currentWidget(), view());
    }

    ui::CompareView* view() { return (*m_window)->findChild<ui::CompareView*>(); }
    QTreeView* table() { return view()->findChild<QTreeView*>("compareTable"); }
    QCheckBox* box(const QString& text)
    {
        for (QCheckBox* candidate : view()->findChildren<QCheckBox*>()) {
            if (candidate->text() == text)
                return candidate;
        }
        return nullptr;
    }

    /// The row's cells, joined by "|"; empty when the table has no such row.
    QString row(const QString& name)
    {
        const QAbstractItemModel* const model = table()->model();
        for (int at = 0; at < model->rowCount(); ++at) {
            if (model->index(at, 0).data().toString() != name)
                continue;
            QStringList cells;
            for (int column = 1; column < model->columnCount(); ++column)
                cells << model->index(at, column).data().toString();
            return cells.join('|');
        }
        return {};
    }

private Q_SLOTS:
    void init() { m_home = std::make_unique<ui_test::TestHome>(); }
    void cleanup()
    {
        m_window.reset();
        m_home.reset();
    }

    void E3_onlyWhatDiffersIsShown()
    {
        openBoth();
        QTRY_COMPARE(row("run.name"), QStringLiteral("alpha|beta||"));
        const QAbstractItemModelTester tester(table()->model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(row("grad_norm, last"), QStringLiteral("0.025|0.01429|-0.01071|× 0.5714"));
        QCOMPARE(row("grad_norm at step 40"), QString());  // equal there
        QCOMPARE(row("optim.lr"), QString());
        box("Only what differs")->click();
        QCOMPARE(row("grad_norm at step 40"), QStringLiteral("0.025|0.025|0|× 1"));
        QVERIFY(!row("optim.lr").isEmpty());
        box("Only what differs")->click();
        auto* ignored = view()->findChild<QLineEdit*>();
        QTest::keyClicks(ignored, "run.*, grad_norm");
        QCOMPARE(row("run.name"), QString());
        QCOMPARE(row("grad_norm, last"), QString());
        QVERIFY(!row("loss, last").isEmpty());
        QTest::keyClicks(ignored, ", *");
        QVERIFY(!ui_test::emptySentence(*view()).isEmpty());
        QTRY_VERIFY(ui_test::button(*view(), "Show everything"));
        ui_test::button(*view(), "Show everything")->click();
        QVERIFY(!row("optim.lr").isEmpty());
    }

    void E3_theBaselineIsChosenAndKept()
    {
        openBoth();
        QTRY_COMPARE(row("grad_norm, last"), QStringLiteral("0.025|0.01429|-0.01071|× 0.5714"));
        auto* baseline = view()->findChild<QComboBox*>();
        QCOMPARE(baseline->currentText(), QStringLiteral("alpha"));
        baseline->setFocus();
        QTest::keyClick(baseline, Qt::Key_Down);
        QTRY_COMPARE(m_window->bench().selection.baseline(), kCompared);
        QCOMPARE(row("grad_norm, last"), QStringLiteral("0.025|+0.01071|× 1.75|0.01429"));
        QTRY_COMPARE(ui::Settings(m_home->home()).viewState("baseline"), kCompared.toUtf8());
        box("Differences and ratios")->click();
        QCOMPARE(row("grad_norm, last"), QStringLiteral("0.025|0.01429"));
        m_window.reset();
        open();
        QTRY_COMPARE(m_window->bench().selection.baseline(), kCompared);
        QTRY_COMPARE(row("grad_norm, last"), QStringLiteral("0.025|0.01429"));
    }

    void E3_theTableIsCopiedWithEveryDigit()
    {
        openBoth();
        QTRY_VERIFY(!row("run.name").isEmpty());
        ui_test::button(*view(), "Copy")->click();
        const QString text = QApplication::clipboard()->text();
        QVERIFY2(text.startsWith("what,alpha,beta,beta - alpha,beta / alpha\n"), qPrintable(text));
        QVERIFY2(text.contains("\n\"grad_norm, last\",0.025,0.014285714285714285,"), qPrintable(text));
        QVERIFY(!text.contains("optim.lr"));
    }

    void E3_aLiveRunIsComparedAnew()
    {
        openBoth();
        QTRY_VERIFY(!row("grad_norm, last").isEmpty());
        contract::RunFolder run(m_home->home().runs() / kCompared.toStdString());
        contract::JournalHeader header;
        header.run = run.id();
        contract::JournalWriter journal(run.journal(0), header);
        journal.begin(contract::record::kStep, 71).add(contract::metric::kGradNorm, 0.05);
        journal.commit();
        m_window->bench().store.catchUp(QString::fromStdString(run.root().string()));
        QTRY_COMPARE(row("grad_norm, last"), QStringLiteral("0.025|0.05|+0.025|× 2"));
    }

    void E3_oneRunCannotBeCompared()
    {
        openBoth();
        QTRY_VERIFY(!row("run.name").isEmpty());
        m_window->bench().selection.setDrawn(kBaseline, false);
        QTRY_VERIFY(ui_test::emptySentence(*view()).startsWith("Draw two or more runs"));
        m_window->bench().selection.setDrawn(kBaseline, true);
        QTRY_COMPARE(row("run.name"), QStringLiteral("beta|alpha||"));  // in the order in which they were drawn
    }

    void E3_plotsShowDifferencesFromTheBaseline()
    {
        openBoth();
        m_window->action("view.tab1")->trigger();
        auto* plots = (*m_window)->findChild<ui::PlotsView*>();
        const auto lines = [&] { return plots->panels().empty() ? 0 : int(plots->panels().front()->canvas().lines().size()); };
        QTRY_COMPARE(lines(), 2);
        QWidget& canvas = plots->panels().front()->canvas();
        canvas.setFocus();
        QTest::keyClick(&canvas, Qt::Key_D);
        QTRY_COMPARE(lines(), 1);
        const auto values = plots->panels().front()->canvas().lines().front().data->points.raw().values();
        QCOMPARE(values.size(), std::size_t(40));  // the steps that both have
        QCOMPARE(values.back(), 0.0);
        QTest::keyClick(&canvas, Qt::Key_D);
        QTRY_COMPARE(lines(), 2);
    }
};

ATELIER_UI_TEST_MAIN(WindowCompareTest)
#include "tst_window_compare.moc"
