// E17: the manual of a window that speaks German.
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/manual_pages.h"
#include "tests/ui/window/open_window.h"
#include "ui/language/language.h"
#include "ui/launch/launch_window.h"
#include "ui/manual/manual_window.h"

#include <QApplication>
#include <QDockWidget>
#include <QKeySequence>
#include <QLineEdit>
#include <QRegularExpression>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBlock>
#include <QTextBrowser>

using ui_test::manualFolder;
using ui_test::openedManual;
using ui_test::OpenWindow;
using ui_test::pageText;

namespace {

QString headingOf(ui::ManualWindow& window) { return window.text().document()->firstBlock().text(); }

void follow(ui::ManualWindow& window, const char* link) { Q_EMIT window.text().anchorClicked(QUrl(link)); }

/// The pictures that the page shows; 0 also counts one that could not be read.
QList<int> widthsOfPictures(ui::ManualWindow& window)
{
    QList<int> widths;
    const QTextDocument& page = *window.text().document();
    for (QTextBlock block = page.begin(); block.isValid(); block = block.next()) {
        for (auto place = block.begin(); !place.atEnd(); ++place) {
            if (const QTextImageFormat picture = place.fragment().charFormat().toImageFormat(); picture.isValid())
                widths << page.resource(QTextDocument::ImageResource, page.baseUrl().resolved(QUrl(picture.name()))).value<QImage>().width();
        }
    }
    return widths;
}

}  // namespace

class WindowManualGermanTest : public QObject {
    Q_OBJECT

    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<OpenWindow> m_window;

private Q_SLOTS:
    void initTestCase()
    {
        ui::speakLanguage("de");
        QCOMPARE(ui::spokenLanguage(), QString("de"));
        m_home = std::make_unique<ui_test::TestHome>();
        m_home->writeRun("digits-20261121-100000-aaaa", 20, "finished");
        m_home->ingest();
        m_window = std::make_unique<OpenWindow>(m_home->home());
    }
    void cleanupTestCase()
    {
        m_window.reset();
        m_home.reset();
    }

