// What the window shows is in sight on small screens, is read as it was written, and has names and keys of its own.
#include "engine/contract/run/annotations.h"
#include "engine/contract/run/journal_writer.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/launch/launch_window.h"
#include "ui/plot/plots_view.h"
#include "ui/runs/runs_view.h"

#include <QAbstractScrollArea>
#include <QAccessible>
#include <QDockWidget>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QScreen>
#include <QTextDocumentFragment>
#include <QTreeView>

using launcher::RunState;
using ui_test::OpenWindow;

class WindowAccessibilityTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<OpenWindow> m_window;

    /// Whether @p widget lies in an area that scrolls to it or in a dock behind another one's tab.
    static bool isReachedOtherwise(const QWidget& widget)
    {
        for (const QWidget* parent = widget.parentWidget(); parent; parent = parent->parentWidget())
            if (qobject_cast<const QAbstractScrollArea*>(parent)
                || (qobject_cast<const QDockWidget*>(parent) && parent->visibleRegion().isEmpty()))
                return true;
        return false;
    }

    static QStringList controlsOutOfSight(const QWidget& window)
    {
        QStringList found;
        for (const QWidget* control : window.findChildren<QWidget*>()) {
            const bool isControl = control->inherits("QAbstractButton") || control->inherits("QComboBox") || control->inherits("QLineEdit");
            if (!isControl || !control->isVisible() || control->window() != &window || isReachedOtherwise(*control))
                continue;
            const QRect there(control->mapTo(&window, QPoint()), control->size());
            if (!window.rect().contains(there) || control->visibleRegion().boundingRect().size() != control->size())
                found << QStringLiteral("%1 %2 %3 at %4, %5").arg(control->metaObject()->className(), control->objectName(), control->accessibleName()).arg(there.x()).arg(there.y());
        }
        return found;
    }

    void open() { m_window = std::make_unique<OpenWindow>(m_home->home()); }

