#include "ui/base/settings_file.h"

#include "ui/base/background.h"

#include <QMutex>
#include <QSettings>

#include <chrono>
#include <memory>

namespace ui {
namespace {

using namespace std::chrono_literals;

}  // namespace

/// Keeps the file from going back: the destructor's write may run while a background write is in progress, or before one that
/// still waits for a thread.
struct SettingsFile::Writer {
    QMutex mutex;
    QString file;
    quint64 written = 0;  ///< the edition of the values in the file

    void write(const QVariantMap& values, quint64 edition)
    {
        const QMutexLocker lock(&mutex);
        if (edition <= written)
            return;
        QSettings settings(file, QSettings::IniFormat);
        for (auto value = values.begin(); value != values.end(); ++value)
            value->isValid() ? settings.setValue(value.key(), *value) : settings.remove(value.key());
        written = edition;
    }
};

SettingsFile::SettingsFile(const QString& file, QObject* parent)
    : QObject(parent)
    , m_writer(std::make_shared<Writer>())
{
    m_writer->file = file;
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
        m_writer->write(m_values, ++m_edition);
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

// An invalid value is what the file is not to have any more.
void SettingsFile::remove(const QString& key)
{
    if (m_values.contains(key))
        setValue(key, QVariant());
}

void SettingsFile::save()
{
    if (m_isWriting) {
        m_timer.start();
        return;
    }
    m_isWriting = true;
    m_isDirty = false;
    const auto work = [writer = m_writer, values = m_values, edition = ++m_edition] {
        writer->write(values, edition);
        return true;
    };
    inBackground(this, work, [this](bool) { m_isWriting = false; });
}

}  // namespace ui
