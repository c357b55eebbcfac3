#include "engine/contract/checkpoint/checkpoint_lock.h"

#include <QTemporaryDir>
#include <QtTest>

#include <optional>

using contract::CheckpointLock;
using Use = CheckpointLock::Use;

class CheckpointLockTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readersShareAndARemoverIsAlone()
    {
        QTemporaryDir folder;
        const std::filesystem::path checkpoint = folder.path().toStdString();
        std::optional<CheckpointLock> first(std::in_place, checkpoint, Use::Read);
        std::optional<CheckpointLock> second(std::in_place, checkpoint, Use::Read);
        QVERIFY(first->isHeld() && second->isHeld());
        QVERIFY(!CheckpointLock(checkpoint, Use::Remove).isHeld());
        first.reset();
        QVERIFY(!CheckpointLock(checkpoint, Use::Remove).isHeld());
        second.reset();
        const CheckpointLock remover(checkpoint, Use::Remove);
        QVERIFY(remover.isHeld());
        QVERIFY(!CheckpointLock(checkpoint, Use::Read).isHeld());
        QVERIFY(!CheckpointLock(checkpoint, Use::Remove).isHeld());
    }

    void whatIsGoneIsNotHeld()
    {
        QVERIFY(!CheckpointLock("/nowhere/step-1", Use::Read).isHeld());
        QVERIFY(!CheckpointLock("/nowhere/step-1", Use::Remove).isHeld());
    }

    void itFollowsTheFolderToAnotherName()
    {
        QTemporaryDir folder;
        const std::filesystem::path root = folder.path().toStdString();
        std::filesystem::create_directory(root / "step-1");
        std::optional<CheckpointLock> reader(std::in_place, root / "step-1", Use::Read);
        std::filesystem::rename(root / "step-1", root / "moved");
        QVERIFY(!CheckpointLock(root / "moved", Use::Remove).isHeld());
        reader.reset();
        QVERIFY(CheckpointLock(root / "moved", Use::Remove).isHeld());
    }
};

QTEST_GUILESS_MAIN(CheckpointLockTest)
#include "tst_checkpoint_lock.moc"
