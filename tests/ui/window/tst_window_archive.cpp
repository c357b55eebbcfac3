// E7: a run is packed into one file and unpacked in another data home, in the window.
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/archive/archive_progress.h"
#include "ui/archive/pack_dialog.h"
#include "ui/archive/unpack_dialog.h"

#include <QAction>
#include <QFile>
#include <QPushButton>
#include <QRadioButton>

#include <fstream>

using launcher::RunState;
using ui_test::button;
using ui_test::OpenWindow;

namespace {

constexpr char kId[] = "digits-20261121-100000-aaaa";

}  // namespace

class WindowArchiveTest : public QObject {
    Q_OBJECT

    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<OpenWindow> m_window;
    QTemporaryDir m_place;

    void open(int runs)
    {
        m_window = std::make_unique<OpenWindow>(m_home->home());
        QTRY_COMPARE_WITH_TIMEOUT(m_window->bench().runs.rowCount(), runs, ui_test::kTimeoutMs);
    }
    ui::PackDialog& packing()
    {
        [&] { QTRY_COMPARE_WITH_TIMEOUT(m_window->bench().selection.inspected(), QString(kId), ui_test::kTimeoutMs); }();
        m_window->action("run.pack")->trigger();
        return *(*m_window)->findChild<ui::PackDialog*>();
    }
    ui::UnpackDialog* unpacking() { return (*m_window)->findChild<ui::UnpackDialog*>(); }
    QString archive() const { return m_place.filePath(QStringLiteral("run.tar")); }

    static std::vector<QByteArray> choices(ui::PackDialog& dialog)
    {
        std::vector<QByteArray> texts;
        for (const QRadioButton* choice : dialog.findChildren<QRadioButton*>())
            texts.push_back(choice->text().toUtf8());
        return texts;
    }

private Q_SLOTS:
    void init()
    {
        QFile::remove(archive());
        m_home = std::make_unique<ui_test::TestHome>();
        const contract::RunFolder run = m_home->writeRun(kId, 30, "finished");
        std::ofstream(run.log(0)) << "the log\n";
        m_home->ingest();
        open(1);
    }
    void cleanup()
    {
        m_window.reset();
        m_home.reset();
    }

    void E7_aPackedRunIsUnpackedElsewhere()
    {
        ui::PackDialog& dialog = packing();
        QTRY_VERIFY(button(dialog, QStringLiteral("Save…"))->isEnabled());
        for (const QByteArray& text : choices(dialog))
            QVERIFY2(text.contains("kB)"), text.constData());
        dialog.save(archive());
        QTRY_VERIFY_WITH_TIMEOUT(dialog.note().startsWith(QStringLiteral("Written to ")), ui_test::kTimeoutMs);
        dialog.close();
        m_window.reset();
        m_home.reset();

        m_home = std::make_unique<ui_test::TestHome>();
        open(0);
        (*m_window)->unpackRun(archive());
        QTRY_COMPARE_WITH_TIMEOUT(m_window->stateOf(kId), std::optional(RunState::Finished), ui_test::kTimeoutMs);
        QTRY_COMPARE(m_window->bench().selection.inspected(), QString(kId));
        QTRY_COMPARE(m_window->entry(kId)->row.lastStep, std::int64_t(30));
        const contract::RunFolder unpacked(m_home->home().runs() / kId);
        QFile log(QString::fromStdString(unpacked.log(0).string()));
        QVERIFY(log.open(QIODevice::ReadOnly));
        QCOMPARE(log.readAll(), QByteArray("the log\n"));
        QTRY_VERIFY(!unpacking());  // closes itself
    }

    void E7_aRunThatIsThereIsNotUnpackedAgain()
    {
        ui::PackDialog& dialog = packing();
        QTRY_VERIFY(button(dialog, QStringLiteral("Save…"))->isEnabled());
        dialog.save(archive());
        QTRY_VERIFY_WITH_TIMEOUT(!dialog.note().isEmpty(), ui_test::kTimeoutMs);
        (*m_window)->unpackRun(archive());
        QTRY_VERIFY_WITH_TIMEOUT(unpacking()->note().contains(QStringLiteral(" already")), ui_test::kTimeoutMs);
        QVERIFY(unpacking()->isVisible());
    }

    void E7_aDamagedArchiveIsExplained()
    {
        std::ofstream(archive().toStdString()) << std::string(5000, 'x');
        (*m_window)->unpackRun(archive());
        QTRY_VERIFY_WITH_TIMEOUT(!unpacking()->note().startsWith(QStringLiteral("Unpacks ")), ui_test::kTimeoutMs);
        QVERIFY2(unpacking()->note().contains(QStringLiteral("archive")), qPrintable(unpacking()->note()));
        QCOMPARE(m_window->bench().runs.rowCount(), 1);
    }

    void E7_aFileThatCannotBeWrittenIsNamed()
    {
        ui::PackDialog& dialog = packing();
        QTRY_VERIFY(button(dialog, QStringLiteral("Save…"))->isEnabled());
        dialog.save(QStringLiteral("/nowhere/run.tar"));
        QTRY_VERIFY_WITH_TIMEOUT(dialog.note().contains(QStringLiteral("/nowhere")), ui_test::kTimeoutMs);
    }

    /// What was written so far is gone, and the button offers to save again.
    void E7_packingCanBeStopped()
    {
        const contract::RunFolder run(m_home->home().runs() / kId);
        std::filesystem::create_directories(run.samples());
        {
            std::ofstream large(run.samples() / "large.png");
            const std::string block(1 << 20, 'x');
            for (int megabyte = 0; megabyte < 400; ++megabyte)
                large << block;
        }
        ui::PackDialog& dialog = packing();
        QTRY_VERIFY_WITH_TIMEOUT(button(dialog, QStringLiteral("Save…"))->isEnabled(), ui_test::kTimeoutMs);
        dialog.save(archive());
        QVERIFY(button(dialog, QStringLiteral("Stop")));
        QTest::mouseClick(button(dialog, QStringLiteral("Stop")), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(button(dialog, QStringLiteral("Save…")), ui_test::kTimeoutMs);
        QVERIFY(!QFile::exists(archive()));
        QCOMPARE(dialog.note(), QString());
        QVERIFY(QDir(m_place.path()).isEmpty());
    }
};

ATELIER_UI_TEST_MAIN(WindowArchiveTest)
#include "tst_window_archive.moc"
