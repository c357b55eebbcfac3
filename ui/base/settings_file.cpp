#include "ui/base/settings_file.h"

#include "ui/base/background.h"

#include <QMutex>
#include <QSettings>

#include <chrono>

namespace ui {
namespace {

using namespace std::chrono_literals;

/// The last write, at the end, may meet one that is under way.
void write(const QString& file, const QVariantMap& values)
{
    static QMutex mutex;
    const QMutexLocker lock(&mutex);
    QSettings settings(file, QSettings::IniFormat);
    for (auto value = values.begin(); value != values.end(); ++value)
        settings.setValue(value.key(), value.value());
}

}  // namespace

SettingsFile::SettingsFile(const QString& file, QObject* parent)
    : QObject(parent)
    , m_file(file)
{
    const QSettings settings(file, QSettings::IniFormat);
    for (const QString& key : settings.allKeys())
        m_values.insert(key, settings.value(key));
    m_timer.setSingleShot(true);
    m_timer.setInterval(300ms);
    connect(&m_timer, &QTimer::timeout, this, &SettingsFile::save);
}

SettingsFile::~SettingsFile()
{
    if (m_isDirty)
        write(m_file, m_values);
}

void SettingsFile::setValue(const QString& key, const QVariant& value)
{
    if (m_values.value(key) == value)
        return;
    m_values.insert(key, value);
    m_isDirty = true;
    if (!m_timer.isActive())
        m_timer.start();
}

void SettingsFile::save()
{
    if (m_isWriting) {
        m_timer.start();
        return;
    }
    m_isWriting = true;
    m_isDirty = false;
    const auto work = [file = m_file, values = m_values] {
        write(file, values);
        return true;
    };
    inBackground(this, work, [this](bool) { m_isWriting = false; });
}

}  // namespace ui
