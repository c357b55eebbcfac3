// M15: an index that is damaged, newer, locked, read-only or on a full disk. The window shows one sentence and a remedy, and
// no data is lost.
#include "tests/paths.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/runs/runs_view.h"

#include <QAction>
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QtEndian>

#include <SQLiteCpp/SQLiteCpp.h>
#include <sys/mount.h>

#include <optional>

using launcher::RunState;
using ui_test::button;
using ui_test::errorSentence;
using ui_test::kTimeoutMs;
using ui_test::OpenWindow;

namespace {

constexpr char kDone[] = "done-20261121-100000-aaaa";
constexpr char kLater[] = "later-20261121-100001-bbbb";

/// Mounts a tmpfs over a folder while it lives.
class Mount {
public:
    Mount(const std::filesystem::path& folder, const char* options)
        : m_folder(folder)
        , m_isMounted(::mount("tmpfs", folder.c_str(), "tmpfs", 0, options) == 0)
    {
    }
    ~Mount()
    {
        if (m_isMounted)
            ::umount2(m_folder.c_str(), MNT_DETACH);
    }
    Mount(const Mount&) = delete;
    Mount& operator=(const Mount&) = delete;

    bool isMounted() const { return m_isMounted; }
    bool setReadOnly(bool isReadOnly) const
    {
        return ::mount(nullptr, m_folder.c_str(), nullptr, isReadOnly ? MS_REMOUNT | MS_RDONLY : MS_REMOUNT, nullptr) == 0;
    }

private:
    std::filesystem::path m_folder;
    bool m_isMounted;
};

}  // namespace

class WindowBadWorldsTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<Mount> m_mount;
    std::unique_ptr<OpenWindow> m_window;

    void open() { m_window = std::make_unique<OpenWindow>(m_home->home()); }
    ui::RunsView& runsView() { return (*m_window)->runsView(); }
    QString sentence() { return errorSentence(runsView()); }
    std::string database() const { return m_home->home().database().string(); }

    contract::RunFolder folderOf(const QString& id) const
    {
        return contract::RunFolder(m_home->home().runs() / id.toStdString());
    }

    /// Mounts a tmpfs over the data home. False without root privileges; the tests that need it are then skipped.
    bool mountDisk(const char* options)
    {
        m_mount = std::make_unique<Mount>(m_home->home().data, options);
        if (m_mount->isMounted())
            m_home->home().create();
        return m_mount->isMounted();
    }

    /// Writes the schema version: SQLite's user_version, in bytes 60 to 63 of the file header.
    void setVersion(quint32 version, quint32* former)
    {
        QFile file(QString::fromStdString(database()));
        QVERIFY(file.open(QIODevice::ReadWrite | QIODevice::Unbuffered));
        QVERIFY(file.seek(60));
        QByteArray bytes = file.read(4);
        if (former)
            *former = qFromBigEndian<quint32>(bytes.constData());
        qToBigEndian(version, bytes.data());
        QVERIFY(file.seek(60));
        QCOMPARE(file.write(bytes), 4);
    }

