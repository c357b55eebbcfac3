#include "engine/contract/control.h"

#include <QTemporaryDir>
#include <QtTest>

#include <fstream>
#include <system_error>

using contract::Command;
using contract::CommandReader;

class ControlTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::filesystem::path file() const
    {
        return (m_folder.path() + "/" + QTest::currentTestFunction() + ".jsonl").toStdString();
    }
    void append(const std::string& text) const { std::ofstream(file(), std::ios::app) << text; }

private Q_SLOTS:
    void commandsArriveOnceAndInOrder()
    {
        CommandReader reader(file(), 0);
        QVERIFY(reader.poll().empty());
        contract::appendCommand(file(), Command::Checkpoint);
        contract::appendCommand(file(), Command::Sample);
        QCOMPARE(reader.poll(), std::vector({Command::Checkpoint, Command::Sample}));
        QVERIFY(reader.poll().empty());
        contract::appendCommand(file(), Command::Stop);
        QCOMPARE(reader.poll(), std::vector({Command::Stop}));
    }

    void commandsOfFormerAttemptsArePassedOver()
    {
        contract::appendCommand(file(), Command::Stop);
        CommandReader reader(file(), static_cast<std::int64_t>(std::filesystem::file_size(file())));
        QVERIFY(reader.poll().empty());
        contract::appendCommand(file(), Command::Sample);
        QCOMPARE(reader.poll(), std::vector({Command::Sample}));
    }

    void halfALineWaitsForItsEnd()
    {
        CommandReader reader(file(), 0);
        append("{\"v\":1,\"cmd\":\"st");
        QVERIFY(reader.poll().empty());
        append("op\"}\n");
        QCOMPARE(reader.poll(), std::vector({Command::Stop}));
    }

    void whatIsNoCommandIsPassedOver()
    {
        append("\n{\n[]\n17\n{\"cmd\":3}\n{\"cmd\":\"dance\"}\n\xff\xfe\n" + std::string(100000, '[') + "\n");
        contract::appendCommand(file(), Command::Stop);
        CommandReader reader(file(), 0);
        QCOMPARE(reader.poll(), std::vector({Command::Stop}));
    }

    void aFileLongerThanOneReadingIsReadToItsEnd()
    {
        append(std::string(3 << 20, '\n'));
        contract::appendCommand(file(), Command::Stop);
        CommandReader reader(file(), 0);
        std::vector<Command> all;
        for (int i = 0; i < 10 && all.empty(); ++i)
            all = reader.poll();
        QCOMPARE(all, std::vector({Command::Stop}));
    }

    void anEndlessLineDoesNotBlockWhatFollows()
    {
        append(std::string(3 << 20, 'x') + "\n");
        contract::appendCommand(file(), Command::Stop);
        CommandReader reader(file(), 0);
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
