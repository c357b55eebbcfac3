// The real `atelier` in a data home of its own, with fake ranks unless a test says otherwise.
#pragma once
#include "engine/contract/experiment.h"
#include "engine/contract/run_folder.h"
#include "launcher/data_home.h"

#include <QJsonDocument>
#include <QProcess>
#include <QStringList>
#include <QTemporaryDir>

#include <memory>
#include <vector>

namespace tests {

struct Outcome {
    int exitCode = -1;
    QByteArray output;
    QByteArray errors;

    /// The whole of standard output as one JSON document; null when it is none.
    QJsonDocument json() const { return QJsonDocument::fromJson(output); }
    /// For QVERIFY2.
    QByteArray told() const { return "exit code " + QByteArray::number(exitCode) + "\n" + output + errors; }
};

class AtelierProgram {
public:
    AtelierProgram();
    ~AtelierProgram();  ///< kills what is still running

    /// What later starts run, instead of the build's own program.
    void setProgram(const QString& file) { m_program = file; }
    /// Variables that later starts get beside ATELIER_HOME.
    void setVariable(const QString& name, const QString& value) { m_environment.insert(name, value); }

    Outcome run(const QStringList& arguments);
    /// The same; what it told is printed when its exit code is not 0.
    Outcome runWell(const QStringList& arguments);
    std::unique_ptr<QProcess> start(const QStringList& arguments);

    const launcher::DataHome& home() const { return m_home; }
    /// Ids of the runs that lie in the data home, in no order.
    QStringList runs() const;
    contract::RunFolder onlyRun() const;

    /// A file in a folder of this object's own.
    QString writeFile(const QString& name, const QByteArray& content);

    /// A run that finished long ago: @p steps steps of two ranks, values that are hard to print.
    contract::RunFolder addFinishedRun(const std::string& id, int steps);

private:
    QTemporaryDir m_folder;
    QString m_program;
    QProcessEnvironment m_environment;
    launcher::DataHome m_home;
};

/// Without what surrounds the text.
std::vector<QByteArray> linesOf(const QByteArray& text);

/// The value of step @p step in addFinishedRun()'s series "loss" of rank 0.
double exampleLoss(int step);

}  // namespace tests
