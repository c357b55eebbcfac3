// Programs that benchmarks run beside ours.
#pragma once
#include <QByteArray>
#include <QProcess>
#include <QString>
#include <QStringList>

namespace bench {

/// What @p program prints; its errors go where ours go. @throws std::runtime_error when it fails.
QByteArray outputOf(const QString& program, const QStringList& arguments);

/// A program that answers each line with one line, so that its work alternates with ours.
class LineServer {
public:
    /// Starts it and waits for its first line. @throws std::runtime_error when it ends without one.
    LineServer(const QString& program, const QStringList& arguments);
    ~LineServer();

    const QByteArray& greeting() const { return m_greeting; }  ///< its first line
    /// @throws std::runtime_error when it ends without an answer.
    QByteArray ask(const QByteArray& line);
    /// Answers of programs that time one pass for each line: milliseconds.
    double milliseconds(const QByteArray& pass) { return ask(pass).toDouble() * 1e3; }

private:
    QByteArray readLine();

    QProcess m_process;
    QByteArray m_greeting;
};

/// The Python that has diffusers, transformers and PEFT: see tests/peers/environment.
QString diffusersPython();

}  // namespace bench
