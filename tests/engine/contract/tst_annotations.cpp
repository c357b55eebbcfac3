#include "engine/contract/annotations.h"

#include <QTemporaryDir>
#include <QtTest>

#include <fstream>
#include <system_error>

using contract::Annotations;

class AnnotationsTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::filesystem::path file() const
    {
        return (m_folder.path() + "/" + QTest::currentTestFunction() + ".jsonl").toStdString();
    }
    void append(const std::string& text) const { std::ofstream(file(), std::ios::app) << text; }

private Q_SLOTS:
    void everyFieldReadsBack()
    {
        const Annotations all {.name = "the \"best\" one ü", .project = "p", .tags = {"a", "b,c"},
            .notes = "line\nline", .isArchived = true};
        contract::appendAnnotations(file(), {}, all);
        QVERIFY(contract::readAnnotations(file()) == all);
    }

    void lastChangeWins()
    {
        Annotations first {.name = "one", .project = {}, .tags = {"x"}, .notes = {}, .isArchived = false};
        contract::appendAnnotations(file(), {}, first);
        Annotations second = first;
        second.name = "two";
        second.tags.clear();
        contract::appendAnnotations(file(), first, second);
        QVERIFY(contract::readAnnotations(file()) == second);
    }

    void nothingIsWrittenWithoutAChange()
    {
        contract::appendAnnotations(file(), {}, {});
        QVERIFY(!std::filesystem::exists(file()));
    }

    void missingFileIsNothingSaid() { QVERIFY(contract::readAnnotations("/nowhere/a.jsonl") == Annotations()); }

    void tornLineCostsOnlyItself()
    {
        Annotations first;
        first.name = "one";
        contract::appendAnnotations(file(), {}, first);
        append("{\"v\":1,\"set\":\"name\",\"val");
        Annotations second = first;
        second.notes = "after the crash";
        contract::appendAnnotations(file(), first, second);
        QVERIFY(contract::readAnnotations(file()) == second);
    }

    void hostileLinesChangeNothing()
    {
        Annotations said;
        said.name = "one";
        contract::appendAnnotations(file(), {}, said);
        append("\n[]\n3\nnull\n{}\n{\"set\":3,\"value\":1}\n{\"set\":\"name\"}\n{\"set\":\"name\",\"value\":[]}\n"
               "{\"set\":\"tags\",\"value\":\"x\"}\n{\"set\":\"later\",\"value\":1}\n\xff\n"
            + std::string(100000, '{') + "\n");
        QVERIFY(contract::readAnnotations(file()) == said);
    }

    void unwritableFileIsNamed()
    {
        Annotations said;
        said.name = "one";
        QVERIFY_EXCEPTION_THROWN(
            contract::appendAnnotations("/nowhere/a.jsonl", {}, said), std::system_error);
    }
};

QTEST_APPLESS_MAIN(AnnotationsTest)
#include "tst_annotations.moc"
