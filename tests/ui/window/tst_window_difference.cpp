// N11: the difference of two checkpoints, from the tab Checkpoints.
#include "tests/engine/contract/formats/small_safetensors.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/checkpoint/checkpoint_model.h"
#include "ui/checkpoint/checkpoints_view.h"
#include "ui/checkpoint/difference_dialog.h"
#include "ui/checkpoint/difference_model.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QLineEdit>
#include <QTableView>
#include <QToolButton>

#include <filesystem>

using ui_test::OpenWindow;

namespace {

tests::Tensors weights(float drift)
{
    return {{{"blocks.0.attn.weight", "F32", {4}}, {3, 0, 4, 0}}, {{"blocks.0.mlp.weight", "F32", {2}}, {1, 1 + drift}},
        {{"blocks.1.attn.weight", "F32", {4}}, {3, 0, 4, 5 * drift}}, {{"out.bias", "F32", {1}}, {2}}};
}

}  // namespace

class WindowDifferenceTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<contract::RunFolder> m_run;
    std::unique_ptr<OpenWindow> m_window;

    ui::CheckpointsView& view() { return *(*m_window)->findChild<ui::CheckpointsView*>(); }
    QToolButton& button(const QString& text)
    {
        for (QToolButton* each : view().findChildren<QToolButton*>())
            if (each->text() == text)
                return *each;
        qFatal("there is no button %s", qPrintable(text));
    }
    ui::DifferenceDialog& dialog() { return *view().findChild<ui::DifferenceDialog*>(); }
    QStringList row(int row)
    {
        QStringList cells;
        const QAbstractItemModel& model = *dialog().table().model();
        for (int column = 0; column < model.columnCount(); ++column)
            cells << model.index(row, column).data().toString();
        return cells;
    }
    /// Opens the window on the run, selects these rows of the table and presses Compare….
    void compare(std::initializer_list<int> rows)
    {
        m_window = std::make_unique<OpenWindow>(m_home->home());
        (*m_window)->openRun(QString::fromStdString(m_run->id()));
        (*m_window)->tabs().setCurrentIndex(2);
        QTRY_COMPARE(view().model().rowCount(), 3);
        QTRY_VERIFY(view().table().selectionModel()->hasSelection());
        QVERIFY(!button("Compare…").isEnabled());
        view().table().sortByColumn(0, Qt::AscendingOrder);
        view().table().clearSelection();
        for (const int row : rows)
            view().table().selectionModel()->select(view().table().model()->index(row, 0), QItemSelectionModel::Select | QItemSelectionModel::Rows);
        QVERIFY(button("Compare…").isEnabled());
        QTest::mouseClick(&button("Compare…"), Qt::LeftButton);
    }

private Q_SLOTS:
    void init()
    {
        m_home = std::make_unique<ui_test::TestHome>();
        m_run = std::make_unique<contract::RunFolder>(m_home->writeRun("digits-20261121-100000-aaaa", 300, "finished"));
        tests::writeCheckpoint(m_run->checkpoint(100), weights(0), {});
        tests::writeCheckpoint(m_run->checkpoint(200), weights(1), {});
        tests::Tensors grown = weights(1);
        grown.push_back({{"extra", "F32", {2, 3}}, std::vector<float>(6, 1)});
        tests::writeCheckpoint(m_run->checkpoint(300), grown, {});
        m_home->ingest();
    }

    void cleanup()
    {
        m_window.reset();
        m_home.reset();
    }

    void N11_layersAreShownByHowMuchTheyDiffer()
    {
        compare({0, 1});
        QTRY_COMPARE(dialog().table().model()->rowCount(), 3);
        QAbstractItemModelTester tester(dialog().table().model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(dialog().windowTitle(), QStringLiteral("From step-100 to step-200 of digits-20261121-100000-aaaa"));
        // ‖(3, 0, 4, 0)‖ is 5, and so is the difference.
        QCOMPARE(row(0), QStringList({"blocks.1", "4", "25.0 %", "5", "2.5", "1", ""}));
        QCOMPARE(row(1), QStringList({"blocks.0", "6", "16.7 %", "1", "0.4082", "0.1925", ""}));
        QCOMPARE(row(2), QStringList({"out", "1", "0.0 %", "0", "0", "0", ""}));
        QCOMPARE(dialog().summary(), QStringLiteral("2 of 11 values changed; the largest change is 5, the relative one 0.6814. 2 tensors are unchanged."));
    }

    void N11_tensorsAreShownAndFiltered()
    {
        compare({0, 2});
        QTRY_COMPARE(dialog().table().model()->rowCount(), 4);
        QCOMPARE(row(0), QStringList({"extra", "", "", "", "", "", "only in the second"}));
        dialog().findChildren<QComboBox*>().at(0)->setCurrentIndex(1);
        QCOMPARE(dialog().table().model()->rowCount(), 5);
        QCOMPARE(row(1), QStringList({"blocks.1.attn.weight", "4", "25.0 %", "5", "2.5", "1", ""}));
        auto* const filter = dialog().findChild<QLineEdit*>();
        QTest::keyClicks(filter, "MLP\r");
        QCOMPARE(dialog().table().model()->rowCount(), 1);
        QCOMPARE(row(0).front(), QStringLiteral("blocks.0.mlp.weight"));
        QTest::keyClicks(filter, "x");
        QCOMPARE(ui_test::emptySentence(dialog()), QStringLiteral("No name matches the filter."));
    }

    void N11_equalCheckpointsAndMissingAveragesAreSaid()
    {
        tests::writeCheckpoint(m_run->checkpoint(200), weights(0), {});
        compare({0, 1});
        QTRY_COMPARE(dialog().summary(), QStringLiteral("All 11 values are equal."));
        dialog().findChildren<QComboBox*>().at(1)->setCurrentIndex(1);
        QTRY_VERIFY2(ui_test::errorSentence(dialog()).contains("step-100: holds no moving average of the weights"), qPrintable(ui_test::errorSentence(dialog())));
        QCOMPARE(dialog().summary(), QString());
    }
};

ATELIER_UI_TEST_MAIN(WindowDifferenceTest)
#include "tst_window_difference.moc"
