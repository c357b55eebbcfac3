// One line at the bottom of a terminal that is redrawn in place, with messages above it.
#pragma once
#include <chrono>
#include <cstdio>
#include <string>

namespace app {

/// Where the output is no terminal, the line is printed every few seconds instead.
class LiveLine {
public:
    explicit LiveLine(std::FILE* stream);
    ~LiveLine();  ///< ends the line, so that the prompt stands below it
    LiveLine(const LiveLine&) = delete;
    LiveLine& operator=(const LiveLine&) = delete;

    void show(const std::string& text);
    void addMessage(const std::string& text);
    /// Prints the last text even where it would not be its turn yet.
    void finish();

private:
    void print(const std::string& text);
    void erase();

    std::FILE* m_stream;
    bool m_isTerminal;
    bool m_isDrawn = false;
    std::string m_text;     ///< the newest
    std::string m_printed;  ///< what was printed last
    std::chrono::steady_clock::time_point m_nextPrint;
};

}  // namespace app
