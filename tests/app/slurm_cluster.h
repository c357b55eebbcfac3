// A real Slurm cluster of two nodes on this machine: munged, slurmctld and two slurmd, each with files and ports of its own.
#pragma once
#include <QProcess>
#include <QString>
#include <QStringList>
#include <QTemporaryDir>

#include <map>
#include <memory>

namespace tests {

class SlurmCluster {
public:
    SlurmCluster();
    ~SlurmCluster();  ///< cancels all jobs

    /// Whether Debian's packages slurm-wlm and munge are installed.
    static bool isInstalled();

    /// Starts the daemons. @return empty when both nodes are idle, else what went wrong. Sets SLURM_CONF in this process.
    QString start();

    /// What one of Slurm's programs prints.
    static QString ask(const QString& program, const QStringList& arguments);
    /// The state of a job as squeue has it: "RUNNING".
    static QString stateOf(const QString& job);

    void stopController() { stop(QStringLiteral("slurmctld")); }
    QString startController();  ///< No-op while it runs.

    /// Kills a node's daemon and all that runs on the node, as if its power failed. @p node: "n1" or "n2"
    void killNode(const QString& node);
    QString startNode(const QString& node);

private:
    void writeConfiguration();
    QString startDaemon(const QString& name, const QString& program, const QStringList& arguments);
    void stop(const QString& name);
    QString awaitIdleNodes();

    QTemporaryDir m_folder;
    QString m_configuration;
    std::map<QString, std::unique_ptr<QProcess>> m_daemons;
};

}  // namespace tests
