#include "engine/contract/run/control.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/scratch_file.h"

#include <QtTest>

#include <system_error>

using contract::Command;
using contract::CommandReader;

class ControlTest : public QObject {
    Q_OBJECT

    tests::ScratchFile m_file;

private Q_SLOTS:
    void commandsArriveOnceAndInOrder()
    {
        CommandReader reader(m_file.path(), 0);
        QVERIFY(reader.poll().empty());
        contract::appendCommand(m_file.path(), Command::Checkpoint);
        contract::appendCommand(m_file.path(), Command::Sample);
        QCOMPARE(reader.poll(), std::vector({Command::Checkpoint, Command::Sample}));
        QVERIFY(reader.poll().empty());
        contract::appendCommand(m_file.path(), Command::Stop);
        QCOMPARE(reader.poll(), std::vector({Command::Stop}));
    }

    void commandsOfFormerAttemptsArePassedOver()
    {
        contract::appendCommand(m_file.path(), Command::Stop);
        CommandReader reader(m_file.path(), static_cast<std::int64_t>(std::filesystem::file_size(m_file.path())));
        QVERIFY(reader.poll().empty());
        contract::appendCommand(m_file.path(), Command::Sample);
        QCOMPARE(reader.poll(), std::vector({Command::Sample}));
    }

    void halfALineWaitsForItsEnd()
    {
        CommandReader reader(m_file.path(), 0);
        m_file.append("{\"v\":1,\"cmd\":\"st");
        QVERIFY(reader.poll().empty());
        m_file.append("op\"}\n");
        QCOMPARE(reader.poll(), std::vector({Command::Stop}));
    }

    void aTornLineDoesNotSpoilTheNextCommand_defect_33()
    {
        m_file.append("{\"v\":1,\"cmd\":\"st");  // a full disk cut it
        contract::appendCommand(m_file.path(), Command::Checkpoint);
        CommandReader reader(m_file.path(), 0);
        QCOMPARE(reader.poll(), std::vector({Command::Checkpoint}));
    }

    void aFullDiskIsSaid_defect_32()
    {
        m_file.append(std::string(100, '\n'));
        const tests::FileSizeLimit full(110);
        try {
            contract::appendCommand(m_file.path(), Command::Stop);
            QFAIL("no error");
        } catch (const std::system_error& error) {
            QCOMPARE(error.code().value(), ENOSPC);  // the write itself only says that it was cut
        }
    }

    void whatIsNoCommandIsPassedOver()
    {
        m_file.append("\n{\n[]\n17\n{\"cmd\":3}\n{\"cmd\":\"dance\"}\n\xff\xfe\n" + std::string(100000, '[') + "\n");
        contract::appendCommand(m_file.path(), Command::Stop);
        CommandReader reader(m_file.path(), 0);
        QCOMPARE(reader.poll(), std::vector({Command::Stop}));
    }

    void aFileLongerThanOneReadingIsReadToItsEnd()
    {
        for (int line = 0; line < 3 << 10; ++line)
            m_file.append(std::string((1 << 10) - 1, ' ') + "\n");
        contract::appendCommand(m_file.path(), Command::Stop);
        CommandReader reader(m_file.path(), 0);
        std::vector<Command> all;
        for (int i = 0; i < 10 && all.empty(); ++i)
            all = reader.poll();
        QCOMPARE(all, std::vector({Command::Stop}));
    }

    void anEndlessLineDoesNotBlockWhatFollows()
    {
        m_file.append(std::string(3 << 20, 'x'));
        m_file.append("\n");
        contract::appendCommand(m_file.path(), Command::Stop);
        CommandReader reader(m_file.path(), 0);
        std::vector<Command> all;
        for (int i = 0; i < 10 && all.empty(); ++i)
            all = reader.poll();
        QCOMPARE(all, std::vector({Command::Stop}));
    }

    void unwritableFileIsNamed()
    {
        try {
            contract::appendCommand("/nowhere/control.jsonl", Command::Stop);
            QFAIL("wrote into a folder that is not there");
        } catch (const std::system_error& error) {
            QVERIFY(std::string(error.what()).find("/nowhere/control.jsonl") != std::string::npos);
        }
    }
};

QTEST_APPLESS_MAIN(ControlTest)
#include "tst_control.moc"
