// E7: a run as one file, packed and unpacked by the real commands, and read by the machine's own tar.
#include "tests/app/atelier_program.h"
#include "tests/paths.h"

#include "engine/contract/run/annotations.h"
#include "engine/contract/run/notice.h"
#include "launcher/base/tar_stream.h"
#include "launcher/state/run_state.h"

#include <QDirIterator>
#include <QFile>
#include <QJsonArray>
#include <QJsonObject>
#include <QtTest>

#include <csignal>

#include <sys/stat.h>

using tests::AtelierProgram;
using tests::Outcome;
using tests::kDigits;

namespace {

void writeContent(const std::filesystem::path& path, const QByteArray& content)
{
    std::filesystem::create_directories(path.parent_path());
    QFile file(QString::fromStdString(path.string()));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(content) == content.size());
}

/// All files below a folder, with their content and the second of their last change.
QMap<QString, QPair<QByteArray, qint64>> filesOf(const std::filesystem::path& folder)
{
    QMap<QString, QPair<QByteArray, qint64>> found;
    const QString root = QString::fromStdString(folder.string());
    for (QDirIterator file(root, QDir::Files | QDir::Hidden, QDirIterator::Subdirectories); file.hasNext();) {
        QFile stream(file.next());
        if (stream.open(QIODevice::ReadOnly))
            found[file.filePath().mid(root.size() + 1)] = {stream.readAll(), file.fileInfo().lastModified().toSecsSinceEpoch()};
    }
    return found;
}

struct Entry {
    std::string path;
    QByteArray content = "x";
    char type = '0';  ///< as in a tar header
};

/// An archive of these entries and, unless @p sums is given, of the right checksums.
QByteArray archiveOf(const std::vector<Entry>& entries, std::optional<QByteArray> sums = {})
{
    QByteArray archive, right;
    launcher::TarWriter tar([&](const void* data, std::size_t bytes) { archive.append(static_cast<const char*>(data), qsizetype(bytes)); });
    for (const Entry& entry : entries) {
        const auto begin = archive.size() + (512 - archive.size() % 512) % 512;
        tar.begin({.path = entry.path, .bytes = std::uint64_t(entry.content.size())});
        tar.write(entry.content.constData(), std::size_t(entry.content.size()));
        if (entry.type != '0') {
            archive[begin + 156] = entry.type;
            int sum = 0;
            archive.replace(begin + 148, 8, QByteArray(8, ' '));
            for (int i = 0; i < 512; ++i)
                sum += static_cast<unsigned char>(archive[begin + i]);
            archive.replace(begin + 148, 7, QByteArray::number(sum, 8).rightJustified(7, '0'));
            archive[begin + 155] = '\0';
        }
        right += QCryptographicHash::hash(entry.content, QCryptographicHash::Sha256).toHex() + "  " + entry.path.c_str() + "\n";
    }
    const QByteArray text = sums.value_or(right);
    tar.begin({.path = "SHA256SUMS", .bytes = std::uint64_t(text.size())});
    tar.write(text.constData(), std::size_t(text.size()));
    tar.finish();
    return archive;
}

}  // namespace

class PackTest : public QObject {
    Q_OBJECT

    std::unique_ptr<AtelierProgram> m_atelier;

    QString path(const QString& name) { return QFileInfo(m_atelier->writeFile("place", "")).path() + '/' + name; }

