// An external program that answers each line on its standard input with a line on its standard output.
#pragma once
#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>

namespace engine {

/// The program runs in its own folder and process group; the group is killed when this object is destroyed. It does not inherit
/// ignored or blocked signals, nor open files of this process.
/// Errors are std::runtime_error with a clause of which the program is the subject, such as "was killed by signal 9 (Killed)", and the last
/// lines of its standard error, which otherwise goes to that of this process. After an error the program is dead.
class LineProgram {
public:
    /// Starts the program. The kernel kills it when the calling thread ends, so that it does not outlive this process.
    explicit LineProgram(const std::filesystem::path& program);

    /// Closes its standard input, gives it half a second to end by itself, and kills the group.
    ~LineProgram();
    LineProgram(const LineProgram&) = delete;
    LineProgram& operator=(const LineProgram&) = delete;

    /// Sends @p line, which has no end of line, and returns the answer, without its own. One thread at a time.
    /// @param option the option that sets @p timeout, for the message
    std::string ask(std::string_view line, std::chrono::milliseconds timeout, std::string_view option);

    /// Makes ask() fail at once, now and later. From any thread.
    void abandon();

    pid_t process() const { return m_process; }  ///< -1 when it is dead

private:
    class Descriptor {
    public:
        Descriptor() = default;
        ~Descriptor() { close(); }
        Descriptor(const Descriptor&) = delete;
        Descriptor& operator=(const Descriptor&) = delete;
        void reset(int descriptor);
        void close() { reset(-1); }
        int get() const { return m_descriptor; }

    private:
        int m_descriptor = -1;
    };

    void start(const std::filesystem::path& program);
    bool write(std::string_view& rest);
    void readAnswers();
    void readErrors();
    bool waitForExit(std::chrono::milliseconds timeout) const;
    int kill();
    [[noreturn]] void fail(const std::string& clause);
    [[noreturn]] void failEnded();

    pid_t m_process = -1;
    Descriptor m_handle;               ///< readable when the process has ended
    Descriptor m_abandoned;            ///< an event: readable after abandon()
    Descriptor m_input, m_output, m_errors;  ///< our ends of the pipes, non-blocking
    std::string m_answers;             ///< read and not returned yet
    std::string m_lastErrors;          ///< the end of what it wrote to its standard error
    bool m_hasClosedOutput = false;
};

}  // namespace engine
