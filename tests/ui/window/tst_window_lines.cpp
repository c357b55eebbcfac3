// M7: the user chooses how the lines of runs are drawn, in the real window.
#include "engine/contract/run/annotations.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/base/appearance.h"
#include "ui/base/look.h"
#include "ui/compare/compare_model.h"
#include "ui/compare/compare_view.h"
#include "ui/plot/canvas/legend_bar.h"
#include "ui/plot/canvas/plot_panel.h"
#include "ui/plot/plots_view.h"
#include "ui/runs/line_dialog.h"
#include "ui/runs/runs_view.h"

#include <QAction>
#include <QApplication>
#include <QColorDialog>
#include <QContextMenuEvent>
#include <QDialogButtonBox>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QTest>
#include <QToolButton>
#include <QTreeView>

using contract::LineDash;
using contract::LineMarker;
using contract::RunLine;
using ui_test::OpenWindow;

namespace {

const QString kUpper = QStringLiteral("alpha-20261121-100000-aaaa");
const QString kLower = QStringLiteral("beta-20261121-100001-bbbb");
constexpr std::uint32_t kVermilion = 0xd55e00;

}  // namespace

class WindowLinesTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<OpenWindow> m_window;

    void open()
    {
        m_window = std::make_unique<OpenWindow>(m_home->home());
        QTRY_COMPARE(m_window->bench().runs.rowCount(), 2);
        QTRY_VERIFY(!m_window->bench().selection.drawn().isEmpty());
        m_window->bench().selection.setAllDrawn({kUpper, kLower});
        QTRY_COMPARE(lossLines().size(), std::size_t(2));
        QTRY_COMPARE(lossLines().front().data->key.run, kUpper.toStdString());
    }
    QTreeView* table() { return (*m_window)->runsView().findChild<QTreeView*>("runsTable"); }
    ui::LineDialog* dialog() { return (*m_window)->findChild<ui::LineDialog*>(); }
    RunLine lineOf(const QString& id) { return m_window->entry(id)->row.line; }
    RunLine writtenOf(const QString& id)
    {
        return contract::readAnnotations(contract::RunFolder(m_home->home().runs() / id.toStdString()).annotations()).line;
    }

    ui::PlotPanel* lossPlot()
    {
        for (ui::PlotPanel* panel : (*m_window)->findChild<ui::PlotsView*>()->panels()) {
            if (panel->group().id == "loss")
                return panel;
        }
        return nullptr;
    }
    std::vector<ui::DrawnLine> lossLines() { return lossPlot() ? lossPlot()->canvas().lines() : std::vector<ui::DrawnLine>(); }
    /// How the plot of the loss draws the run.
    RunLine drawnOf(const QString& id)
    {
        for (const ui::DrawnLine& line : lossLines()) {
            if (line.data->key.run == id.toStdString())
                return line.look.chosen;
        }
        return {.colour = 0x123456};
    }
    /// The colour of the run's line in the heading of its column in the tab Compare.
    QRgb comparedColour(int column)
    {
        auto* model = (*m_window)->findChild<ui::CompareModel*>();
        const QImage image = model->headerData(column, Qt::Horizontal, Qt::DecorationRole).value<QPixmap>().toImage();
        return image.isNull() ? 0 : image.pixelColor(image.width() / 2, image.height() / 2).rgb();
    }

    void choose(const QString& name)
    {
        for (QToolButton* button : dialog()->findChildren<QToolButton*>()) {
            if (button->accessibleName() == name)
                return QTest::mouseClick(button, Qt::LeftButton);
        }
        QFAIL(qPrintable(name));
    }
    QStringList chosen()
    {
        QStringList names;
        for (const QToolButton* button : dialog()->findChildren<QToolButton*>()) {
            if (button->isChecked())
                names << button->accessibleName();
        }
        return names;
    }
    void press(QDialogButtonBox::StandardButton which)
    {
        const QPointer<QDialog> open = dialog();
        QTest::mouseClick(dialog()->findChild<QDialogButtonBox*>()->button(which), Qt::LeftButton);
        QTRY_VERIFY(!open);
    }
    void openDialogForAll()
    {
        table()->setFocus();
        table()->selectAll();
        QTRY_VERIFY(m_window->action("run.line")->isEnabled());
        m_window->action("run.line")->trigger();
        QVERIFY(dialog());
        QVERIFY(QTest::qWaitForWindowActive(dialog()));
    }

