#include "app/cli/live_line.h"

#include "app/cli/format.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

namespace app {
namespace {

using namespace std::chrono_literals;

std::size_t columnsOf(std::FILE* stream)
{
    winsize size {};
    const bool isKnown = ::ioctl(::fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
    return isKnown ? size.ws_col - 1U : 79U;
}

bool isRedrawable(std::FILE* stream)
{
    const char* kind = std::getenv("TERM");
    return ::isatty(::fileno(stream)) == 1 && kind && std::string_view(kind) != "dumb";
}

}  // namespace

LiveLine::LiveLine(std::FILE* stream)
    : m_stream(stream)
    , m_isTerminal(isRedrawable(stream))
{
}

LiveLine::~LiveLine()
{
    if (m_isDrawn)
        std::fputc('\n', m_stream);
    std::fflush(m_stream);
}

void LiveLine::show(const std::string& text)
{
    m_text = printable(text);
    const auto now = std::chrono::steady_clock::now();
    if (now < m_nextPrint || m_text == m_printed)
        return;
    m_nextPrint = now + (m_isTerminal ? 150ms : 3000ms);
    print(m_text);
}

void LiveLine::finish()
{
    if (m_text != m_printed)
        print(m_text);
    if (m_isDrawn)
        std::fputc('\n', m_stream);
    m_isDrawn = false;
    std::fflush(m_stream);
}

void LiveLine::addMessage(const std::string& text)
{
    erase();
    std::fprintf(m_stream, "%s\n", text.c_str());
    if (m_isTerminal && !m_printed.empty())
        print(m_printed);
    std::fflush(m_stream);
}

void LiveLine::print(const std::string& text)
{
    erase();
    m_printed = text;
    std::fprintf(m_stream, m_isTerminal ? "%s" : "%s\n",
        m_isTerminal ? firstCells(text, columnsOf(m_stream)).c_str() : text.c_str());
    m_isDrawn = m_isTerminal;
    std::fflush(m_stream);
}

void LiveLine::erase()
{
    if (m_isDrawn)
        std::fputs("\r\033[K", m_stream);
    m_isDrawn = false;
}

}  // namespace app
