#include "ui/logs/log_model.h"

#include "engine/contract/formats/open_file.h"
#include "engine/contract/run/log_time.h"
#include "ui/base/background.h"
#include "ui/base/format.h"
#include "ui/logs/log_scanner.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace ui {
namespace {

constexpr qsizetype kPage = 128;
constexpr qsizetype kKeptLines = 64 * kPage;
constexpr std::size_t kDisplayedBytes = 4096;
constexpr qsizetype kMostCopiedRows = 500'000;  // their places are copied on the GUI thread

/// Decodes a line and replaces its control characters, which would garble it, by their symbols (U+2400 …).
QString displayable(const std::string& bytes)
{
    QString text = QString::fromUtf8(bytes.data(), qsizetype(bytes.size()));
    for (QChar& character : text) {
        if (character == QLatin1Char('\t'))
            character = QLatin1Char(' ');
        else if (character.unicode() < 32)
            character = QChar(0x2400 + character.unicode());
        else if (character.unicode() == 127)
            character = QChar(0x2421);
    }
    return text;
}

/// The log files, each opened when its first line is read.
class LogFiles {
public:
    explicit LogFiles(const std::vector<std::string>& paths)
        : m_paths(paths)
    {
    }
    ~LogFiles()
    {
        for (const auto& [file, descriptor] : m_descriptors)
            ::close(descriptor);
    }
    LogFiles(const LogFiles&) = delete;
    LogFiles& operator=(const LogFiles&) = delete;

    std::string line(const LogPlace& place, std::size_t limit)
    {
        auto [descriptor, isNew] = m_descriptors.try_emplace(place.file(), -1);
        if (isNew)
            descriptor->second = contract::openRegularFile(m_paths[std::size_t(place.file())], O_RDONLY, contract::Links::Refuse);
        return readLineAt(descriptor->second, place.offset(), limit);
    }

private:
    const std::vector<std::string>& m_paths;
    std::map<int, int> m_descriptors;
};

std::vector<std::string> readLines(const std::vector<std::string>& paths, const std::vector<LogPlace>& places)
{
    LogFiles files(paths);
    std::vector<std::string> lines;
    for (const LogPlace& place : places)
        lines.push_back(files.line(place, kDisplayedBytes));
    return lines;
}

/// The lines as one text of at most @p mostBytes; see LogModel::fetchText(). @param count the lines that were asked for
QString readText(const std::vector<std::string>& paths, const std::vector<LogPlace>& places, std::size_t mostBytes, qsizetype count)
{
    constexpr std::size_t kLongestLine = 1 << 16;
    LogFiles files(paths);
    std::string text;
    qsizetype rows = 0;
    for (const LogPlace& place : places) {
        const std::string line = files.line(place, kLongestLine);
        if (text.size() + line.size() >= mostBytes)
            break;
        text.append(line).append("\n");
        ++rows;
    }
    const QString copied = QString::fromUtf8(text.data(), qsizetype(text.size()));
    return rows == count ? copied
                         : copied + formatCounted(count - rows, LogModel::tr("… and 1 line more, which is too much to copy"),
                               LogModel::tr("… and %Ln lines more, which are too many to copy", nullptr, pluralCount(count - rows)));
}

}  // namespace

LogModel::LogModel(QObject* parent)
    : QObject(parent)
    , m_scanner(new LogScanner)
{
    qRegisterMetaType<std::vector<LogPlace>>();
    qRegisterMetaType<std::vector<LogClock>>();
    m_thread.setObjectName(QStringLiteral("log scanner"));
    m_scanner->moveToThread(&m_thread);
    connect(&m_thread, &QThread::finished, m_scanner, &QObject::deleteLater);
    connect(m_scanner, &LogScanner::clocked, this, [this](quint64 generation, const std::vector<LogClock>& clocks) {
        if (generation != m_generation)
            return;
        m_clocks = clocks;
        Q_EMIT clocksChanged();
    });
    connect(m_scanner, &LogScanner::tailsFound, this, [this](quint64 generation, const std::vector<LogPlace>& places) {
        if (generation != m_generation)
            return;
        m_isPreview = true;
        m_places.assign(places.begin(), places.end());
        Q_EMIT reset();
    });
    connect(m_scanner, &LogScanner::found, this, [this](quint64 generation, const std::vector<LogPlace>& places) {
        if (generation != m_generation)
            return;
        auto& target = m_isPreview ? m_scanned : m_places;
        target.insert(target.end(), places.begin(), places.end());
        Q_EMIT appended();
    });
    connect(m_scanner, &LogScanner::reachedEnd, this, [this](quint64 generation) {
        if (generation != m_generation)
            return;
        if (m_isPreview)
            replacePreview(std::exchange(m_scanned, {}));
        setScanning(false);
    });
    connect(m_scanner, &LogScanner::restarted, this, [this](quint64 generation) {
        if (generation != m_generation)
            return;
        clearLines();
        setScanning(true);
        Q_EMIT reset();
    });
    connect(m_scanner, &LogScanner::grown, this, [this](quint64 generation) {
        if (generation != m_generation)
            return;
        m_lines.clear();
        m_requestedPages.clear();
        Q_EMIT linesArrived();
    });
    m_thread.start();
}