private Q_SLOTS:
    void init()
    {
        m_home = std::make_unique<ui_test::TestHome>();
        m_home->writeRun(kUpper.toStdString(), 40, "finished");
        m_home->writeRun(kLower.toStdString(), 70, "finished");
        m_home->ingest();
        open();
    }
    void cleanup()
    {
        m_window.reset();
        m_home.reset();
        ui::applyAppearance(ui::Appearance::Light);
    }

    void M7_theLinesOfSeveralRunsAreChosenAndTheChoiceIsUndone()
    {
        openDialogForAll();
        QCOMPARE(chosen(), QStringList({"Automatic", "Automatic", "Automatic"}));
        choose(QStringLiteral("Vermilion"));
        choose(QStringLiteral("Dotted"));
        choose(QStringLiteral("Triangles"));
        press(QDialogButtonBox::Save);
        const RunLine wanted {.colour = kVermilion, .dash = LineDash::Dot, .marker = LineMarker::Triangle};
        for (const QString& id : {kUpper, kLower}) {
            QTRY_COMPARE(lineOf(id) == wanted, true);
            QTRY_COMPARE(drawnOf(id) == wanted, true);
            QVERIFY(writtenOf(id) == wanted);
        }
        const ui::RunsModel& runs = m_window->bench().runs;
        const auto look = runs.data(runs.indexOf(kUpper, ui::RunsModel::Drawn), ui::RunsModel::LookRole).value<ui::Look>();
        QVERIFY(look.chosen == wanted);
        m_window->action("view.tab4")->trigger();
        QTRY_COMPARE(comparedColour(1), ui::lineColour(look, qApp->palette()).rgb());

        QTRY_COMPARE(m_window->action("edit.undo")->text(), QStringLiteral("&Undo: change of the line"));
        m_window->action("edit.undo")->trigger();
        QTRY_VERIFY(lineOf(kUpper) == RunLine() && lineOf(kLower) == RunLine());
        QTRY_COMPARE(comparedColour(1), ui::lineColour(m_window->bench().selection.lookOf(kUpper), qApp->palette()).rgb());
        m_window->action("edit.redo")->trigger();
        QTRY_VERIFY(lineOf(kUpper) == wanted && lineOf(kLower) == wanted);
    }

    void M7_theChoiceIsThereInTheNextSession()
    {
        openDialogForAll();
        choose(QStringLiteral("Pink"));
        press(QDialogButtonBox::Save);
        QTRY_VERIFY(lineOf(kLower).colour.has_value());
        m_window.reset();
        open();
        QTRY_VERIFY(drawnOf(kUpper) == RunLine({.colour = 0xcc79a7}) && drawnOf(kLower) == RunLine({.colour = 0xcc79a7}));
        openDialogForAll();
        QCOMPARE(chosen(), QStringList({"Pink", "Automatic", "Automatic"}));
        QTest::mouseClick(ui_test::button(*dialog(), QStringLiteral("&All automatic")), Qt::LeftButton);
        QCOMPARE(chosen(), QStringList({"Automatic", "Automatic", "Automatic"}));
        press(QDialogButtonBox::Save);
        QTRY_VERIFY(drawnOf(kUpper) == RunLine() && drawnOf(kLower) == RunLine());
    }

    /// What differs between the runs stays different unless it is chosen anew.
    void M7_whatDiffersIsLeftAlone()
    {
        contract::Annotations own;
        own.line = {.colour = 0x00a0ff, .dash = LineDash::Dash};
        contract::appendAnnotations(contract::RunFolder(m_home->home().runs() / kUpper.toStdString()).annotations(), {}, own);
        m_window->action("view.readAgain")->trigger();
        QTRY_VERIFY(lineOf(kUpper) == own.line);
        openDialogForAll();
        QCOMPARE(chosen(), QStringList("Automatic"));  // the marker
        choose(QStringLiteral("Circles"));
        press(QDialogButtonBox::Save);
        QTRY_VERIFY(lineOf(kUpper) == RunLine({.colour = 0x00a0ff, .dash = LineDash::Dash, .marker = LineMarker::Circle}));
        QTRY_VERIFY(lineOf(kLower) == RunLine({.marker = LineMarker::Circle}));
    }

    void M7_aColourThatCannotBeSeenIsShownAdjustedAndKept_data()
    {
        QTest::addColumn<int>("appearance");
        QTest::addColumn<int>("colour");
        QTest::addColumn<QString>("note");
        QTest::newRow("M7 light") << int(ui::Appearance::Light) << 0xfff5a0 << "Drawn darker than chosen, so that it can be seen on this background.";
        QTest::newRow("M7 dark") << int(ui::Appearance::Dark) << 0x300010 << "Drawn lighter than chosen, so that it can be seen on this background.";
    }
    void M7_aColourThatCannotBeSeenIsShownAdjustedAndKept()
    {
        QFETCH(int, appearance);
        QFETCH(int, colour);
        QFETCH(QString, note);
        ui::applyAppearance(ui::Appearance(appearance));
        openDialogForAll();
        choose(QStringLiteral("Another colour…"));
        auto* picker = dialog()->findChild<QColorDialog*>();
        QVERIFY(picker);
        picker->reject();  // nothing is chosen by this
        QTRY_VERIFY(!dialog()->findChild<QColorDialog*>());
        QCOMPARE(chosen(), QStringList({"Automatic", "Automatic", "Automatic"}));
        choose(QStringLiteral("Another colour…"));
        picker = dialog()->findChild<QColorDialog*>();
        picker->setCurrentColor(QColor::fromRgb(QRgb(colour)));
        picker->accept();
        QTRY_COMPARE(dialog()->findChild<QLabel*>("lineNote")->text(), note);
        press(QDialogButtonBox::Save);
        QTRY_VERIFY(drawnOf(kUpper) == RunLine({.colour = std::uint32_t(colour)}));
        const QPalette palette = lossPlot()->canvas().palette();
        for (const ui::DrawnLine& line : lossLines())
            QVERIFY(ui::contrast(ui::drawnPen(line, palette).color(), palette.color(QPalette::Base)) >= 3.0);
    }

    void M7_theLegendsMenuIsAboutItsRun()
    {
        auto* legend = lossPlot()->findChild<ui::LegendBar*>();
        legend->grab();
        QContextMenuEvent event(QContextMenuEvent::Mouse, QPoint(6, 6), legend->mapToGlobal(QPoint(6, 6)));
        QApplication::sendEvent(legend, &event);
        auto* menu = legend->findChild<QMenu*>();
        QVERIFY(menu);
        menu->actions().front()->trigger();
        QVERIFY(dialog());
        QCOMPARE(dialog()->windowTitle(), QStringLiteral("Line of alpha"));
        choose(QStringLiteral("Diamonds"));
        press(QDialogButtonBox::Save);
        QTRY_VERIFY(drawnOf(kUpper) == RunLine({.marker = LineMarker::Diamond}));
        QVERIFY(lineOf(kLower) == RunLine());
    }
};

ATELIER_UI_TEST_MAIN(WindowLinesTest)
#include "tst_window_lines.moc"
