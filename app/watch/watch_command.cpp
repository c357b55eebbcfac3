// atelier watch
#include "app/cli/catalogue.h"
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/find_run.h"
#include "app/cli/live_line.h"
#include "app/cli/output.h"
#include "app/watch/key_reader.h"
#include "app/watch/run_feed.h"
#include "app/watch/terminal.h"
#include "app/watch/watch_page.h"
#include "launcher/base/folder_watch.h"
#include "launcher/base/signal_pipe.h"

#include <QCoreApplication>
#include <QSocketNotifier>
#include <QTimer>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <optional>

namespace app {
namespace {

using namespace std::chrono_literals;

struct WatchRequest {
    std::string run;
    bool isOnce = false;
};

bool hasColor()
{
    const char* refused = std::getenv("NO_COLOR");
    return !refused || !*refused;
}

/// The newest of the active runs, else the newest one.
contract::RunFolder runToWatch(const launcher::DataHome& home)
{
    constexpr std::size_t kLookedAt = 50;
    const std::vector<std::string> ids = runIds(home);
    for (std::size_t i = 0; i < std::min(ids.size(), kLookedAt); ++i) {
        const contract::RunFolder folder(home.runs() / ids[i]);
        if (launcher::isActive(launcher::inspectRun(folder).state))
            return folder;
    }
    return findRun(home, "latest");
}

/// "2 of 14": the run's place among all runs, newest first.
std::string placeOf(const launcher::DataHome& home, const contract::RunFolder& folder)
{
    const std::vector<std::string> ids = runIds(home);
    const auto place = std::ranges::find(ids, folder.id()) - ids.begin();
    return std::to_string(place + 1) + " of " + std::to_string(ids.size());
}

/// The full-screen page: reads what runs write and which keys are pressed, and repaints, ten times a second at most.
class Watch {
public:
    Watch(launcher::DataHome home, const contract::RunFolder& folder, bool isUtf8)
        : m_home(std::move(home))
        , m_look {.hasColor = hasColor(), .hasStyles = true, .isUtf8 = isUtf8}
    {
        show(folder);
        QObject::connect(&m_signalNotifier, &QSocketNotifier::activated, &m_context, [this] { onSignals(); });
        QObject::connect(&m_keyNotifier, &QSocketNotifier::activated, &m_context, [this] { onInput(); });
        m_paintTimer.setSingleShot(true);
        QObject::connect(&m_paintTimer, &QTimer::timeout, &m_context, [this] {
            if (m_isChanged)
                paint();
        });
        // States and ages change without anything being written.
        QObject::connect(&m_clock, &QTimer::timeout, &m_context, [this] { update(); });
        m_clock.start(1s);
        paint();
    }

private:
    void show(const contract::RunFolder& folder)
    {
        m_feed = std::make_unique<RunFeed>(m_home, folder);
        m_watch = std::make_unique<launcher::FolderWatch>(folder);
        QObject::connect(m_watch.get(), &launcher::FolderWatch::changed, &m_context, [this] { update(); });
        m_place = placeOf(m_home, folder);
        m_choices.firstMetric = 0;
        m_choices.rank = 0;
    }

    void update()
    {
        m_feed->update();
        schedulePaint();
    }

    void schedulePaint()
    {
        m_isChanged = true;
        if (!m_paintTimer.isActive())
            paint();
    }

    void paint()
    {
        m_isChanged = false;
        const auto begin = std::chrono::steady_clock::now();
        const TerminalSize size = terminalSize();
        if (m_size != size)
            m_terminal.forget();
        m_size = size;
        std::vector<std::string> lines;
        for (const StyledLine& line : pageOf(*m_feed, m_choices, m_place, size, true))
            lines.push_back(line.text(size.columns, m_look));
        if (!m_terminal.paint(lines))
            QCoreApplication::quit();
        // A tenth of the time at most: every value of a curve is drawn, and some have millions.
        const auto spent = std::chrono::ceil<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
        m_paintTimer.start(std::max<std::chrono::milliseconds>(100ms, 10 * spent));
    }

    void onSignals()
    {
        while (const auto number = m_signals.wait()) {
            if (*number == SIGTSTP) {
                m_terminal.leave();
                ::raise(SIGSTOP);
                m_terminal.enter();
            } else if (*number != SIGWINCH) {
                QCoreApplication::quit();
            }
        }
        schedulePaint();
    }

    void onInput()
    {
        std::array<char, 256> bytes {};
        const ssize_t count = ::read(STDIN_FILENO, bytes.data(), bytes.size());
        if (count <= 0)
            m_keyNotifier.setEnabled(false);  // the end of a file; a terminal that is gone sends SIGHUP
        for (const char key : m_keys.keysIn({bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0))}))
            onKey(key);
    }

    void onKey(char key)
    {
        const std::size_t metrics = std::max<std::size_t>(m_feed->metrics().size(), 1);
        switch (key) {
        case 'q':
            return QCoreApplication::quit();
        case kKeyRight:
            m_choices.firstMetric = (m_choices.firstMetric + 1) % metrics;
            break;
        case kKeyLeft:
            m_choices.firstMetric = (m_choices.firstMetric + metrics - 1) % metrics;
            break;
        case kKeyTab:
            showRun(1);
            break;
        case kKeyBackTab:
            showRun(-1);
            break;
        case 'l':
            m_choices.isLogarithmic = !m_choices.isLogarithmic;
            break;
        case 's':
            nextSmoothing();
            break;
        case 'r':
            nextRank();
            break;
        case 'p':
            m_choices.isOnePlot = !m_choices.isOnePlot;
            break;
        case 'o':
            m_choices.isLogLarge = !m_choices.isLogLarge;
            break;
        default:
            return;
        }
        schedulePaint();
    }

