#include "engine/contract/run/annotations.h"
#include "tests/support/scratch_file.h"

#include <QtTest>

#include <sys/stat.h>

#include <system_error>

using contract::Annotations;

class AnnotationsTest : public QObject {
    Q_OBJECT

    tests::ScratchFile m_file;

private Q_SLOTS:
    void everyFieldReadsBack()
    {
        const Annotations all {.name = "the \"best\" one ü", .project = "p", .tags = {"a", "b,c"},
            .notes = "line\nline", .isArchived = true,
            .line = {.colour = 0x00a0ff, .dash = contract::LineDash::DashDot, .marker = contract::LineMarker::Triangle}};
        contract::appendAnnotations(m_file.path(), {}, all);
        QVERIFY(contract::readAnnotations(m_file.path()) == all);
    }

    void lastChangeWins()
    {
        Annotations first {.name = "one", .project = {}, .tags = {"x"}, .notes = {}, .isArchived = false};
        contract::appendAnnotations(m_file.path(), {}, first);
        Annotations second = first;
        second.name = "two";
        second.tags.clear();
        second.line.colour = 0;
        contract::appendAnnotations(m_file.path(), first, second);
        QVERIFY(contract::readAnnotations(m_file.path()) == second);
    }

    void nothingIsWrittenWithoutAChange()
    {
        contract::appendAnnotations(m_file.path(), {}, {});
        QVERIFY(!std::filesystem::exists(m_file.path()));
    }

    void missingFileIsNothingSaid() { QVERIFY(contract::readAnnotations("/nowhere/a.jsonl") == Annotations()); }

    void tornLineCostsOnlyItself()
    {
        Annotations first;
        first.name = "one";
        contract::appendAnnotations(m_file.path(), {}, first);
        m_file.append("{\"v\":1,\"set\":\"name\",\"val");
        Annotations second = first;
        second.notes = "after the crash";
        contract::appendAnnotations(m_file.path(), first, second);
        QVERIFY(contract::readAnnotations(m_file.path()) == second);
    }

    void hostileLinesChangeNothing()
    {
        Annotations annotations;
        annotations.name = "one";
        annotations.line = {.colour = 0xd55e00, .dash = contract::LineDash::Dot, .marker = contract::LineMarker::None};
        contract::appendAnnotations(m_file.path(), {}, annotations);
        m_file.append("\n[]\n3\nnull\n{}\n{\"set\":3,\"value\":1}\n{\"set\":\"name\"}\n{\"set\":\"name\",\"value\":[]}\n"
               "{\"set\":\"tags\",\"value\":\"x\"}\n{\"set\":\"later\",\"value\":1}\n\xff\n{\"set\":\"color\",\"value\":\"#12345\"}\n"
               "{\"set\":\"color\",\"value\":\"#+12345\"}\n{\"set\":\"color\",\"value\":\"red\"}\n{\"set\":\"line\",\"value\":\"wavy\"}\n"
               "{\"set\":\"marker\",\"value\":\"\"}\n{\"set\":\"marker\",\"value\":7}\n"
            + std::string(100000, '{') + "\n");
        QVERIFY(contract::readAnnotations(m_file.path()) == annotations);
    }

    void whatIsNoFileIsNamedAndNotWaitedFor_data()
    {
        QTest::addColumn<QString>("what");
        QTest::newRow("defect-31: a pipe") << "pipe";
        QTest::newRow("defect-31: a link to an endless file") << "endless";
        QTest::newRow("defect-22: a link to another file") << "link";
    }
    void whatIsNoFileIsNamedAndNotWaitedFor()
    {
        QFETCH(QString, what);
        const std::filesystem::path other = m_file.path().string() + ".other";
        std::filesystem::remove(m_file.path());
        if (what == "pipe")
            QCOMPARE(::mkfifo(m_file.path().c_str(), 0600), 0);
        else
            std::filesystem::create_symlink(what == "endless" ? "/dev/zero" : other, m_file.path());
        std::ofstream(other).close();
        QVERIFY_EXCEPTION_THROWN(contract::readAnnotations(m_file.path()), std::runtime_error);
        Annotations annotations;
        annotations.name = "one";
        QVERIFY_EXCEPTION_THROWN(contract::appendAnnotations(m_file.path(), {}, annotations), std::system_error);
        QCOMPARE(std::filesystem::file_size(other), std::uintmax_t {0});
        std::filesystem::remove(m_file.path());
    }

    void unwritableFileIsNamed()
    {
        Annotations annotations;
        annotations.name = "one";
        QVERIFY_EXCEPTION_THROWN(
            contract::appendAnnotations("/nowhere/a.jsonl", {}, annotations), std::system_error);
    }
};

QTEST_APPLESS_MAIN(AnnotationsTest)
#include "tst_annotations.moc"