    contract::RunFolder addRun()
    {
        const contract::RunFolder run = m_atelier->addFinishedRun(kDigits, 50);
        contract::appendAnnotations(run.annotations(), {}, {.name = "lower", .project = "p", .tags = {"lora"}, .notes = "n", .isArchived = false});
        for (const int step : {10, 50}) {
            writeContent(run.checkpoint(step) / "rank-0.safetensors", QByteArray(100'000, char('a' + step)));
            writeContent(run.checkpoint(step) / "manifest.json", "{}");
        }
        writeContent(run.samples() / std::string(150, 'l'), "a long name");
        writeContent(run.logs() / "rank-0.log", "");
        return run;
    }

    bool isNothingLeft() const
    {
        return m_atelier->runs().isEmpty() && QDir(QString::fromStdString((m_atelier->home().data / "incoming").string())).isEmpty();
    }

private Q_SLOTS:
    void init() { m_atelier = std::make_unique<AtelierProgram>(); }

    void E7_theUnpackedRunIsTheSame()
    {
        const contract::RunFolder run = addRun();
        const auto files = filesOf(run.root());
        contract::markUnreported(run, 1);  // is for those who see the run here
        const QJsonDocument history = m_atelier->runWell({"export", "lower", "--json"}).json();
        const QJsonObject shown = m_atelier->runWell({"show", "lower", "--json"}).json().object();
        const QString archive = path("run.tar");
        const QJsonObject packed = m_atelier->runWell({"pack", "lower", archive, "--json"}).json().object();
        QCOMPARE(packed["files"].toInt(), int(files.size()));
        QCOMPARE(packed["bytes"].toInteger(), QFileInfo(archive).size());
        const Outcome again = m_atelier->run({"pack", "lower", archive});
        QVERIFY2(again.exitCode == 1 && again.errors.contains("--overwrite"), again.report());
        const Outcome taken = m_atelier->run({"unpack", archive});
        QVERIFY2(taken.exitCode == 1 && taken.errors.contains("already"), taken.report());
        // Into another data home.
        const std::unique_ptr<AtelierProgram> source = std::move(m_atelier);
        m_atelier = std::make_unique<AtelierProgram>();
        QCOMPARE(m_atelier->runWell({"unpack", archive}).exitCode, 0);
        QCOMPARE(filesOf(m_atelier->onlyRun().root()), files);
        QCOMPARE(m_atelier->runWell({"export", "lower", "--json"}).json(), history);
        QJsonObject same = m_atelier->runWell({"show", "lower", "--json"}).json().object();
        QVERIFY(same["tags"] == shown["tags"] && same["metrics"] == shown["metrics"] && same["status"] == shown["status"] && same["attempts"] == shown["attempts"]);
    }

    void E7_anUnpackedRunIsResumed()
    {
        m_atelier->runWell({"run", "digits", "--set", "run.total_steps=20"});
        m_atelier->runWell({"resume", "latest", "--set", "run.total_steps=22"});
        const QString archive = path("run.tar");
        m_atelier->runWell({"pack", "latest", archive});
        const std::unique_ptr<AtelierProgram> source = std::move(m_atelier);
        m_atelier = std::make_unique<AtelierProgram>();
        m_atelier->runWell({"unpack", archive});
        QCOMPARE(m_atelier->runWell({"resume", "latest", "--set", "run.total_steps=25"}).exitCode, 0);
        const QJsonObject shown = m_atelier->runWell({"show", "latest", "--json"}).json().object();
        QCOMPARE(shown["status"].toObject()["state"].toString(), QStringLiteral("finished"));
        QCOMPARE(shown["status"].toObject()["step"].toInt(), 25);
        QCOMPARE(shown["attempts"].toArray().size(), 3);
    }

    void E7_tarAndSha256sumReadTheArchive()
    {
        const contract::RunFolder run = addRun();
        const auto files = filesOf(run.root());
        const QString archive = path("run.tar");
        m_atelier->runWell({"pack", kDigits, archive});
        QDir().mkpath(path("plain"));
        QProcess shell;
        shell.setWorkingDirectory(path("plain"));
        shell.start("sh", {"-c", "tar -xf ../run.tar && sha256sum --quiet --strict -c SHA256SUMS"});
        QVERIFY(shell.waitForFinished() && shell.exitCode() == 0);
        QVERIFY2(shell.readAllStandardError().isEmpty(), "tar or sha256sum complained");
        QCOMPARE(filesOf((path("plain/") + kDigits).toStdString()), files);
    }

    void E7_checkpointsMayBeLeftOut_data()
    {
        QTest::addColumn<QString>("which");
        QTest::addColumn<QStringList>("kept");
        QTest::newRow("all") << "all" << QStringList {"step-10", "step-50"};
        QTest::newRow("last") << "last" << QStringList {"step-50"};
        QTest::newRow("none") << "none" << QStringList();
    }
    void E7_checkpointsMayBeLeftOut()
    {
        QFETCH(QString, which);
        QFETCH(QStringList, kept);
        addRun();
        const QString archive = path("run.tar");
        m_atelier->runWell({"pack", kDigits, archive, "--checkpoints", which});
        m_atelier->runWell({"rm", kDigits, "--yes"});
        m_atelier->runWell({"unpack", archive});
        const contract::RunFolder run = m_atelier->onlyRun();
        QCOMPARE(QDir(QString::fromStdString(run.checkpoints().string())).entryList(QDir::Dirs | QDir::NoDotAndDotDot), kept);
        QVERIFY(filesOf(run.root()).contains("journal/rank-0.jsonl"));
    }

    void E7_itGoesThroughPipes()
    {
        addRun();
        QProcess shell;
        shell.setProcessEnvironment([&] {
            QProcessEnvironment environment;
            for (const QString& variable : m_atelier->environment())
                environment.insert(variable.section('=', 0, 0), variable.section('=', 1));
            return environment;
        }());
        const QString other = path("other");
        shell.start("sh", {"-c", "set -e; \"$0\" pack digits - | gzip | gunzip | ATELIER_HOME=\"$1\" \"$0\" unpack -", m_atelier->program(), other});
        QVERIFY(shell.waitForFinished());
        QVERIFY2(shell.exitCode() == 0, shell.readAllStandardError());
        QCOMPARE(filesOf((other + "/runs/" + kDigits).toStdString()), filesOf(m_atelier->onlyRun().root()));
    }

    void E7_anActiveRunIsNotPacked()
    {
        const QString file = m_atelier->writeFile("live.toml",
            "[run]\nname = \"live\"\ntotal_steps = 100000\n[launch]\nranks = 2\n[data]\npath = \"" ATELIER_SOURCE_DIR "/resources/digits.csv.gz\"\n");
        m_atelier->runWell({"run", file, "--detach"});
        const Outcome outcome = m_atelier->run({"pack", "live", path("run.tar")});
        QVERIFY2(outcome.exitCode == 1 && outcome.errors.contains("stop it first"), outcome.report());
        QVERIFY(!QFileInfo::exists(path("run.tar")));
    }

    void E7_linksAndPipesAreLeftOutAndSaid()
    {
        const contract::RunFolder run = addRun();
        std::filesystem::create_symlink("/etc/passwd", run.root() / "link");
        QCOMPARE(::mkfifo((run.root() / "pipe").c_str(), 0600), 0);
        writeContent(run.root() / "odd\nname", "x");
        const Outcome outcome = m_atelier->runWell({"pack", kDigits, path("run.tar")});
        QCOMPARE(outcome.errors.count("was left out"), 3);
        m_atelier->runWell({"rm", kDigits, "--yes"});
        QCOMPARE(m_atelier->runWell({"unpack", path("run.tar")}).exitCode, 0);
    }

    void E7_hostileAndDamagedArchivesLeaveNothing_data()
    {
        QTest::addColumn<QByteArray>("archive");
        QTest::addColumn<QString>("said");
        const auto row = [](const char* name, const QByteArray& archive, const char* said) { QTest::newRow(name) << archive << QString(said); };
        const Entry start {"r/attempts/1/start.json", "{}"};
        row("above the run", archiveOf({start, {"r/../../evil"}}), "not in the folder of its run");
        row("absolute", archiveOf({{"/etc/evil"}}), "not in the folder of its run");
        row("beside the run", archiveOf({start, {"other/file"}}), "not in the folder of its run");
        row("at the top", archiveOf({{"file"}}), "not in the folder of its run");
        row("an empty part", archiveOf({{"r//file"}}), "not in the folder of its run");
        row("a dot", archiveOf({{"r/./file"}}), "not in the folder of its run");
        row("a line break", archiveOf({{"r/a\nb"}}), "not in the folder of its run");
        row("a hidden run", archiveOf({{".r/file"}}), "not a run's id");
        row("a link", archiveOf({start, {"r/link", "", '2'}}), "neither a file nor a folder");
        row("a hard link", archiveOf({start, {"r/link", "", '1'}}), "neither a file nor a folder");
        row("a device", archiveOf({start, {"r/device", "", '3'}}), "neither a file nor a folder");
        row("twice", archiveOf({start, {"r/a"}, {"r/a"}}), "twice");
        row("a file in the place of a folder", archiveOf({{"r/attempts"}, start}), "attempts");
        row("a wrong checksum", archiveOf({start}, QByteArray(64, '0') + "  r/attempts/1/start.json\n"), "does not have its checksum");
        row("a file without a checksum", archiveOf({start}, QByteArray()), "without a checksum");
        row("a missing file", archiveOf({start}, QByteArray(64, '0') + "  r/zzz\n"), "lacks");
        row("no run", archiveOf({{"r/file"}}), "start.json");
        row("nothing", QByteArray(1024, '\0'), "not a packed run");
        row("empty", QByteArray(), "ends too early");
        row("no tar", QByteArray(4096, 'x'), "not a tar archive");
        row("cut off in a file", archiveOf({start, {"r/big", QByteArray(5000, 'b')}}).left(4000), "ends too early");
        QByteArray flipped = archiveOf({start, {"r/big", QByteArray(5000, 'b')}});
        flipped[3000] = 'c';
        row("a changed byte", flipped, "does not have its checksum");
        QByteArray header = archiveOf({start});
        header[124] = '7';
        row("a changed header", header, "does not have its checksum");
        row("larger than any disk", [&] {
            QByteArray archive;
            launcher::TarWriter tar([&](const void* data, std::size_t bytes) { archive.append(static_cast<const char*>(data), qsizetype(bytes)); });
            tar.begin({.path = "r/file", .bytes = std::uint64_t(1) << 60});
            return archive;
        }(), "cannot be written");
    }
    void E7_hostileAndDamagedArchivesLeaveNothing()
    {
        QFETCH(QByteArray, archive);
        QFETCH(QString, said);
        const Outcome outcome = m_atelier->run({"unpack", m_atelier->writeFile("hostile.tar", archive)});
        QVERIFY2(outcome.exitCode == 1 && outcome.errors.contains(said.toUtf8()) && outcome.errors.count('\n') == 1, outcome.report());
        QVERIFY(isNothingLeft());
    }

    void E7_whatAKilledUnpackLeavesIsRemoved()
    {
        addRun();
        const QString archive = path("run.tar");
        m_atelier->runWell({"pack", kDigits, archive});
        QFile file(archive);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray bytes = file.readAll();
        m_atelier->runWell({"rm", kDigits, "--yes"});
        m_atelier->runWell({"trash", "empty", "--yes"});
        const auto process = m_atelier->start({"unpack", "-"});
        process->write(bytes.left(bytes.size() / 2));
        const QDir incoming(QString::fromStdString((m_atelier->home().data / "incoming").string()));
        QTRY_VERIFY(process->waitForBytesWritten(10) || !incoming.isEmpty());
        QTRY_VERIFY(!incoming.isEmpty());
        // Another one meanwhile leaves it alone.
        QCOMPARE(m_atelier->runWell({"unpack", archive}).exitCode, 0);
        QVERIFY(!incoming.isEmpty());
        process->kill();
        QVERIFY(process->waitForFinished());
        m_atelier->runWell({"rm", kDigits, "--yes"});
        QCOMPARE(m_atelier->runWell({"unpack", archive}).exitCode, 0);
        QVERIFY(incoming.isEmpty());
        QCOMPARE(m_atelier->runs().size(), 1);
    }

    void aLargeFileHasAnExtendedHeader()
    {
        QByteArray archive;
        launcher::TarWriter tar([&](const void* data, std::size_t bytes) { archive.append(static_cast<const char*>(data), qsizetype(bytes)); });
        const std::uint64_t bytes = (std::uint64_t(1) << 33) + 7;
        tar.begin({.path = std::string(300, 'p'), .bytes = bytes, .changedSeconds = 77});
        QCOMPARE(launcher::tarBytes({.path = std::string(300, 'p'), .bytes = bytes}), std::uint64_t(archive.size()) + bytes + (512 - bytes % 512));
        std::size_t at = 0;
        launcher::TarReader reader([&](void* data, std::size_t count) {
            std::memcpy(data, archive.constData() + at, count);
            at += count;
            return count;
        });
        const auto entry = reader.next();
        QVERIFY(entry && entry->path == std::string(300, 'p') && entry->bytes == bytes && entry->changedSeconds == 77);
    }
};

QTEST_GUILESS_MAIN(PackTest)
#include "tst_pack.moc"