LogModel::~LogModel()
{
    m_scanner->cancelBefore(m_generation + 1);
    m_thread.quit();
    m_thread.wait();
}

void LogModel::setFiles(const std::vector<std::string>& files)
{
    if (files == m_files)
        return;
    m_files = files;
    m_clocks.clear();
    restart();
}

void LogModel::setFilter(const LogFilter& filter)
{
    if (filter == m_filter)
        return;
    m_filter = filter;
    restart();
}

void LogModel::cancel()
{
    if (!m_isScanning)
        return;
    m_scanner->cancelBefore(++m_generation);
    m_isCancelled = true;
    if (m_isPreview) {
        // What lies between is left out.
        std::vector<std::int64_t> scannedTo(m_files.size(), -1);
        for (const LogPlace& place : m_scanned)
            scannedTo[std::size_t(place.file())] = place.offset();
        std::deque<LogPlace> found = std::exchange(m_scanned, {});
        std::ranges::copy_if(m_places, std::back_inserter(found),
            [&](const LogPlace& place) { return place.offset() > scannedTo[std::size_t(place.file())]; });
        replacePreview(std::move(found));
    }
    setScanning(false);
}

void LogModel::restart()
{
    ++m_generation;
    m_isCancelled = false;
    clearLines();
    setScanning(!m_files.empty());
    m_scanner->cancelBefore(m_generation);
    QMetaObject::invokeMethod(m_scanner,
        [scanner = m_scanner, generation = m_generation, files = m_files, filter = m_filter] {
            scanner->scan(generation, files, filter);
        });
    Q_EMIT reset();
}

void LogModel::replacePreview(std::deque<LogPlace> places)
{
    clearLines();
    m_places = std::move(places);
    Q_EMIT reset();
}

void LogModel::clearLines()
{
    ++m_edition;
    m_isPreview = false;
    m_places.clear();
    m_scanned.clear();
    m_lines.clear();
    m_requestedPages.clear();
}

void LogModel::setScanning(bool isScanning)
{
    if (std::exchange(m_isScanning, isScanning) != isScanning)
        Q_EMIT scanningChanged();
}

qsizetype LogModel::rowOf(const std::string& file, std::int64_t offset) const
{
    const auto number = std::ranges::find(m_files, file);
    if (number == m_files.end())
        return -1;
    const auto place = std::ranges::find(m_places, LogPlace(int(number - m_files.begin()), offset));
    return place == m_places.end() ? -1 : qsizetype(place - m_places.begin());
}

const LogText* LogModel::line(qsizetype row)
{
    const auto known = m_lines.constFind(row);
    if (known != m_lines.constEnd())
        return &*known;
    fetch(row / kPage * kPage);
    return nullptr;
}

void LogModel::fetch(qsizetype first)
{
    const qsizetype last = std::min(first + kPage, count());
    // The last page is requested again when lines have been added to it.
    if (m_requestedPages.value(first, 0) >= quint64(last))
        return;
    if (m_lines.size() > kKeptLines) {
        m_lines.clear();
        m_requestedPages.clear();
    }
    m_requestedPages.insert(first, quint64(last));
    const std::vector<LogPlace> places(m_places.begin() + first, m_places.begin() + last);
    const auto work = [files = m_files, places] { return readLines(files, places); };
    inBackground(this, work, [this, first, edition = m_edition](const std::vector<std::string>& lines) {
        if (edition != m_edition)
            return;
        for (std::size_t index = 0; index < lines.size(); ++index)
            m_lines.insert(first + qsizetype(index), {displayable(contract::shownLogLine(lines[index])), contract::logTime(lines[index]), logLevel(lines[index])});
        Q_EMIT linesArrived();
    });
}

void LogModel::fetchText(
    qsizetype first, qsizetype count, qsizetype mostBytes, std::function<void(const QString&)> done)
{
    const auto begin = m_places.begin() + first;
    std::vector<LogPlace> places(begin, begin + std::min(count, kMostCopiedRows));
    inBackground(this,
        [files = m_files, places = std::move(places), mostBytes, count] {
            return readText(files, places, std::size_t(mostBytes), count);
        },
        [done = std::move(done)](const QString& text) { done(text); });
}

}  // namespace ui