    /// Shows the run that is @p distance places after this one in the list of runs, newest first.
    void showRun(std::ptrdiff_t distance)
    {
        const std::vector<std::string> ids = runIds(m_home);
        if (ids.empty())
            return;
        const auto count = static_cast<std::ptrdiff_t>(ids.size());
        const auto place = std::ranges::find(ids, m_feed->folder().id()) - ids.begin();
        show(contract::RunFolder(m_home.runs() / ids[static_cast<std::size_t>((place + distance + count) % count)]));
    }

    void nextSmoothing()
    {
        constexpr std::array<double, 5> kHalfLives = {0, 5, 20, 100, 500};
        const auto present = std::ranges::find(kHalfLives, m_choices.halfLife) + 1;
        m_choices.halfLife = present == kHalfLives.end() ? kHalfLives.front() : *present;
    }

    /// The next rank that has the first metric shown.
    void nextRank()
    {
        if (m_feed->metrics().empty())
            return;
        const std::vector<int> ranks = m_feed->ranksOf(m_feed->metrics()[m_choices.firstMetric % m_feed->metrics().size()]);
        const auto next = std::ranges::upper_bound(ranks, m_choices.rank);
        m_choices.rank = next != ranks.end() ? *next : ranks.empty() ? 0 : ranks.front();
    }

    launcher::DataHome m_home;
    StyledLine::Look m_look;
    PageChoices m_choices;
    std::unique_ptr<RunFeed> m_feed;
    std::unique_ptr<launcher::FolderWatch> m_watch;
    std::string m_place;
    std::optional<TerminalSize> m_size;
    bool m_isChanged = false;
    KeyReader m_keys;
    QObject m_context;
    QTimer m_paintTimer;
    QTimer m_clock;
    launcher::SignalPipe m_signals {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP};
    Terminal m_terminal;  ///< after the signals: none ends the process without bringing back the terminal
    QSocketNotifier m_signalNotifier {m_signals.descriptor(), QSocketNotifier::Read};
    QSocketNotifier m_keyNotifier {STDIN_FILENO, QSocketNotifier::Read};
};

/// For terminals that cannot place the cursor, and files: a line every few seconds until the run has ended.
void printLines(const launcher::DataHome& home, const contract::RunFolder& folder)
{
    launcher::SignalPipe signals {SIGINT, SIGTERM, SIGHUP};
    RunFeed feed(home, folder);
    LiveLine line(stdout);
    std::string state;
    while (true) {
        const launcher::RunStatus& status = feed.status();
        const std::string now = stateLine(status).text(4000, {.hasColor = false, .hasStyles = false, .isUtf8 = isUtf8Locale()});
        if (state.empty() || launcher::stateName(status.state) != state)
            line.addMessage(now);
        state = launcher::stateName(status.state);
        line.show(progressText(feed));
        if (!launcher::isActive(status.state) && !launcher::isWaiting(status.state))
            return line.finish();
        if (signals.wait(500ms))
            return;
        feed.update();
    }
}

ExitCode watch(const WatchRequest& request)
{
    const launcher::DataHome home = existingHome();
    const contract::RunFolder folder = request.run.empty() ? runToWatch(home) : findRun(home, request.run);
    if (request.isOnce) {
        RunFeed feed(home, folder);
        const StyledLine::Look look {.hasColor = false, .hasStyles = false, .isUtf8 = isUtf8Locale()};
        const TerminalSize size = terminalSize();
        std::string page;
        for (const StyledLine& line : pageOf(feed, {.hasKeys = false}, placeOf(home, folder), size, false))
            page += line.text(size.columns, look) + "\n";
        printText(page);
        return kSuccess;
    }
    if (!isFullScreenTerminal()) {
        printLines(home, folder);
        return kSuccess;
    }
    const bool isUtf8 = isUtf8Locale();
    ::setenv("LC_ALL", "C.UTF-8", 1);  // or else Qt takes the locale's numbers, and reports one without UTF-8 amid the page
    int argumentCount = 1;
    char name[] = "atelier";
    char* arguments[] = {name, nullptr};
    QCoreApplication application(argumentCount, arguments);
    Watch page(home, folder, isUtf8);
    QCoreApplication::exec();
    return kSuccess;
}

}  // namespace

void addWatchCommand(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<WatchRequest>();
    CLI::App* command = app.add_subcommand("watch", "Show a run's curves, state and log in the terminal, live");
    command->add_option("RUN", request->run, "Id, start of an id, name, or latest; otherwise the newest active run");
    command->add_flag("--once", request->isOnce, "Print the page once, as text, and end");
    command->footer("Keys: q quit, left and right arrow other metrics, tab next run, l logarithmic axis, s smoothing, r next rank,\n"
                    "p one plot or several, o more of the log. $NO_COLOR switches colors off. Where the output is not a terminal that\n"
                    "can place the cursor, prints a line every few seconds until the run ends.");
    command->callback([request, &action] { action = [request] { return watch(*request); }; });
}

}  // namespace app
