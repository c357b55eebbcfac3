// One command of `atelier` that a server carries out for a mirror: a process of its own, without a shell.
#pragma once
#include <QByteArray>
#include <QObject>
#include <QProcess>
#include <QString>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace launcher {

inline constexpr std::size_t kMostCommandOutput = 8 * 1024 * 1024;  ///< bytes

/// What makes a command end before it is done.
enum class CommandEnds {
    WhenCancelled,  ///< also when the server ends, however it does: the command reads or computes, and somebody waits for that
    ByItself,       ///< nothing: it changes something, which takes moments
};

struct CommandEnd {
    std::string error = {};  ///< in one sentence; empty on success
    std::string output = {};  ///< what it has printed; empty when it has failed
    bool isCancelled = false;
};

class ServedProcess : public QObject {
    Q_OBJECT
public:
    /// @param id what the mirror calls it
    ServedProcess(std::int64_t id, CommandEnds ends, QObject* parent);
    /// Ends the command, or lets it finish, and waits for that.
    ~ServedProcess() override;

    std::int64_t id() const { return m_id; }
    /// @param input what "-" among @p words stands for
    void start(const std::vector<std::string>& words, const std::string& input);
    /// Asks the command to end, and kills it if it does not within seconds. @return false: it ends by itself
    bool cancel();

Q_SIGNALS:
    /// The command has printed a line "progress: TEXT" on standard error.
    void progressed(const std::string& text);
    /// Once, after start() has returned. Nothing comes after it.
    void ended(const launcher::CommandEnd& end);

private:
    void readOutput();
    void readErrors();
    void takeErrorLine(const QByteArray& line);
    void finish(const std::string& error);
    void finishLater(const std::string& error);
    std::string errorText() const;

    std::int64_t m_id;
    CommandEnds m_ends;
    QProcess m_process;
    QString m_experiment;  ///< the file of the input; empty: there is none
    std::string m_output;
    QByteArray m_errorLine;  ///< the beginning of the next line on standard error
    QByteArray m_errors;
    bool m_isCancelled = false;
};

}  // namespace launcher
