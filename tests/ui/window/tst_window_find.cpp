// E11: finding, sorting and menus by keys, in the view that has the focus.
#include "engine/contract/run/journal_writer.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/access/find_bar.h"
#include "ui/gallery/gallery_view.h"
#include "ui/logs/log_view.h"
#include "ui/logs/logs_dock.h"
#include "ui/plot/plots_view.h"
#include "ui/runs/runs_view.h"

#include <QApplication>
#include <QDockWidget>
#include <QImage>
#include <QLineEdit>
#include <QMenu>
#include <QTabWidget>
#include <QTreeView>

#include <fstream>

using ui_test::OpenWindow;

namespace {

const QString kSearched = QStringLiteral("digits-20261121-100000-aaaa");

}  // namespace

class WindowFindTest : public QObject {
    Q_OBJECT

    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<OpenWindow> m_window;

    QWidget& dock(const char* name)
    {
        auto* const found = (*m_window)->findChild<QDockWidget*>(QLatin1String(name));
        found->raise();
        return *found;
    }
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) { QTest::keyClick(&m_window->window(), key, modifiers); }
    QString focusedName() const { return QApplication::focusWidget() ? QApplication::focusWidget()->accessibleName() : QString(); }

private Q_SLOTS:
    void init()
    {
        m_home = std::make_unique<ui_test::TestHome>();
        m_home->writeRun("another-20261121-100000-bbbb", 5, "finished");
        const contract::RunFolder run = m_home->writeRun(kSearched.toStdString(), 5, "finished");
        std::ofstream log(run.log(0), std::ios::app);
        for (int line = 0; line < 40; ++line)
            log << "2026-11-21 10:00:" << 10 + line << ".000 [info] " << (line % 10 == 0 ? "needle" : "hay") << ' ' << line << '\n';
        log.close();
        contract::JournalHeader header;
        header.run = run.id();
        contract::JournalWriter journal(run.journal(0), header);
        for (const char* const prompt : {"a red heart", "a blue cube", "a red cube"}) {
            const std::string file = "samples/" + std::string(prompt) + ".png";
            QImage image(1200, 900, QImage::Format_RGB32);
            for (int y = 0; y < image.height(); ++y)
                for (int x = 0; x < image.width(); ++x)
                    image.setPixel(x, y, qRgb(x % 256, y % 256, 40));
            QVERIFY(image.save(QString::fromStdString((run.root() / file).string())));
            journal.begin(contract::record::kSample, 5).add("file", file).add("prompt", prompt).add("seed", std::int64_t {7}).add("guidance", 2.5).add("weights", "ema").commit();
        }
        m_home->ingest();
        m_window = std::make_unique<OpenWindow>(m_home->home());
        (*m_window)->openRun(kSearched);
        QVERIFY(m_window->becomes(kSearched, launcher::RunState::Finished));
        QTRY_COMPARE((*m_window)->logs().model().count(), 40);
        QTRY_COMPARE(QApplication::activeWindow(), &m_window->window());
    }

    void cleanup()
    {
        m_window.reset();
        m_home.reset();
    }

    void E11_CtrlFGoesToTheFieldOfTheView_data()
    {
        QTest::addColumn<int>("tab");
        QTest::addColumn<QByteArray>("dock");
        QTest::addColumn<QString>("view");
        QTest::addColumn<QString>("field");
        QTest::newRow("logs") << 0 << QByteArray("logsDock") << "Log lines" << "Search in logs";
        QTest::newRow("events") << 0 << QByteArray("eventsDock") << "Events" << "Find";
        QTest::newRow("runs") << 0 << QByteArray("runsDock") << "Runs" << "Filter runs";
        QTest::newRow("metrics") << 0 << QByteArray("metricsDock") << "Metrics" << "Find metrics";
        QTest::newRow("samples") << 1 << QByteArray() << "Samples" << "Find";
    }
    void E11_CtrlFGoesToTheFieldOfTheView()
    {
        QFETCH(int, tab);
        QFETCH(QByteArray, dock);
        QFETCH(QString, view);
        QFETCH(QString, field);
        (*m_window)->tabs().setCurrentIndex(tab);
        QWidget& place = dock.isEmpty() ? *(*m_window)->tabs().currentWidget() : this->dock(dock.constData());
        QWidget* shown = nullptr;
        const auto isShown = [&] {
            for (QWidget* each : place.findChildren<QWidget*>()) {
                if (each->accessibleName() == view && each->isVisible() && each->focusPolicy() != Qt::NoFocus)
                    shown = each;
            }
            return shown != nullptr;
        };
        QTRY_VERIFY(isShown());
        shown->setFocus();
        press(Qt::Key_F, Qt::ControlModifier);
        QCOMPARE(focusedName(), field);
    }

    void E11_F3GoesThroughTheLinesThatWereFound()
    {
        dock("logsDock");
        ui::LogView& view = (*m_window)->logs().view();
        view.setFocus();
        press(Qt::Key_F3);  // nothing is typed yet
        QCOMPARE(focusedName(), QString("Search in logs"));
        QTest::keyClicks(QApplication::focusWidget(), "needle");
        QTRY_COMPARE((*m_window)->logs().model().count(), 4);
        const qsizetype before = view.currentRow();
        press(Qt::Key_F3);
        QCOMPARE(view.currentRow(), (before + 1) % 4);
        press(Qt::Key_F3, Qt::ShiftModifier);
        press(Qt::Key_F3, Qt::ShiftModifier);
        QCOMPARE(view.currentRow(), (before + 3) % 4);
    }

    void E11_promptsAreFound()
    {
        (*m_window)->tabs().setCurrentIndex(1);
        auto& gallery = *(*m_window)->findChild<ui::GalleryView*>();
        QTRY_VERIFY(gallery.grid().currentSample());
        gallery.grid().setFocus();
        press(Qt::Key_F, Qt::ControlModifier);
        QTest::keyClicks(QApplication::focusWidget(), "CUBE");
        QTRY_COMPARE(gallery.grid().currentSample()->prompt, std::string("a blue cube"));
        press(Qt::Key_F3);
        QTRY_COMPARE(gallery.grid().currentSample()->prompt, std::string("a red cube"));
        press(Qt::Key_F3);
        QTRY_COMPARE(gallery.grid().currentSample()->prompt, std::string("a blue cube"));
        auto* const bar = gallery.findChild<ui::FindBar*>();
        QTest::keyClicks(QApplication::focusWidget(), "oid");
        QTRY_COMPARE(bar->note(), QString("Not found."));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
        QVERIFY(!bar->isVisible());
    }

    void E11_tablesAreSortedByKeys()
    {
        auto* const table = (*m_window)->runsView().findChild<QTreeView*>("runsTable");
        QTRY_COMPARE(table->model()->rowCount(), 2);
        table->setFocus();
        press(Qt::Key_O, Qt::ControlModifier | Qt::ShiftModifier);
        auto* const menu = table->findChild<QMenu*>("sortMenu");
        QVERIFY(menu && menu->isVisible());
        QAction* name = nullptr;
        for (QAction* action : menu->actions()) {
            if (action->text().startsWith((*m_window)->runsView().findChild<QTreeView*>("runsTable")->model()->headerData(ui::RunsModel::Name, Qt::Horizontal).toString()))
                name = action;
        }
        QVERIFY(name);
        menu->setActiveAction(name);
        QTest::keyClick(menu, Qt::Key_Return);
        QCOMPARE(table->model()->index(0, ui::RunsModel::Name).data().toString(), QString("another"));
        press(Qt::Key_O, Qt::ControlModifier | Qt::ShiftModifier);
        auto* const again = table->findChildren<QMenu*>("sortMenu").last();
        QVERIFY(again->activeAction() && again->activeAction()->text().contains("ascending"));
        QTest::keyClick(again, Qt::Key_Return);
        QCOMPARE(table->model()->index(0, ui::RunsModel::Name).data().toString(), QString("digits"));
    }

    void E11_ShiftF10OpensTheMenuOfTheCurrentRow()
    {
        auto* const table = (*m_window)->runsView().findChild<QTreeView*>("runsTable");
        QTRY_COMPARE(table->model()->rowCount(), 2);
        table->setFocus();
        table->setCurrentIndex(table->model()->index(1, 0));
        QTest::keyClick(table, Qt::Key_F10, Qt::ShiftModifier);
        QTRY_VERIFY(QApplication::activePopupWidget());
        const QPoint row = table->viewport()->mapToGlobal(table->visualRect(table->currentIndex()).center());
        QVERIFY(qAbs(QApplication::activePopupWidget()->pos().y() - row.y()) < 400);
        QApplication::activePopupWidget()->close();
    }

    void E11_aPictureLargerThanItsViewIsMovedByKeys()
    {
        (*m_window)->tabs().setCurrentIndex(1);
        auto& gallery = *(*m_window)->findChild<ui::GalleryView*>();
        QTRY_VERIFY(gallery.grid().currentSample());
        gallery.grid().setFocus();
        QTest::keyClick(&gallery.grid(), Qt::Key_Space);
        ui::ImageView& image = gallery.image();
        QTRY_VERIFY(image.hasFocus() && !image.target().isEmpty());
        const std::string prompt = gallery.grid().currentSample()->prompt;
        QTest::keyClick(&image, Qt::Key_1);
        QVERIFY(image.target().width() > image.width());
        const QRectF before = image.target();
        QTest::keyClick(&image, Qt::Key_Right);
        QVERIFY(image.target().left() < before.left());
        QTest::keyClick(&image, Qt::Key_Home);
        QCOMPARE(image.target().topLeft(), QPointF(0, 0));
        QTest::keyClick(&image, Qt::Key_Left);  // no further
        QCOMPARE(image.target().topLeft(), QPointF(0, 0));
        QTest::keyClick(&image, Qt::Key_Right);  // back at once
        QVERIFY(image.target().left() < 0);
        QTest::keyClick(&image, Qt::Key_End);
        QCOMPARE(image.target().right(), double(image.width()));
        QCOMPARE(gallery.grid().currentSample()->prompt, prompt);
        // With Ctrl, and when all of the picture is in sight, the arrows go to other samples.
        QTest::keyClick(&image, Qt::Key_Right, Qt::ControlModifier);
        QTRY_VERIFY(gallery.grid().currentSample()->prompt != prompt);
        QTest::keyClick(&image, Qt::Key_1);
        QTest::keyClick(&image, Qt::Key_Left);
        QTRY_COMPARE(gallery.grid().currentSample()->prompt, prompt);
    }
};

ATELIER_UI_TEST_MAIN(WindowFindTest)
#include "tst_window_find.moc"
