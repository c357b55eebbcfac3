// Runs a program in a pseudo terminal and shows what a person would see in it.
#pragma once
#include <QByteArray>
#include <QMap>
#include <QString>
#include <QStringList>

#include <functional>
#include <vector>

#include <sys/types.h>
#include <termios.h>

namespace tests {

/// The part of a terminal's behaviour that full-screen programs rely on. Everything else is collected in unknown().
class Screen {
public:
    Screen(int columns, int rows);
    void resize(int columns, int rows);
    void feed(const QByteArray& bytes);

    QString line(int row) const { return m_lines[row].trimmed(); }
    QString text() const { return m_lines.join('\n'); }
    bool isAlternate() const { return m_isAlternate; }  ///< shows the other screen
    bool isCursorShown() const { return m_isCursorShown; }
    bool wrapsLines() const { return m_wrapsLines; }
    const QStringList& unknown() const { return m_unknown; }  ///< control sequences and characters that a terminal might obey
    const QStringList& styles() const { return m_styles; }    ///< the parameters of all sequences that chose a style
    int paints(int row) const { return m_paints.value(row); } ///< how often the cursor was put at the beginning of the row

private:
    void put(char32_t character);
    void obey(const QByteArray& sequence);

    QStringList m_lines;
    int m_columns, m_row = 0, m_column = 0;
    QByteArray m_pending;
    bool m_isAlternate = false, m_isCursorShown = true, m_wrapsLines = true;
    QStringList m_unknown, m_styles;
    QMap<int, int> m_paints;
};

class PseudoTerminal {
public:
    PseudoTerminal(int columns, int rows);
    ~PseudoTerminal();  ///< kills the program

    void start(const QString& program, const QStringList& arguments, const QStringList& environment);
    void resize(int columns, int rows);
    void type(const QByteArray& keys);
    pid_t process() const { return m_process; }

    /// Reads what the program writes until @p isReached. Returns false when that takes longer than @p timeoutMs.
    bool wait(const std::function<bool(const Screen&)>& isReached, int timeoutMs = 20000);
    bool waitForText(const QString& text);
    /// Waits until the program is stopped. A SIGCONT that is sent before that is lost. Returns false after 20 s.
    bool waitForStop();
    /// Waits for the program's end. @return its exit code; 128 + the signal that ended it; -1 when it does not end.
    int end();

    const Screen& screen() const { return m_screen; }
    const QByteArray& output() const { return m_output; }  ///< everything that was written
    termios settings() const;

private:
    bool read(int timeoutMs);

    int m_master = -1, m_slave = -1;
    pid_t m_process = -1;
    Screen m_screen;
    QByteArray m_output;
};

}  // namespace tests
