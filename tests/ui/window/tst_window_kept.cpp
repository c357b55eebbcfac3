// E5: what the user has set in the views other than the plots survives a restart of the window.
#include "engine/contract/run/journal_writer.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/gallery/gallery_view.h"
#include "ui/logs/log_model.h"
#include "ui/logs/logs_dock.h"

#include <QAbstractButton>
#include <QComboBox>
#include <QDockWidget>
#include <QHeaderView>
#include <QImage>
#include <QLineEdit>
#include <QMouseEvent>
#include <QSplitter>
#include <QTabWidget>

#include <fstream>

using ui_test::OpenWindow;

static const QString kAlpha = QStringLiteral("alpha-20261121-100000-aaaa");
static const QString kOther = QStringLiteral("beta-20261121-100001-bbbb");

class WindowKeptTest : public QObject {
    Q_OBJECT

    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<OpenWindow> m_window;

    void writeRun(const QString& id)
    {
        const contract::RunFolder run = m_home->writeRun(id.toStdString(), 40, "finished");
        std::filesystem::create_directories(run.logs());
        for (const char* file : {"rank-0.log", "rank-1.log"})
            std::ofstream(run.logs() / file) << "2026-11-21T10:00:00.000Z [info] a line of " << file << '\n';
        contract::JournalHeader header;
        header.run = run.id();
        contract::JournalWriter journal(run.journal(0), header);
        for (const std::int64_t step : {10, 20, 30}) {
            for (const char* prompt : {"a red heart", "a blue cube"}) {
                const std::string file = "samples/" + std::to_string(step) + prompt[2] + ".png";
                QImage image(8, 8, QImage::Format_RGB32);
                image.fill(Qt::red);
                QVERIFY(image.save(QString::fromStdString((run.root() / file).string())));
                journal.begin(contract::record::kSample, step)
                    .add("file", file)
                    .add("prompt", prompt)
                    .add("seed", std::int64_t {7})
                    .add("guidance", 2.5)
                    .add("weights", "ema")
                    .commit();
            }
        }
    }
    void open(const QString& run = kAlpha)
    {
        m_window.reset();
        m_window = std::make_unique<OpenWindow>(m_home->home());
        QTRY_COMPARE(m_window->bench().runs.rowCount(), 2);
        m_window->bench().selection.setAllDrawn({kAlpha, kOther});
        m_window->bench().selection.setInspected(run);
        QTRY_VERIFY(m_window->bench().selection.inspected() == run);
    }
    /// The controls that are kept, by the names of their views and their own.
    QMap<QString, QWidget*> kept()
    {
        QMap<QString, QWidget*> controls;
        for (QWidget* const control : (*m_window)->findChildren<QWidget*>()) {
            const QString name = control->property("keptAs").toString();
            if (!name.isEmpty())
                controls.insert(QString::fromLatin1(viewOf(*control)) + QLatin1Char('/') + name, control);
        }
        return controls;
    }
    static const char* viewOf(const QWidget& control)
    {
        for (const QWidget* parent = control.parentWidget(); parent; parent = parent->parentWidget()) {
            const char* const name = parent->metaObject()->className();
            for (const char* view : {"ui::LogsDock", "ui::GalleryView", "ui::DataView", "ui::CheckpointsView", "ui::CompareView", "ui::StepsView", "ui::Inspector"}) {
                if (qstrcmp(name, view) == 0)
                    return view + 4;
            }
        }
        return "";
    }
    static QString valueOf(const QWidget* control)
    {
        if (auto* const box = qobject_cast<const QComboBox*>(control))
            return box->currentText();
        if (auto* const edit = qobject_cast<const QLineEdit*>(control))
            return edit->text();
        if (auto* const button = qobject_cast<const QAbstractButton*>(control))
            return QVariant(button->isChecked()).toString();
        if (auto* const tabs = qobject_cast<const QTabWidget*>(control))
            return QString::number(tabs->currentIndex());
        if (auto* const header = qobject_cast<const QHeaderView*>(control))
            return QStringLiteral("%1 %2").arg(header->sortIndicatorSection()).arg(header->sortIndicatorOrder());
        return {};
    }
    /// Sets it to something else, if it can be.
    static void change(QWidget* control)
    {
        if (auto* const box = qobject_cast<QComboBox*>(control))
            box->setCurrentIndex(box->count() - 1);
        else if (auto* const edit = qobject_cast<QLineEdit*>(control))
            edit->setText(QStringLiteral("line"));
        else if (auto* const button = qobject_cast<QAbstractButton*>(control); button && !button->autoExclusive())
            button->setChecked(!button->isChecked());
        else if (auto* const tabs = qobject_cast<QTabWidget*>(control))
            tabs->setCurrentIndex(2);
        else if (auto* const header = qobject_cast<QHeaderView*>(control))
            header->setSortIndicator(1, Qt::AscendingOrder);
    }

private Q_SLOTS:
    void init()
    {
        m_home = std::make_unique<ui_test::TestHome>();
        writeRun(kAlpha);
        writeRun(kOther);
        m_home->ingest();
    }
    void cleanup()
    {
        m_window.reset();
        m_home.reset();
    }

