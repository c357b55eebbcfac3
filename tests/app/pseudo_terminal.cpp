#include "tests/app/pseudo_terminal.h"

#include <QElapsedTimer>

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utmp.h>

namespace tests {

Screen::Screen(int columns, int rows) { resize(columns, rows); }

void Screen::resize(int columns, int rows)
{
    m_columns = columns;
    m_lines = QStringList(rows, QString(columns, ' '));
}

void Screen::feed(const QByteArray& bytes)
{
    m_pending += bytes;
    while (!m_pending.isEmpty()) {
        const auto first = static_cast<unsigned char>(m_pending.front());
        qsizetype length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
        if (first == 0x1B) {
            length = 2;
            if (m_pending.size() > 1 && m_pending[1] == '[') {
                for (length = 3; length <= m_pending.size() && (m_pending[length - 1] < '@' || m_pending[length - 1] > '~');)
                    ++length;
            }
        }
        if (m_pending.size() < length)
            return;
        const QByteArray token = m_pending.left(length);
        m_pending.remove(0, length);
        if (first == 0x1B)
            obey(token);
        else
            put(QString::fromUtf8(token) == QChar(QChar::ReplacementCharacter) && length < 3 ? 0 : QString::fromUtf8(token).toUcs4().value(0));
    }
}

void Screen::put(char32_t character)
{
    const QChar::Category category = QChar::category(character);
    if (character == '\n' || character == '\r')  // of programs that print lines
        return;
    if (category == QChar::Other_Control || category == QChar::Other_Format) {
        m_unknown << "U+" + QString::number(character, 16);
        return;
    }
    if (m_row < m_lines.size() && m_column < m_columns)
        m_lines[m_row][m_column] = QChar(char16_t(character));
    if (m_column < m_columns - 1 || m_wrapsLines)
        ++m_column;
}

void Screen::obey(const QByteArray& sequence)
{
    const QByteArray parameters = sequence.mid(2).chopped(1);
    if (sequence == "\033[?1049h" || sequence == "\033[?1049l") {
        m_isAlternate = sequence.endsWith('h');
    } else if (sequence == "\033[?25h" || sequence == "\033[?25l") {
        m_isCursorShown = sequence.endsWith('h');
    } else if (sequence == "\033[?7h" || sequence == "\033[?7l") {
        m_wrapsLines = sequence.endsWith('h');
    } else if (sequence == "\033[2J") {
        m_lines.fill(QString(m_columns, ' '));
    } else if (sequence == "\033[K") {
        if (m_row < m_lines.size())
            m_lines[m_row] = m_lines[m_row].left(m_column).leftJustified(m_columns);
    } else if (sequence.startsWith("\033[") && sequence.endsWith('m')) {
        m_styles << QString::fromLatin1(parameters);
    } else if (sequence.startsWith("\033[") && sequence.endsWith('H') && parameters.split(';').size() == 2) {
        m_row = parameters.split(';')[0].toInt() - 1;
        m_column = parameters.split(';')[1].toInt() - 1;
        m_paints[m_row] += m_column == 0;
    } else {
        m_unknown << QString::fromLatin1(sequence.toPercentEncoding());
    }
}

PseudoTerminal::PseudoTerminal(int columns, int rows)
    : m_screen(columns, rows)
{
    const winsize size {.ws_row = static_cast<unsigned short>(rows), .ws_col = static_cast<unsigned short>(columns), .ws_xpixel = 0, .ws_ypixel = 0};
    if (::openpty(&m_master, &m_slave, nullptr, nullptr, &size) != 0)
        qFatal("no pseudo terminal");
    ::fcntl(m_master, F_SETFD, FD_CLOEXEC);
}

PseudoTerminal::~PseudoTerminal()
{
    if (m_process > 0) {
        ::kill(m_process, SIGKILL);
        ::waitpid(m_process, nullptr, 0);
    }
    ::close(m_slave);
    ::close(m_master);
}

void PseudoTerminal::start(const QString& program, const QStringList& arguments, const QStringList& environment)
{
    const auto pointers = [](std::vector<QByteArray>& texts) {
        std::vector<char*> list;
        for (QByteArray& text : texts)
            list.push_back(text.data());
        list.push_back(nullptr);
        return list;
    };
    std::vector<QByteArray> words {program.toUtf8()}, variables;
    for (const QString& argument : arguments)
        words.push_back(argument.toUtf8());
    for (const QString& variable : environment)
        variables.push_back(variable.toUtf8());
    std::vector<char*> argv = pointers(words), envp = pointers(variables);
    m_process = ::fork();
    if (m_process == 0) {
        ::login_tty(::dup(m_slave));
        ::execve(argv[0], argv.data(), envp.data());
        ::_exit(127);
    }
}

void PseudoTerminal::resize(int columns, int rows)
{
    m_screen.resize(columns, rows);
    const winsize size {.ws_row = static_cast<unsigned short>(rows), .ws_col = static_cast<unsigned short>(columns), .ws_xpixel = 0, .ws_ypixel = 0};
    ::ioctl(m_master, TIOCSWINSZ, &size);
}

void PseudoTerminal::type(const QByteArray& keys)
{
    if (::write(m_master, keys.constData(), static_cast<std::size_t>(keys.size())) != keys.size())
        qFatal("the terminal takes no keys");
}

bool PseudoTerminal::read(int timeoutMs)
{
    pollfd waited {.fd = m_master, .events = POLLIN, .revents = 0};
    if (::poll(&waited, 1, timeoutMs) <= 0)
        return false;
    char bytes[4096];
    const ssize_t count = ::read(m_master, bytes, sizeof bytes);
    if (count <= 0)
        return false;
    m_output.append(bytes, count);
    m_screen.feed(QByteArray(bytes, count));
    return true;
}

bool PseudoTerminal::wait(const std::function<bool(const Screen&)>& isReached, int timeoutMs)
{
    QElapsedTimer waited;
    waited.start();
    while (!isReached(m_screen)) {
        if (waited.elapsed() > timeoutMs)
            return false;
        read(50);
    }
    return true;
}

bool PseudoTerminal::waitForText(const QString& text)
{
    return wait([&](const Screen& screen) { return screen.text().contains(text); });
}

bool PseudoTerminal::waitForStop()
{
    QElapsedTimer waited;
    waited.start();
    int status = 0;
    while (::waitpid(m_process, &status, WNOHANG | WUNTRACED) == 0) {
        if (waited.elapsed() > 20000)
            return false;
        read(20);
    }
    return WIFSTOPPED(status);
}

int PseudoTerminal::end()
{
    QElapsedTimer waited;
    waited.start();
    int status = 0;
    while (::waitpid(m_process, &status, WNOHANG) == 0) {
        if (waited.elapsed() > 20000)
            return -1;
        read(20);
    }
    while (read(0)) {
    }
    m_process = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

termios PseudoTerminal::settings() const
{
    termios settings {};
    ::tcgetattr(m_slave, &settings);
    return settings;
}

}  // namespace tests