    void E17_f1OpensTheGermanPage_data()
    {
        QTest::addColumn<QString>("place");
        QTest::addColumn<QString>("page");
        QTest::addColumn<QString>("heading");
        const auto row = [](const char* place, const char* page, const char* heading) { QTest::addRow("E17 %s", place) << place << page << QString::fromUtf8(heading); };
        row("tab 0", "plots", "Kurven");
        row("tab 3", "compare", "Vergleich");
        row("tab 4", "data", "Daten");
        row("runsDock", "runs", "Die Liste der Läufe");
        row("inspectorDock", "inspector", "Der Inspektor");
        row("logsDock", "logs", "Logs und Ereignisse");
        row("queueDock", "queue", "Warteschlange");
        row("launch window", "launch", "Das Startfenster");
    }
    void E17_f1OpensTheGermanPage()
    {
        QFETCH(QString, place);
        ui::MainWindow& main = m_window->window();
        QWidget* window = &main;
        if (place == "launch window") {
            window = &main.openLaunchWindow();
        } else {
            main.activateWindow();
            QWidget* pane = nullptr;
            if (place.startsWith("tab")) {
                main.tabs().setCurrentIndex(place.last(1).toInt());
                pane = main.tabs().currentWidget();
            } else {
                auto* dock = main.findChild<QDockWidget*>(place);
                dock->raise();
                pane = dock->widget();
            }
            pane->setFocusPolicy(Qt::StrongFocus);
            pane->setFocus();
        }
        QVERIFY(QTest::qWaitForWindowActive(window));
        QTRY_VERIFY(QApplication::focusWidget());
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_F1);
        QTRY_VERIFY(openedManual());
        QTEST(openedManual()->page(), "page");
        QTEST(headingOf(*openedManual()), "heading");
        openedManual()->close();
        if (window != &main)
            window->close();
    }

    void E17_menusThatPagesNameAreThere()
    {
        const ui_test::NamedEntries german = ui_test::entriesNamed(manualFolder("de"), m_window->window());
        QVERIFY2(german.missing.isEmpty(), qPrintable(german.missing.join('\n')));
        QVERIFY(german.found > 10);
        qsizetype named = 0, namedInEnglish = 0;
        for (const QString& page : manualFolder("en").entryList({"*.md"})) {
            named += pageText(manualFolder("de"), page).count("* › *");
            namedInEnglish += pageText(manualFolder("en"), page).count("* › *");
        }
        QCOMPARE(named, namedInEnglish);
    }

    /// As menus show them: `Strg+Z`.
    void E17_keysAreThoseThatTheWindowShows()
    {
        if (QKeySequence("Ctrl+A").toString(QKeySequence::NativeText) != "Strg+A")
            QSKIP("Qt's own German texts are not installed (Debian's package qt6-translations-l10n).");
        int found = 0;
        const QRegularExpression key("`((?:(?:Ctrl|Shift|Alt)\\+)+[^`]+|Del)`");
        for (const QString& page : manualFolder("en").entryList({"*.md"})) {
            const QString german = pageText(manualFolder("de"), page);
            for (const QRegularExpressionMatch& match : key.globalMatch(pageText(manualFolder("en"), page))) {
                QString keys = match.captured(1);
                const QChar last = keys.back();
                if (last.unicode() > 127)  // an arrow
                    keys.back() = 'X';
                QString shown = QKeySequence(keys).toString(QKeySequence::NativeText);
                QVERIFY2(!shown.isEmpty(), qPrintable(page + ": " + match.captured(0)));
                if (last.unicode() > 127)
                    shown.back() = last;
                QVERIFY2(german.contains('`' + shown + '`'), qPrintable(page + ": `" + shown + '`'));
                ++found;
            }
        }
        QVERIFY(found > 20);
    }

    void E17_linksSearchAndPicturesOfTheGermanPages()
    {
        ui::ManualWindow window;
        window.open("index");
        QCOMPARE(headingOf(window), QString("Das Handbuch von Atelier"));
        follow(window, "plots.md");
        QCOMPARE(headingOf(window), QString("Kurven"));
        auto* search = window.findChild<QLineEdit*>();
        search->setText(QString::fromUtf8("glättung"));
        QTest::keyClick(search, Qt::Key_Return);
        QCOMPARE(window.text().textCursor().selectedText(), QString::fromUtf8("Glättung"));
        window.text().backward();
        QCOMPARE(headingOf(window), QString("Das Handbuch von Atelier"));
        follow(window, "rewards.md");
        const QList<int> widths = widthsOfPictures(window);
        QCOMPARE(widths.size(), 3);
        QVERIFY(!widths.contains(0));
    }

    void E17_aPageThatGermanLacksIsShownInEnglish()
    {
        QTemporaryDir resources;
        QVERIFY(QDir(resources.path()).mkpath("manual/de"));
        for (const char* page : {"index.md", "plots.md", "runs.md"}) {
            QVERIFY(QFile::copy(manualFolder("en").filePath(page), resources.filePath(QString("manual/") + page)));
            if (QLatin1String(page) != QLatin1String("plots.md"))
                QVERIFY(QFile::copy(manualFolder("de").filePath(page), resources.filePath(QString("manual/de/") + page)));
        }
        qputenv("ATELIER_RESOURCES", QFile::encodeName(resources.path()));
        ui::ManualWindow window;
        window.open("index");
        follow(window, "plots.md");
        const QString english = headingOf(window);
        follow(window, "runs.md");
        const QString german = headingOf(window);
        window.open("disk");
        const QString none = window.text().toPlainText();
        qunsetenv("ATELIER_RESOURCES");
        QCOMPARE(english, QString("Plots"));
        QCOMPARE(german, QString::fromUtf8("Die Liste der Läufe"));
        QVERIFY2(none.contains(QString::fromUtf8("manual/disk.md fehlt")), qPrintable(none));
    }
};

int main(int argc, char** argv)
{
    QLocale::setDefault(QLocale(QLocale::German));
    ui::WatchedApplication application(argc, argv);
    WindowManualGermanTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_window_manual_german.moc"
