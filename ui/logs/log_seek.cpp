#include "ui/logs/log_seek.h"

#include "ui/logs/log_line.h"

#include <QDateTime>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr qsizetype kLinesAtOnce = 64;

const QString& timePattern()
{
    static const QString pattern = QStringLiteral("yyyy-MM-dd HH:mm:ss.zzz");
    return pattern;
}

}  // namespace

LogSeek::LogSeek(LogModel& model, QObject* parent)
    : QObject(parent)
    , m_model(model)
{
    connect(&m_model, &LogModel::reset, this, [this] { ++m_search; });
}

void LogSeek::start(std::int64_t time)
{
    ++m_search;
    m_time = time;
    m_first = 0;
    m_last = m_model.count();
    look();
}

void LogSeek::look()
{
    if (m_last == 0)
        return;
    if (m_last - m_first == 1) {
        Q_EMIT found(m_first);
        return;
    }
    const qsizetype middle = m_first + (m_last - m_first) / 2;
    read(middle, middle);
}

/// Lines without a time belong to the line before them, so more than one is read.
void LogSeek::read(qsizetype middle, qsizetype from)
{
    constexpr qsizetype kMostBytes = 1 << 20;
    m_model.fetchText(from, std::min(kLinesAtOnce, m_last - from), kMostBytes, [this, middle, from, search = m_search](const QString& text) {
        if (search == m_search)
            takeText(middle, from, text);
    });
}

void LogSeek::takeText(qsizetype middle, qsizetype from, const QString& text)
{
    const QStringList lines = text.split(QLatin1Char('\n'));
    for (qsizetype line = 0; line < lines.size(); ++line) {
        const std::int64_t time = logTime(lines[line].left(timePattern().size()).toStdString());
        if (time == 0 || from + line >= m_model.count())
            continue;
        if (m_model.clockOf(m_model.fileOf(from + line)).byRankZero(time) <= m_time)
            m_first = from + line;
        else
            m_last = middle;
        return look();
    }
    if (from + kLinesAtOnce < m_last)
        return read(middle, from + kLinesAtOnce);
    m_last = middle;
    look();
}

std::int64_t logTimeOf(double seconds)
{
    return logTime(QDateTime::fromMSecsSinceEpoch(std::llround(seconds * 1000)).toString(timePattern()).toStdString());
}

double secondsOf(std::int64_t logTime)
{
    const QDateTime time = QDateTime::fromString(QString::number(logTime), QStringLiteral("yyyyMMddHHmmsszzz"));
    return time.isValid() ? static_cast<double>(time.toMSecsSinceEpoch()) / 1000 : 0;
}

}  // namespace ui
