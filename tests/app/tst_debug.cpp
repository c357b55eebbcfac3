// E14: `atelier debug`: the package of a run, without secrets.
#include "tests/app/atelier_program.h"

#include <QDir>
#include <QJsonArray>
#include <QJsonObject>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>

#include <filesystem>
#include <fstream>

using tests::AtelierProgram;
using tests::Outcome;
namespace fs = std::filesystem;

namespace {

void appendText(const fs::path& file, const std::string& text)
{
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::app) << text;
}

}  // namespace

class DebugTest : public QObject {
    Q_OBJECT

    std::unique_ptr<AtelierProgram> m_atelier;
    std::unique_ptr<contract::RunFolder> m_run;
    QTemporaryDir m_folder;

    QString archive() const { return m_folder.filePath("debug.tar.gz"); }
    /// Unpacks the archive by tar. @return the content of its file @p name
    QByteArray unpacked(const QString& name)
    {
        const QString to = m_folder.filePath("unpacked");
        QDir().mkpath(to);
        if (QProcess::execute("tar", {"-xzf", archive(), "-C", to}) != 0)
            qFatal("tar cannot read the archive");
        QFile file(to + "/digits-20261121-101500-aaaa-debug/" + name);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("(none)");
    }

private Q_SLOTS:
    void init()
    {
        m_atelier = std::make_unique<AtelierProgram>();
        m_run = std::make_unique<contract::RunFolder>(m_atelier->addFinishedRun("digits-20261121-101500-aaaa", 10));
        appendText(m_run->log(0), "loading\nHF_TOKEN=hf_abcdefghijklmnopqrstuvwxyz\nlost the connection\n");
        appendText(m_run->checkpoint(5) / "rank-0.safetensors", "the weights");
        appendText(m_run->samples() / "a.png", "a picture");
        fs::create_symlink("/etc/passwd", m_run->logs() / "rank-9.log");
        QFile::remove(archive());
    }

    void E14_thePackageHoldsWhatHelpsAndNoSecrets()
    {
        const QJsonObject document = m_atelier->runWell({"debug", "digits", archive(), "--json"}).json().object();
        QCOMPARE(document["file"].toString(), archive());
        QStringList names;
        int removed = 0;
        for (const QJsonValue& file : document["files"].toArray()) {
            names << file["name"].toString();
            removed += file["secrets_removed"].toInt();
        }
        for (const char* name : {"about.txt", "doctor.txt", "files.txt", "attempts/1/config.toml", "attempts/1/start.json", "journal/rank-0.jsonl",
                 "journal/supervisor.jsonl", "logs/rank-0.log"})
            QVERIFY2(names.contains(name), name);
        QVERIFY(!names.contains("logs/rank-9.log"));
        QCOMPARE(removed, 1);
        QCOMPARE(unpacked("logs/rank-0.log"), QByteArray("loading\nHF_TOKEN=[removed]\nlost the connection\n"));
        const QByteArray about = unpacked("about.txt");
        QVERIFY2(about.startsWith("Atelier ") && about.contains("\nstate: finished\n") && QRegularExpression("\nmemory: \\d+ kB, available \\d").match(QString::fromUtf8(about)).hasMatch(), about);
        const QByteArray list = unpacked("files.txt");
        QVERIFY2(list.contains("checkpoints/step-5/rank-0.safetensors\t11 bytes\n") && list.contains("logs/rank-9.log\ta link\n"), list);
        QVERIFY2(unpacked("doctor.txt").contains("CHECK"), unpacked("doctor.txt"));
        for (const QString& name : names)
            QVERIFY2(!unpacked(name).contains("hf_abc") && !unpacked(name).contains("the weights") && !unpacked(name).contains("a picture"), qPrintable(name));
        const Outcome again = m_atelier->run({"debug", "digits", archive()});
        QVERIFY2(again.exitCode == 1 && again.errors.contains("is there already"), again.report());
        QCOMPARE(m_atelier->runWell({"debug", "digits", archive(), "--overwrite"}).exitCode, 0);
    }

    void E14_longFilesAreCutInTheMiddle()
    {
        std::string log;
        for (int line = 0; line < 100'000; ++line)
            log += "line " + std::to_string(line) + "\n";
        appendText(m_run->log(1), log);
        const QByteArray shown = m_atelier->runWell({"debug", "digits", "--show", "logs/rank-1.log"}).output;
        QVERIFY(shown.startsWith("line 0\nline 1\n") && shown.endsWith("\nline 99999\n"));
        QVERIFY(shown.size() < 270'000);
        const qsizetype at = shown.indexOf("… ");
        const QList<QByteArray> lines = shown.split('\n');
        const auto mark = std::ranges::find_if(lines, [](const QByteArray& line) { return line.contains("bytes are left out here"); });
        QVERIFY(at > 0 && mark != lines.end());
        // Whole lines stand around it, and it tells what is missing.
        const auto number = [](const QByteArray& line) { return line.mid(5).toInt(); };
        qint64 missing = 0;
        for (int line = number(*(mark - 1)) + 1; line < number(*(mark + 1)); ++line)
            missing += qint64(6 + std::to_string(line).size());
        QCOMPARE(mark->mid(4).split(' ').front().toLongLong(), missing);
    }

    void E14_whatItWouldHoldIsListed()
    {
        const Outcome preview = m_atelier->runWell({"debug", "digits", "--preview"});
        QVERIFY2(preview.output.contains("logs/rank-0.log") && preview.output.contains("SECRETS REMOVED"), preview.report());
        QVERIFY(!QFile::exists(archive()));
        const Outcome none = m_atelier->run({"debug", "digits"});
        QVERIFY2(none.exitCode == 2 && none.errors.contains("--preview"), none.report());
        const Outcome unknown = m_atelier->run({"debug", "digits", "--show", "x"});
        QVERIFY2(unknown.exitCode == 1 && unknown.errors.contains("has no file x"), unknown.report());
        const Outcome nowhere = m_atelier->run({"debug", "digits", "/nowhere/x.tar.gz"});
        QVERIFY2(nowhere.exitCode == 1 && nowhere.errors.startsWith("error: debug: ") && nowhere.errors.contains("/nowhere/x.tar.gz"), nowhere.report());
    }

    /// The address that is told about runs is as good as a password.
    void E14_theWebAddressIsRemoved()
    {
        m_atelier->runWell({"notify", "http://127.0.0.1:9/some-address"});
        appendText(m_run->log(0), "told http://127.0.0.1:9/some-address\n");
        const QByteArray shown = m_atelier->runWell({"debug", "digits", "--show", "logs/rank-0.log"}).output;
        QVERIFY2(shown.contains("told [removed]\n"), shown);
    }
};

QTEST_GUILESS_MAIN(DebugTest)
#include "tst_debug.moc"