private Q_SLOTS:
    void initTestCase()
    {
        qputenv("ATELIER_PROGRAM", ATELIER_BIN_DIR "/atelier");
        qputenv("ATELIER_WORKER", FAKE_WORKER);
        qputenv("FAKE_STEP_MS", "10");
    }

    void init() { m_home = std::make_unique<ui_test::TestHome>(); }

    void cleanup()
    {
        m_window.reset();
        QVERIFY(ui_test::endRuns(m_home->home()));
        m_mount.reset();
        m_home.reset();
    }

    void m15_aDamagedIndexIsRebuilt()
    {
        m_home->writeRun(kDone, 100, "finished");
        QFile file(QString::fromStdString(database()));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray(8192, 'x'));
        file.close();
        open();
        QTRY_VERIFY2(sentence().contains("is not a database"), qPrintable(sentence()));
        const auto* const active = (*m_window)->findChild<QLabel*>("activeRuns");
        QCOMPARE(active->text(), QStringLiteral("Active runs are not known yet"));
        QTRY_VERIFY(button(runsView(), "Rebuild index"));
        button(runsView(), "Rebuild index")->click();
        QTRY_COMPARE(m_window->stateOf(kDone), std::optional(RunState::Finished));
        QTRY_COMPARE(active->text(), QStringLiteral("No active runs"));
        QTRY_COMPARE(sentence(), QString());
        QTRY_COMPARE(m_window->missing(folderOf(kDone), 500), QString());
    }

    void m15_aNewerIndexIsLeftUntouched()
    {
        m_home->writeRun(kDone, 100, "finished");
        m_home->ingest();
        quint32 ours = 0;
        setVersion(9999, &ours);
        open();
        QTRY_VERIFY2(sentence().contains("written by a newer version of Atelier"), qPrintable(sentence()));
        QVERIFY(!button(runsView(), "Retry"));
        QTRY_VERIFY(button(runsView(), "Rebuild index") && button(runsView(), "Open folder"));
        // When the matching file is back, the window recovers without user action.
        m_home->writeRun(kLater, 100, "finished");
        quint32 still = 0;
        setVersion(ours, &still);
        QCOMPARE(still, 9999U);
        QTRY_COMPARE_WITH_TIMEOUT(sentence(), QString(), kTimeoutMs);
        QTRY_COMPARE_WITH_TIMEOUT(m_window->bench().runs.rowCount(), 2, kTimeoutMs);
        QTRY_COMPARE(m_window->missing(folderOf(kLater), 500), QString());
    }

    void m15_aNewerIndexIsReplacedWhenTheUserWantsItAndKept()
    {
        m_home->writeRun(kDone, 100, "finished");
        m_home->ingest();
        setVersion(9999, nullptr);
        open();
        QTRY_VERIFY(button(runsView(), "Rebuild index"));
        button(runsView(), "Rebuild index")->click();
        QTRY_COMPARE(sentence(), QString());
        QTRY_COMPARE(m_window->stateOf(kDone), std::optional(RunState::Finished));
        QFile kept(QString::fromStdString(database() + ".before-reindex"));
        QVERIFY(kept.open(QIODevice::ReadOnly) && kept.seek(60));
        QCOMPARE(qFromBigEndian<quint32>(kept.read(4).constData()), 9999U);
    }

    void m15_aMissingFolderOfAllRunsIsSaid()
    {
        m_home->writeRun(kDone, 100, "finished");
        open();
        QTRY_COMPARE(m_window->stateOf(kDone), std::optional(RunState::Finished));
        const auto runs = m_home->home().runs();
        std::filesystem::rename(runs, runs.string() + ".away");
        QTRY_VERIFY2(sentence().contains(QString::fromStdString(runs.string())), qPrintable(sentence()));
        QTRY_VERIFY(button(runsView(), "Retry") && button(runsView(), "Open folder"));
        QCOMPARE(m_window->bench().runs.rowCount(), 1);
        std::filesystem::rename(runs.string() + ".away", runs);
        QTRY_COMPARE(sentence(), QString());
        QTRY_COMPARE(m_window->stateOf(kDone), std::optional(RunState::Finished));
    }

    void m15_anIndexThatIsLockedMeanwhileGoesOnByItself()
    {
        open();
        const QString id = m_window->start(ui_test::plainExperiment(100'000));
        QVERIFY(!id.isEmpty());
        std::optional<SQLite::Database> other(std::in_place, database(), SQLite::OPEN_READWRITE);
        other->setBusyTimeout(kTimeoutMs);
        other->exec("BEGIN EXCLUSIVE");
        // Makes sure that there is something to write, whatever the ranks do.
        m_home->writeRun(kDone, 100, "finished");
        m_window->action("view.readAgain")->trigger();
        QTRY_VERIFY2_WITH_TIMEOUT(sentence().contains("is locked by another program"),
            qPrintable(QStringLiteral("'%1', state %2, step %3").arg(sentence()).arg(int(*m_window->stateOf(id))).arg(m_window->entry(id)->step())),
            kTimeoutMs);
        // The index can still be read, and the run's true state is shown.
        QCOMPARE(m_window->stateOf(id), std::optional(RunState::Running));
        const std::int64_t before = m_window->entry(id)->row.lastStep;
        const std::int64_t seen = m_window->entry(id)->step();
        QTRY_VERIFY(m_window->entry(id)->step() > seen);
        other.reset();
        QTRY_COMPARE_WITH_TIMEOUT(sentence(), QString(), kTimeoutMs);
        QTRY_COMPARE_WITH_TIMEOUT(m_window->stateOf(kDone), std::optional(RunState::Finished), kTimeoutMs);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->entry(id)->row.lastStep > before, kTimeoutMs);
        (*m_window)->openRun(id);
        m_window->action("run.stop")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(m_window->stateOf(id), std::optional(RunState::Stopped), kTimeoutMs);
        QTRY_COMPARE_WITH_TIMEOUT(m_window->missing(folderOf(id), 100), QString(), kTimeoutMs);
    }

    void m15_anIndexThatIsLockedAtFirstIsOpenedByItself()
    {
        m_home->writeRun(kDone, 100, "finished");
        m_home->ingest();
        std::optional<SQLite::Database> other(std::in_place, database(), SQLite::OPEN_READWRITE);
        other->exec("PRAGMA locking_mode = EXCLUSIVE");
        other->exec("BEGIN EXCLUSIVE; PRAGMA user_version; COMMIT");
        open();
        QTRY_VERIFY2_WITH_TIMEOUT(sentence().contains("is locked by another program"), qPrintable(sentence()), kTimeoutMs);
        other.reset();
        QTRY_COMPARE_WITH_TIMEOUT(sentence(), QString(), kTimeoutMs);
        QTRY_COMPARE(m_window->stateOf(kDone), std::optional(RunState::Finished));
        QTRY_VERIFY(!m_window->bench().facts.facts().runId.isEmpty());
    }

    void m15_aReadOnlyHomeCanBeRead()
    {
        if (!mountDisk("size=16m"))
            QSKIP("only root can make a file system read-only");
        m_home->writeRun(kDone, 100, "finished");
        m_home->ingest();
        m_home->writeRun(kLater, 100, "finished");
        QVERIFY(m_mount->setReadOnly(true));
        open();
        QTRY_VERIFY2(sentence().contains("can be read but not written"), qPrintable(sentence()));
        QTRY_COMPARE(m_window->stateOf(kDone), std::optional(RunState::Finished));
        QVERIFY(m_mount->setReadOnly(false));
        button(runsView(), "Retry")->click();
        QTRY_COMPARE(sentence(), QString());
        QTRY_COMPARE(m_window->stateOf(kLater), std::optional(RunState::Finished));
        QTRY_COMPARE(m_window->missing(folderOf(kLater), 500), QString());
    }

    void m15_aFullDiskIsReportedAndNothingIsLost()
    {
        if (!mountDisk("size=6m"))
            QSKIP("only root can make a small disk");
        m_home->writeRun(kDone, 100, "finished");
        open();
        QTRY_COMPARE(m_window->stateOf(kDone), std::optional(RunState::Finished));
        m_home->writeRun(kLater, 5000, "finished");
        QFile filler(QString::fromStdString((m_home->home().data / "filler").string()));
        QVERIFY(filler.open(QIODevice::WriteOnly | QIODevice::Unbuffered));
        while (filler.write(QByteArray(4096, 'x')) == 4096) { }
        m_window->action("view.readAgain")->trigger();
        QTRY_VERIFY2_WITH_TIMEOUT(sentence().contains("is full"), qPrintable(sentence()), kTimeoutMs);
        QCOMPARE(m_window->stateOf(kDone), std::optional(RunState::Finished));
        QVERIFY(filler.remove());
        QTRY_COMPARE_WITH_TIMEOUT(sentence(), QString(), kTimeoutMs);
        QTRY_COMPARE_WITH_TIMEOUT(m_window->stateOf(kLater), std::optional(RunState::Finished), kTimeoutMs);
        QTRY_COMPARE_WITH_TIMEOUT(m_window->missing(folderOf(kLater), 25'000), QString(), kTimeoutMs);
    }
};

ATELIER_UI_TEST_MAIN(WindowBadWorldsTest)
#include "tst_window_bad_worlds.moc"
