// Runs the real `atelier` in a temporary data home, with fake ranks unless a test sets another worker.
#pragma once
#include "engine/contract/experiment/experiment.h"
#include "engine/contract/run/run_folder.h"
#include "launcher/base/data_home.h"
#include "tests/paths.h"

#include <QJsonDocument>
#include <QProcess>
#include <QStringList>
#include <QTemporaryDir>

#include <filesystem>
#include <memory>
#include <vector>

namespace tests {

/// The real worker of the build.
inline constexpr char kWorker[] = ATELIER_BIN_DIR "/atelier-worker";

/// How long a test waits for what must come.
inline constexpr int kTimeoutMs = 300'000;

/// More steps than a test waits for.
inline constexpr int kEndless = 100'000'000;

/// Runs of examples, and how many steps one has where it does not matter.
inline constexpr char kDigits[] = "digits-20261121-101500-aaaa", kFaces[] = "faces-20261121-101400-bbbb";
inline constexpr int kExampleSteps = 25;

struct Outcome {
    int exitCode = -1;
    QByteArray output;
    QByteArray errors;

    /// Parses standard output as one JSON document; null when it is not one.
    QJsonDocument json() const { return QJsonDocument::fromJson(output); }
    /// Exit code and both outputs, as the message of QVERIFY2.
    QByteArray report() const { return "exit code " + QByteArray::number(exitCode) + "\n" + output + errors; }
};

class AtelierProgram {
public:
    AtelierProgram();
    ~AtelierProgram();  ///< kills the runs that are still active

    /// Sets the program for later starts; the default is that of the build.
    void setProgram(const QString& file) { m_program = file; }
    const QString& program() const { return m_program; }
    /// For tests that start it themselves.
    QStringList environment() const { return m_environment.toStringList(); }
    /// Sets an environment variable for later starts.
    void setVariable(const QString& name, const QString& value) { m_environment.insert(name, value); }

    Outcome run(const QStringList& arguments);
    /// The same; prints the outcome when the exit code is not 0.
    Outcome runWell(const QStringList& arguments);
    std::unique_ptr<QProcess> start(const QStringList& arguments);

    const launcher::DataHome& home() const { return m_home; }
    /// Ids of the runs in the data home.
    QStringList runs() const;
    contract::RunFolder onlyRun() const;

    /// The path of a file in this object's temporary folder.
    QString path(const QString& name) const { return m_folder.filePath(name); }
    /// Writes such a file and returns its path.
    QString writeFile(const QString& name, const QByteArray& content);

    /// Creates a finished run: @p steps steps of two ranks, with values that are hard to print (NaN, -0, denormals).
    contract::RunFolder addFinishedRun(const std::string& id, int steps);

private:
    QTemporaryDir m_folder;
    QString m_program;
    QProcessEnvironment m_environment;
    launcher::DataHome m_home;
};

/// The lines of @p text, without leading and trailing white space.
std::vector<QByteArray> linesOf(const QByteArray& text);

/// Empty when there is no such file.
QByteArray contentOf(const std::filesystem::path& path);

/// The value of step @p step in addFinishedRun()'s series "loss" of rank 0.
double exampleLoss(int step);

}  // namespace tests
