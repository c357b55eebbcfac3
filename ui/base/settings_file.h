// An INI file held in memory and written in the background, so that a slow disk does not block the window.
#pragma once
#include <QObject>
#include <QString>
#include <QTimer>
#include <QVariant>
#include <QVariantMap>

#include <memory>

namespace ui {

class SettingsFile : public QObject {
    Q_OBJECT
public:
    /// Reads @p file. A missing file reads as empty.
    explicit SettingsFile(const QString& file, QObject* parent = nullptr);
    /// Writes unsaved changes, on the calling thread.
    ~SettingsFile() override;

    QVariant value(const QString& key) const { return m_values.value(key); }
    void setValue(const QString& key, const QVariant& value);
    void remove(const QString& key);

private:
    struct Writer;
    void save();

    std::shared_ptr<Writer> m_writer;
    QVariantMap m_values;
    quint64 m_edition = 0;   ///< grows with each write
    QTimer m_timer;          ///< delays writing, so that several changes in a row are written once
    bool m_isDirty = false;
    bool m_isWriting = false;
};

}  // namespace ui
