// M11: the tensors of checkpoints, and the operations on their folders.
#include "ui/checkpoint/checkpoint_files.h"
#include "ui/checkpoint/checkpoint_jobs.h"
#include "ui/checkpoint/tensor_model.h"
#include "ui/checkpoint/tensors_panel.h"

#include "engine/contract/attempt/attempt.h"
#include "engine/contract/checkpoint/checkpoint_lock.h"
#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "engine/contract/formats/checksum.h"
#include "launcher/home/trash.h"

#include <QAbstractItemModelTester>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

#include <fstream>
#include <optional>

using namespace ui;
namespace fs = std::filesystem;

namespace {

fs::path writeCheckpoint(const fs::path& run, std::int64_t step)
{
    const fs::path folder = run / "checkpoints" / ("step-" + std::to_string(step));
    fs::create_directories(folder);
    const std::string table = R"({"model/w":{"dtype":"F32","shape":[6],"data_offsets":[0,24]}})";
    std::string file(8, '\0');
    file[0] = static_cast<char>(table.size());
    file += table + std::string(24, 'x');
    std::ofstream(folder / "rank-0.safetensors", std::ios::binary) << file;
    contract::CheckpointManifest manifest;
    manifest.run = "run";
    manifest.step = step;
    manifest.model = "dit";
    manifest.fileBytes["rank-0.safetensors"] = file.size();
    manifest.checksums["rank-0.safetensors"] = contract::checksumOf(folder / "rank-0.safetensors");
    manifest.tensors.push_back({"model/w", "F32", {2, 3}, {{"rank-0.safetensors", 8 + table.size(), 0, 6}}});
    contract::writeManifest(folder, manifest);
    return folder;
}

}  // namespace

class CheckpointsTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;
    launcher::DataHome m_home;
    fs::path m_run;