    void E5_whatIsSetInTheViewsSurvivesARestart()
    {
        open();
        auto* const files = qobject_cast<QComboBox*>(kept().value(QStringLiteral("LogsDock/file")));
        QVERIFY(files);
        QTRY_COMPARE(files->count(), 3);  // all, and two ranks
        const QMap<QString, QWidget*> controls = kept();
        const QStringList names = controls.keys();
        for (QWidget* const control : controls)
            change(control);
        QCOMPARE(names.join(QLatin1Char(' ')),
            QStringLiteral("CheckpointsView/order CheckpointsView/splitter CompareView/deltas CompareView/ignored CompareView/onlyDifferent "
                           "DataView/bucket DataView/kind DataView/splitter DataView/text GalleryView/beside GalleryView/ofModel GalleryView/ofRounds "
                           "GalleryView/realPixels GalleryView/splitter Inspector/filter Inspector/tab LogsDock/file LogsDock/level LogsDock/regex "
                           "LogsDock/search StepsView/quantity StepsView/rank StepsView/splitter StepsView/what"));
        QMap<QString, QString> values;
        for (const QString& name : names)
            values.insert(name, valueOf(controls.value(name)));
        QCOMPARE(values.value(QStringLiteral("LogsDock/file")), QStringLiteral("rank 1"));
        QCOMPARE(values.value(QStringLiteral("GalleryView/beside")), QStringLiteral("Beside beta"));

        open();
        for (const QString& name : names)
            QTRY_VERIFY2(valueOf(kept().value(name)) == values.value(name), qPrintable(name + ": " + valueOf(kept().value(name))));
        // They do what they say.
        ui::LogsDock& logs = (*m_window)->logs();
        QCOMPARE(logs.model().filter().text, QStringLiteral("line"));
        QVERIFY(logs.model().filter().isRegex);
        QTRY_COMPARE(logs.model().files().size(), std::size_t(1));
        QVERIFY(logs.model().files().front().ends_with("rank-1.log"));
    }

    void E5_theEdgesBetweenPartsOfAViewStayWhereTheyAre()
    {
        open();
        (*m_window)->tabs().setCurrentIndex(1);
        auto* splitter = qobject_cast<QSplitter*>(kept().value(QStringLiteral("GalleryView/splitter")));
        QTRY_VERIFY(splitter->isVisible());
        const int before = splitter->sizes().front();
        QTest::mousePress(splitter->handle(1), Qt::LeftButton, {}, QPoint(2, 40));
        QTest::mouseMove(splitter->handle(1), QPoint(-100, 40));
        QTest::mouseRelease(splitter->handle(1), Qt::LeftButton, {}, QPoint(2, 40));
        const QList<int> moved = splitter->sizes();
        QVERIFY2(moved.front() < before - 50, qPrintable(QString::number(moved.front())));
        open();
        splitter = qobject_cast<QSplitter*>(kept().value(QStringLiteral("GalleryView/splitter")));
        QTRY_COMPARE(splitter->sizes(), moved);
    }

