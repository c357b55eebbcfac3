#include "ui/logs/log_seek.h"

#include "engine/contract/run/log_time.h"

#include <algorithm>

namespace ui {
namespace {

constexpr qsizetype kLinesAtOnce = 64;
constexpr qsizetype kMostOfTime = 32;  // characters

}  // namespace

LogSeek::LogSeek(LogModel& model, QObject* parent)
    : QObject(parent)
    , m_model(model)
{
    connect(&m_model, &LogModel::reset, this, [this] { ++m_search; });
}

void LogSeek::start(std::int64_t unixMs)
{
    ++m_search;
    m_time = unixMs;
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
        const std::int64_t time = contract::logTime(lines[line].left(kMostOfTime).toStdString());
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

}  // namespace ui
