#include "ui/logs/log_model.h"

#include "ui/base/background.h"
#include "ui/logs/log_scanner.h"

#include <fcntl.h>
#include <unistd.h>

#include <map>

namespace ui {
namespace {

constexpr qsizetype kPage = 128;
constexpr qsizetype kKeptLines = 64 * kPage;
constexpr std::size_t kShownBytes = 4096;

/// Control characters would garble the line: they are shown as their pictures.
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

std::vector<std::string> readLines(const std::vector<std::string>& files, const std::vector<LogPlace>& places,
    std::size_t limit)
{
    std::map<int, int> descriptors;
    std::vector<std::string> lines;
    for (const LogPlace& place : places) {
        auto [descriptor, isNew] = descriptors.try_emplace(place.file(), -1);
        if (isNew)
            descriptor->second = ::open(files[std::size_t(place.file())].c_str(), O_RDONLY | O_CLOEXEC);
        lines.push_back(readLineAt(descriptor->second, place.offset(), limit));
    }
    for (const auto& [file, descriptor] : descriptors)
        ::close(descriptor);
    return lines;
}

}  // namespace

LogModel::LogModel(QObject* parent)
    : QObject(parent)
    , m_scanner(new LogScanner)
{
    qRegisterMetaType<std::vector<LogPlace>>();
    m_thread.setObjectName(QStringLiteral("log scanner"));
    m_scanner->moveToThread(&m_thread);
    connect(&m_thread, &QThread::finished, m_scanner, &QObject::deleteLater);
    connect(m_scanner, &LogScanner::ends, this, [this](quint64 generation, const std::vector<LogPlace>& places) {
        if (generation != m_generation)
            return;
        m_isPreview = true;
        m_places.assign(places.begin(), places.end());
        Q_EMIT reset();
    });
    connect(m_scanner, &LogScanner::found, this, [this](quint64 generation, const std::vector<LogPlace>& places) {
        if (generation != m_generation)
            return;
        auto& target = m_isPreview ? m_whole : m_places;
        target.insert(target.end(), places.begin(), places.end());
        if (!m_isPreview)
            Q_EMIT appended();
    });
    connect(m_scanner, &LogScanner::reachedEnd, this, [this](quint64 generation) {
        if (generation != m_generation)
            return;
        if (std::exchange(m_isPreview, false)) {
            m_places.swap(m_whole);
            m_whole.clear();
            m_lines.clear();
            m_asked.clear();
            ++m_edition;
            Q_EMIT reset();
        }
        setScanning(false);
    });
    connect(m_scanner, &LogScanner::begunAnew, this, [this](quint64 generation) {
        if (generation != m_generation)
            return;
        forgetLines();
        setScanning(true);
        Q_EMIT reset();
    });
    connect(m_scanner, &LogScanner::grown, this, [this](quint64 generation) {
        if (generation != m_generation)
            return;
        m_lines.clear();
        m_asked.clear();
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
    restart();
}

void LogModel::setFilter(const LogFilter& filter)
{
    if (filter == m_filter)
        return;
    m_filter = filter;
    restart();
}

void LogModel::restart()
{
    ++m_generation;
    forgetLines();
    setScanning(!m_files.empty());
    m_scanner->cancelBefore(m_generation);
    QMetaObject::invokeMethod(m_scanner,
        [scanner = m_scanner, generation = m_generation, files = m_files, filter = m_filter] {
            scanner->scan(generation, files, filter);
        });
    Q_EMIT reset();
}

void LogModel::forgetLines()
{
    ++m_edition;
    m_isPreview = false;
    m_places.clear();
    m_whole.clear();
    m_lines.clear();
    m_asked.clear();
}

void LogModel::setScanning(bool isScanning)
{
    if (std::exchange(m_isScanning, isScanning) != isScanning)
        Q_EMIT scanningChanged();
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
    // A page at the end is asked for again once it has more lines.
    if (m_asked.value(first, 0) >= quint64(last))
        return;
    if (m_lines.size() > kKeptLines) {
        m_lines.clear();
        m_asked.clear();
    }
    m_asked.insert(first, quint64(last));
    const std::vector<LogPlace> places(m_places.begin() + first, m_places.begin() + last);
    const auto work = [files = m_files, places] { return readLines(files, places, kShownBytes); };
    inBackground(this, work, [this, first, edition = m_edition](const std::vector<std::string>& lines) {
        if (edition != m_edition)
            return;
        for (std::size_t index = 0; index < lines.size(); ++index)
            m_lines.insert(first + qsizetype(index), {displayable(lines[index]), logLevel(lines[index])});
        Q_EMIT linesArrived();
    });
}

void LogModel::fetchText(qsizetype first, qsizetype count, std::function<void(const QString&)> done)
{
    const std::vector<LogPlace> places(m_places.begin() + first, m_places.begin() + first + count);
    const auto work = [files = m_files, places] {
        std::string text;
        for (const std::string& line : readLines(files, places, 1 << 16))
            text.append(line).append("\n");
        return QString::fromUtf8(text.data(), qsizetype(text.size()));
    };
    inBackground(this, work, [done = std::move(done)](const QString& text) { done(text); });
}

}  // namespace ui