    void E5_docksGetBackTheWidthsThatANarrowWindowTook()
    {
        const QSize wide(1584, 960), narrow(800, 500);
        const auto reopen = [this](QSize size) {
            m_window.reset();
            m_window = std::make_unique<OpenWindow>(m_home->home(), size);
        };
        const auto dock = [this](const char* name) { return (*m_window)->findChild<QDockWidget*>(name); };
        const auto widths = [&] { return QSize(dock("runsDock")->width(), dock("inspectorDock")->width()); };
        reopen(wide);
        QTRY_COMPARE(m_window->bench().runs.rowCount(), 2);
        QSize before = widths();
        (*m_window)->resize(narrow);
        QTRY_VERIFY(widths().width() < before.width() && widths().height() < before.height());
        (*m_window)->resize(wide);
        QTRY_COMPARE(widths(), before);

        // What the user drags stays, in the next session, too.
        const auto send = [this](QEvent::Type type, QPoint at, Qt::MouseButtons buttons) {
            QMouseEvent event(type, at, (*m_window)->mapToGlobal(at), Qt::LeftButton, buttons, {});
            QCoreApplication::sendEvent(&m_window->window(), &event);
        };
        const QPoint edge(dock("runsDock")->geometry().right() + 2, dock("runsDock")->geometry().center().y());
        QVERIFY((*m_window)->isSeparator(edge));
        send(QEvent::MouseButtonPress, edge, Qt::LeftButton);
        send(QEvent::MouseMove, edge - QPoint(60, 0), Qt::LeftButton);
        QTRY_COMPARE(widths().width(), before.width() - 60);
        send(QEvent::MouseButtonRelease, edge - QPoint(60, 0), {});
        before = widths();
        (*m_window)->resize(narrow);
        QTRY_VERIFY(widths().width() < before.width());
        (*m_window)->resize(1000, 720);
        QTRY_VERIFY(widths().height() < before.height());
        (*m_window)->close();
        reopen(wide);
        QTRY_COMPARE(widths(), before);
        (*m_window)->resize(narrow);
        QTRY_VERIFY(widths().width() < before.width());
        (*m_window)->close();
        reopen(narrow);
        (*m_window)->resize(wide);
        QTRY_COMPARE(widths(), before);
    }

    void E5_theSampleThatWasLookedAtIsCurrentAgain()
    {
        open();
        (*m_window)->tabs().setCurrentIndex(1);
        auto* view = (*m_window)->findChild<ui::GalleryView*>();
        QTRY_COMPARE(view->grid().grid().rows(), 3);
        QCOMPARE(view->grid().currentRow(), 2);
        view->grid().setCurrent(1, 1);
        open();
        view = (*m_window)->findChild<ui::GalleryView*>();
        QTRY_COMPARE(view->grid().grid().rows(), 3);
        QTRY_VERIFY(view->grid().currentRow() == 1 && view->grid().currentColumn() == 1);
        // Not in another run, whose newest samples are shown; nor is a place in the newest row kept, which moves on.
        m_window->bench().selection.setInspected(kOther);
        QTRY_COMPARE(view->grid().runId(), kOther);
        QCOMPARE(view->grid().currentRow(), 2);
        open();
        view = (*m_window)->findChild<ui::GalleryView*>();
        QTRY_COMPARE(view->grid().grid().rows(), 3);
        QCOMPARE(view->grid().currentRow(), 2);
    }

    void E5_aChoiceWaitsForTheRunThatOffersIt()
    {
        open();
        auto* files = qobject_cast<QComboBox*>(kept().value(QStringLiteral("LogsDock/file")));
        QTRY_COMPARE(files->count(), 3);
        files->setCurrentIndex(2);
        std::filesystem::remove(m_home->home().runs() / kOther.toStdString() / "logs" / "rank-1.log");
        open(kOther);
        files = qobject_cast<QComboBox*>(kept().value(QStringLiteral("LogsDock/file")));
        QTRY_COMPARE(files->count(), 2);
        QCOMPARE(files->currentIndex(), 0);
        m_window->bench().selection.setInspected(kAlpha);
        QTRY_COMPARE(files->currentText(), QStringLiteral("rank 1"));
    }
};

ATELIER_UI_TEST_MAIN(WindowKeptTest)
#include "tst_window_kept.moc"