private Q_SLOTS:
    void init() { m_home = std::make_unique<ui_test::TestHome>(); }

    void cleanup()
    {
        m_window.reset();
        QVERIFY(ui_test::endRuns(m_home->home()));
        m_home.reset();
    }

    void smallScreens_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::newRow("defect-43: 1024 x 700") << QSize(1024, 700);
        QTest::newRow("defect-43: 800 x 600") << QSize(800, 600);
        QTest::newRow("defect-43: 1600 x 1000 at 200 %") << QSize(800, 500);
    }
    /// The windows become as small as the screen, every control in them is in sight, and the runs show progress and loss.
    void smallScreens()
    {
        QFETCH(QSize, size);
        m_home->writeRun("done-20261121-100000-aaaa", 100, "finished");
        m_window = std::make_unique<OpenWindow>(m_home->home(), size);
        QTRY_COMPARE(m_window->stateOf("done-20261121-100000-aaaa"), std::optional(RunState::Finished));
        QTRY_VERIFY(!(*m_window)->findChild<ui::PlotsView*>()->panels().empty());
        ui::LaunchWindow& launch = (*m_window)->openLaunchWindow();
        QVERIFY(launch.width() <= launch.screen()->availableSize().width());
        QVERIFY(launch.height() <= launch.screen()->availableSize().height());
        for (QWidget* window : {static_cast<QWidget*>(&m_window->window()), static_cast<QWidget*>(&launch)}) {
            window->resize(size);
            QTRY_COMPARE(window->size(), size);
            QTRY_COMPARE(controlsOutOfSight(*window).join("; "), QString());
        }
        const auto* table = (*m_window)->runsView().findChild<QTreeView*>("runsTable");
        for (const int column : {ui::RunsModel::Progress, ui::RunsModel::Loss}) {
            const int right = table->header()->sectionViewportPosition(column) + table->header()->sectionSize(column);
            QVERIFY2(right <= table->viewport()->width(), qPrintable(QString::number(right)));
        }
        // In a wider dock the columns have their usual widths again.
        const int narrow = table->header()->sectionSize(ui::RunsModel::Name);
        (*m_window)->resize(1600, 900);
        (*m_window)->resizeDocks({static_cast<QDockWidget*>((*m_window)->runsView().parentWidget())}, {700}, Qt::Horizontal);
        QTRY_VERIFY(table->viewport()->width() > 650);
        QVERIFY(table->header()->sectionSize(ui::RunsModel::Name) >= narrow);
        QCOMPARE(table->header()->length(), table->viewport()->width());  // the names take what is left
        // Where a little room is missing, the progress gives way, and the names keep their width.
        const int digit = table->fontMetrics().horizontalAdvance('0');
        (*m_window)->resizeDocks({static_cast<QDockWidget*>((*m_window)->runsView().parentWidget())}, {57 * digit}, Qt::Horizontal);
        QTRY_VERIFY(table->viewport()->width() < 58 * digit && table->viewport()->width() > 52 * digit);
        QTRY_COMPARE(table->header()->sectionSize(ui::RunsModel::Name), 18 * digit);
        QVERIFY(table->header()->sectionSize(ui::RunsModel::Progress) < 13 * digit);
        // Where much is missing, short names and the state "Finished" are still whole.
        (*m_window)->resizeDocks({static_cast<QDockWidget*>((*m_window)->runsView().parentWidget())}, {43 * digit}, Qt::Horizontal);
        QTRY_VERIFY(table->viewport()->width() < 43 * digit && table->viewport()->width() >= 40 * digit);
        QTRY_VERIFY(table->header()->sectionSize(ui::RunsModel::Name) >= 12 * digit);
        QVERIFY(table->header()->sectionSize(ui::RunsModel::State) >= 10 * digit);
        QVERIFY(table->header()->length() <= table->viewport()->width());
        (*m_window)->resizeDocks({static_cast<QDockWidget*>((*m_window)->runsView().parentWidget())}, {700}, Qt::Horizontal);
        QTRY_VERIFY(table->viewport()->width() > 650);
        (*m_window)->runsView().columns().setColumnShown(ui::RunsModel::Age, true);
        QTRY_COMPARE(table->header()->length(), table->viewport()->width());
        QCOMPARE(table->header()->sectionSize(ui::RunsModel::State), 13 * table->fontMetrics().horizontalAdvance('0'));
    }

    void textFromOutsideIsShownAsItIs_data()
    {
        QTest::addColumn<QString>("name");
        QTest::newRow("defect-23: a tag") << "<b>bold</b>";
        QTest::newRow("defect-23: an image") << "a <img src='file:///etc/hostname'> b";
        QTest::newRow("defect-23: an entity") << "1 &lt; 2 &amp; 3";
    }
    void textFromOutsideIsShownAsItIs()
    {
        QFETCH(QString, name);
        const contract::RunFolder run = m_home->writeRun("odd-20261121-100000-aaaa", 10, "failed", "Cause: " + name.toStdString());
        contract::Annotations notes;
        notes.name = name.toStdString();
        contract::appendAnnotations(run.annotations(), {}, notes);
        const std::string metric = name.toStdString();
        contract::JournalHeader header;
        header.run = run.id();
        contract::JournalWriter(run.journal(0), header).begin(contract::record::kMetrics, 5).add(metric, 1.5).commit();
        open();
        QTRY_COMPARE(m_window->stateOf("odd-20261121-100000-aaaa"), std::optional(RunState::Failed));
        (*m_window)->findChild<ui::PlotsView*>()->chooseMetrics(std::set<std::string> {metric});
        const auto labels = [&] {
            int found = 0;
            for (const QLabel* label : (*m_window)->findChildren<QLabel*>()) {
                if (!label->isVisible() || !label->text().contains(name))
                    continue;
                ++found;
                if (label->textFormat() != Qt::PlainText)
                    return -1;
            }
            return found;
        };
        QTRY_VERIFY(labels() >= 3);  // the run's name, its cause, the plot's title
        const QModelIndex state = m_window->bench().runs.indexOf("odd-20261121-100000-aaaa", ui::RunsModel::State);
        const QString toolTip = state.data(Qt::ToolTipRole).toString();
        QCOMPARE(Qt::mightBeRichText(toolTip) ? QTextDocumentFragment::fromHtml(toolTip).toPlainText() : toolTip, "Cause: " + name);
    }

    /// A mnemonic that two entries of a menu share selects them in turn instead of running one.
    void mnemonicsAreUniqueInEachMenu()
    {
        open();
        QList<QMenu*> menus = (*m_window)->findChildren<QMenu*>();
        QVERIFY(menus.size() >= 4);
        for (const QMenu* menu : std::as_const(menus)) {
            QMap<QKeySequence, QString> used;
            for (const QAction* action : menu->actions()) {
                const QKeySequence key = QKeySequence::mnemonic(action->text());
                if (key.isEmpty())
                    continue;
                QVERIFY2(!used.contains(key), qPrintable(QStringLiteral("%1: %2, %3").arg(menu->title(), used.value(key), action->text())));
                used.insert(key, action->text());
            }
        }
    }

    void everyActionSaysWhatItIs()
    {
        open();
        for (const ui::ActionSpec& spec : m_window->bench().actions.specs())
            QVERIFY2(!spec.text.isEmpty(), qPrintable(spec.id));
    }

    void E11_everyControlHasAName()
    {
        open();
        (*m_window)->openLaunchWindow();
        QList<QWidget*> widgets = (*m_window)->findChildren<QWidget*>();
        widgets += (*m_window)->openLaunchWindow().findChildren<QWidget*>();
        int checked = 0;
        for (QWidget* widget : widgets) {
            if (widget->focusPolicy() == Qt::NoFocus || !widget->isVisible() || !widget->isEnabled())
                continue;
            QAccessibleInterface* const face = QAccessible::queryAccessibleInterface(widget);
            if (!face || face->role() == QAccessible::Client || qobject_cast<QAbstractScrollArea*>(widget->parent())
                || widget->inherits("QScrollArea"))
                continue;
            QVERIFY2(!face->text(QAccessible::Name).isEmpty(),
                qPrintable(QStringLiteral("%1 %2").arg(widget->metaObject()->className(), widget->objectName())));
            ++checked;
        }
        QVERIFY(checked > 10);
    }
};

ATELIER_UI_TEST_MAIN(WindowAccessibilityTest)
#include "tst_window_accessibility.moc"