private Q_SLOTS:
    void init()
    {
        m_home.data = fs::path(m_folder.path().toStdString()) / QTest::currentTestFunction();
        m_run = m_home.runs() / "run";
        fs::create_directories(m_run);
    }

    void deletingMovesToTheTrashAndCanBeUndone()
    {
        const fs::path a = writeCheckpoint(m_run, 100);
        const fs::path b = writeCheckpoint(m_run, 200);
        const TrashResult result = ui::moveToTrash(m_home, {a, b});
        QCOMPARE(result.done.size(), std::size_t(2));
        QVERIFY(result.refused.empty());
        QVERIFY(result.bytes() > 0);
        QVERIFY(!fs::exists(a) && !fs::exists(b));
        QVERIFY(fs::exists(result.done[0].to / contract::kManifestFile));
        QVERIFY(restoreFromTrash(result.done).empty());
        QVERIFY(verifyCheckpoint(a).isEmpty());
    }

    void whatIsPinnedOrReadStays()
    {
        const fs::path pinned = writeCheckpoint(m_run, 1);
        QVERIFY(setPinned(pinned, true).isEmpty());
        const fs::path read = writeCheckpoint(m_run, 2);
        std::optional<contract::CheckpointLock> reader(std::in_place, read, contract::CheckpointLock::Use::Read);
        QVERIFY(reader->isHeld());
        const TrashResult result = ui::moveToTrash(m_home, {pinned, read, m_run / "checkpoints" / "step-4"});
        QVERIFY(result.done.empty());
        QCOMPARE(result.refused.size(), std::size_t(3));
        QVERIFY(result.refused[0].startsWith("step-1 was not deleted: it is pinned"));
        QVERIFY(result.refused[1].startsWith("step-2 was not deleted"));
        QVERIFY(result.refused[2].contains("no longer exists"));
        QVERIFY(fs::exists(pinned) && fs::exists(read));
        reader.reset();
        QVERIFY(setPinned(pinned, false).isEmpty());
        QCOMPARE(ui::moveToTrash(m_home, {pinned, read}).done.size(), std::size_t(2));
    }

    void whatAnAttemptWaitsToResumeFromStays()
    {
        const fs::path needed = writeCheckpoint(m_run, 100), other = writeCheckpoint(m_run, 200);
        contract::AttemptStart start = contract::newStart(2, 1);
        start.parentCheckpoint = "checkpoints/step-100";
        start.parentStep = 100;
        contract::writeAttempt(contract::RunFolder(m_run), start, contract::Experiment());
        const TrashResult result = ui::moveToTrash(m_home, {needed, other});
        QCOMPARE(result.done.size(), std::size_t(1));
        QCOMPARE(result.refused.size(), std::size_t(1));
        QVERIFY2(result.refused.front().startsWith("step-100 was not deleted: attempt 2 waits to resume from it"), qPrintable(result.refused.front()));
        QVERIFY(fs::exists(needed) && !fs::exists(other));
    }

    /// Only what is complete has the name of a checkpoint, so one without a manifest has lost it.
    void M11_damagedAndFormerCheckpointsGoToTheTrashAndBack()
    {
        const fs::path damaged = writeCheckpoint(m_run, 3), former = m_run / "checkpoints" / "step-4-former-1";
        fs::remove(damaged / contract::kManifestFile);
        fs::rename(writeCheckpoint(m_run, 4), former);
        const TrashResult result = ui::moveToTrash(m_home, {damaged, former});
        QVERIFY(result.refused.empty());
        fs::create_directories(m_home.trash() / "checkpoints" / "run" / "step-5-former-x-1795255200000");  // nothing of ours
        const auto items = launcher::trashItems(m_home);
        QCOMPARE(items.size(), std::size_t(2));
        for (const launcher::TrashItem& item : items) {
            QVERIFY(item.name == "run/step-3" || item.name == "run/step-4-former-1");
            launcher::restore(m_home, item);
        }
        QVERIFY(fs::exists(damaged) && fs::exists(former));
    }

    void whatIsJustBeingRemovedIsNotVerified()
    {
        const fs::path folder = writeCheckpoint(m_run, 100);
        const contract::CheckpointLock remover(folder, contract::CheckpointLock::Use::Remove);
        QVERIFY2(verifyCheckpoint(folder).contains("being removed"), qPrintable(verifyCheckpoint(folder)));
    }

    void aNewerCheckpointIsNotOverwrittenByUndo()
    {
        const fs::path folder = writeCheckpoint(m_run, 100);
        const TrashResult result = ui::moveToTrash(m_home, {folder});
        writeCheckpoint(m_run, 100);
        const auto failed = restoreFromTrash(result.done);
        QCOMPARE(failed.size(), std::size_t(1));
        QVERIFY(fs::exists(result.done[0].to));
    }

    void whatIsTrashedCanBeRestoredInItsRun_data()
    {
        QTest::addColumn<bool>("isLeft");
        QTest::newRow("the run stays in view") << false;
        QTest::newRow("defect-13: another run comes into view before the answer") << true;
    }
    void whatIsTrashedCanBeRestoredInItsRun()
    {
        QFETCH(bool, isLeft);
        StoreService service(m_home);
        CheckpointJobs jobs(service, nullptr);
        const fs::path folder = writeCheckpoint(m_run, 100);
        const QString run = QString::fromStdString(m_run.string());
        jobs.setRunFolder(isLeft ? QStringLiteral("/another/run") : run);
        QSignalSpy reported(&jobs, &CheckpointJobs::statusMessage);
        jobs.trash(run, {folder});
        QTRY_COMPARE(reported.count(), 1);
        QVERIFY(!fs::exists(folder));
        QCOMPARE(jobs.canUndo(), !isLeft);
        jobs.setRunFolder(run);
        QVERIFY(jobs.canUndo());
        jobs.undo();
        QTRY_VERIFY(fs::exists(folder));
        QVERIFY(!jobs.canUndo());
    }

    /// Undo outlives the window that deleted, and agrees with what others do to the trash.
    void defect16_whatAnEarlierWindowDeletedCanBeRestored()
    {
        const fs::path older = writeCheckpoint(m_run, 100), newer = writeCheckpoint(m_run, 200);
        fs::create_directories(m_home.runs() / "other");
        const fs::path others = writeCheckpoint(m_home.runs() / "other", 300);
        for (const fs::path& folder : {older, newer, others})
            QCOMPARE(ui::moveToTrash(m_home, {folder}).done.size(), std::size_t(1));
        StoreService service(m_home);
        CheckpointJobs jobs(service, nullptr);
        jobs.setRunFolder(QString::fromStdString(m_run.string()));
        QVERIFY(!jobs.canUndo());
        jobs.setTrash(launcher::trashItems(m_home));
        QVERIFY(jobs.canUndo());
        jobs.undo();
        QTRY_VERIFY(fs::exists(newer));
        QVERIFY(!fs::exists(older) && !fs::exists(others));
        jobs.setTrash(launcher::trashItems(m_home));
        QVERIFY(jobs.canUndo());
        for (const launcher::TrashItem& item : launcher::trashItems(m_home))
            launcher::erase(m_home, item);
        jobs.setTrash(launcher::trashItems(m_home));
        QVERIFY(!jobs.canUndo());
    }

    void defect16_undoForgetsWhatWasDeletedForGood()
    {
        StoreService service(m_home);
        CheckpointJobs jobs(service, nullptr);
        const QString run = QString::fromStdString(m_run.string());
        jobs.setRunFolder(run);
        QSignalSpy reported(&jobs, &CheckpointJobs::statusMessage);
        jobs.trash(run, {writeCheckpoint(m_run, 100)});
        QTRY_COMPARE(reported.count(), 1);
        QVERIFY(jobs.canUndo());
        launcher::erase(m_home, launcher::trashItems(m_home).front());
        jobs.setTrash(launcher::trashItems(m_home));
        QVERIFY(!jobs.canUndo());
    }

    void defect23_theTrashIsPrivate()
    {
        QCOMPARE(ui::moveToTrash(m_home, {writeCheckpoint(m_run, 100)}).done.size(), std::size_t(1));
        for (const fs::path& folder : {m_home.trash(), m_home.trash() / "checkpoints", m_home.trash() / "checkpoints" / "run"})
            QCOMPARE(fs::status(folder).permissions(), fs::perms::owner_all);
    }

    void damageIsFoundAndNamed_data()
    {
        QTest::addColumn<QString>("damage");
        QTest::newRow("M11 shorter file") << "shorter";
        QTest::newRow("M11 missing file") << "missing";
        QTest::newRow("M11 other bytes at its head") << "head";
        QTest::newRow("M11 manifest cut off") << "manifest";
        QTest::newRow("M11 manifest gone") << "none";
    }
    void damageIsFoundAndNamed()
    {
        QFETCH(QString, damage);
        const fs::path folder = writeCheckpoint(m_run / damage.toStdString(), 100);
        QVERIFY(verifyCheckpoint(folder).isEmpty());
        const fs::path file = folder / "rank-0.safetensors";
        const fs::path manifest = folder / contract::kManifestFile;
        if (damage == "shorter")
            fs::resize_file(file, fs::file_size(file) - 1);
        else if (damage == "missing")
            fs::remove(file);
        else if (damage == "head")
            std::fstream(file, std::ios::in | std::ios::out | std::ios::binary) << std::string(8, '\xff');
        else if (damage == "manifest")
            fs::resize_file(manifest, fs::file_size(manifest) / 2);
        else
            fs::remove(manifest);
        QVERIFY(!verifyCheckpoint(folder).isEmpty());
    }

    void M14_verifyingIsCancelled()
    {
        const fs::path folder = writeCheckpoint(m_run, 300);
        std::fstream(folder / "rank-0.safetensors", std::ios::in | std::ios::out | std::ios::binary).seekp(-1, std::ios::end) << '!';
        QVERIFY(!verifyCheckpoint(folder).isEmpty());
        StoreService service(m_home);
        CheckpointJobs jobs(service, nullptr);
        jobs.setRunFolder(QString::fromStdString(m_run.string()));
        QSignalSpy reported(&jobs, &CheckpointJobs::statusMessage);
        // It may have found the damage already.
        jobs.verify({folder});
        QVERIFY(jobs.isVerifying());
        jobs.cancelVerifying();
        QTRY_VERIFY(!jobs.isVerifying());
        QTRY_COMPARE(reported.count(), 2);
        QVERIFY2(reported.last().first().toString() == "Verifying was cancelled." || reported.last().first().toString().contains("checksum"),
            qPrintable(reported.last().first().toString()));
        std::stop_source stop;
        stop.request_stop();
        QCOMPARE(verifyCheckpoint(folder, stop.get_token()), QString());
    }

    void tensorsAreListedAndFiltered()
    {
        TensorModel model;
        QAbstractItemModelTester tester(&model);
        model.setTensors({{"model/a", "F32", {2, 3}, {}}, {"ema/b", "BF16", {}, {}}});
        QCOMPARE(model.index(0, TensorModel::Shape).data().toString(), QStringLiteral("2 × 3"));
        QCOMPARE(model.index(1, TensorModel::Shape).data().toString(), QStringLiteral("scalar"));
        QCOMPARE(model.index(0, TensorModel::Bytes).data(TensorModel::SortRole).toInt(), 24);
        QCOMPARE(model.index(1, TensorModel::Elements).data(TensorModel::SortRole).toInt(), 1);
    }

    void thePanelReadsTheManifestOffTheGuiThread()
    {
        const fs::path folder = writeCheckpoint(m_run, 100);
        TensorsPanel panel;
        panel.setCheckpoint(folder);
        auto* table = panel.findChild<QTableView*>();
        QCOMPARE(table->model()->rowCount(), 0);
        QTRY_COMPARE(table->model()->rowCount(), 1);
        panel.findChild<QLineEdit*>()->setText("nothing like it");
        QCOMPARE(table->model()->rowCount(), 0);
        fs::remove(folder / "rank-0.safetensors");
        panel.setCheckpoint({});
        panel.setCheckpoint(folder);
        QTRY_VERIFY(!panel.findChildren<QWidget*>("errorStrip").front()->isHidden());
    }

    void thePanelReadsNothingThatIsJustBeingRemoved()
    {
        const fs::path folder = writeCheckpoint(m_run, 100);
        std::optional<contract::CheckpointLock> remover(std::in_place, folder, contract::CheckpointLock::Use::Remove);
        TensorsPanel panel;
        panel.setCheckpoint(folder);
        auto* strip = panel.findChild<QWidget*>("errorStrip");
        QTRY_VERIFY(!strip->isHidden());
        const QString message = strip->findChild<QLabel*>()->text();
        QVERIFY2(message.contains("being removed"), qPrintable(message));
        QCOMPARE(panel.findChild<QTableView*>()->model()->rowCount(), 0);
        remover.reset();
        for (QPushButton* const button : strip->findChildren<QPushButton*>()) {  // M14
            if (button->text() == QLatin1String("Retry"))
                button->click();
        }
        QTRY_COMPARE(panel.findChild<QTableView*>()->model()->rowCount(), 1);
        QVERIFY(strip->isHidden());
    }
};

QTEST_MAIN(CheckpointsTest)
#include "tst_checkpoints.moc"
