#include "ui/base/kept_controls.h"

#include "ui/base/settings.h"

#include <QAbstractButton>
#include <QComboBox>
#include <QHeaderView>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLineEdit>
#include <QSize>
#include <QSplitter>
#include <QTabWidget>

#include <algorithm>

namespace ui {
namespace {

constexpr const char* kKeptAs = "keptAs";
constexpr const char* kKeptRole = "keptRole";

/// What identifies the entry @p index of @p box.
QString entryKey(const QComboBox& box, int index)
{
    const QVariant data = box.itemData(index, box.property(kKeptRole).toInt());
    if (data.typeId() == QMetaType::QSize)
        return QStringLiteral("%1x%2").arg(data.toSize().width()).arg(data.toSize().height());
    return data.canConvert<QString>() ? data.toString() : box.itemText(index);
}

}  // namespace

void keep(QWidget& control, const char* name, int role)
{
    control.setProperty(kKeptAs, QString::fromLatin1(name));
    control.setProperty(kKeptRole, role);
}

KeptControls::KeptControls(Settings& settings, const QString& name, QWidget& view)
    : QObject(&view)
    , m_settings(settings)
    , m_name(name)
    , m_values(QJsonDocument::fromJson(settings.viewState(name)).object().toVariantMap())
{
    for (QWidget* const control : view.findChildren<QWidget*>()) {
        if (const QString kept = control->property(kKeptAs).toString(); !kept.isEmpty())
            take(*control, kept);
    }
}

void KeptControls::take(QWidget& control, const QString& name)
{
    if (auto* const box = qobject_cast<QComboBox*>(&control))
        take(*box, name);
    else if (auto* const edit = qobject_cast<QLineEdit*>(&control))
        take(*edit, name);
    else if (auto* const button = qobject_cast<QAbstractButton*>(&control))
        take(*button, name);
    else if (auto* const splitter = qobject_cast<QSplitter*>(&control))
        take(*splitter, name);
    else if (auto* const tabs = qobject_cast<QTabWidget*>(&control))
        take(*tabs, name);
    else if (auto* const header = qobject_cast<QHeaderView*>(&control))
        take(*header, name);
    else
        Q_UNREACHABLE();
}

void KeptControls::take(QComboBox& box, const QString& name)
{
    if (const QString entry = m_values.value(name).toString(); !entry.isEmpty())
        m_late.insert(name, entry);
    choose(box, name);
    // Entries are offered in turn, and then one is chosen: this comes after that.
    connect(box.model(), &QAbstractItemModel::rowsInserted, this, [this, &box, name] {
        if (m_late.contains(name))
            QMetaObject::invokeMethod(this, [this, &box, name] { choose(box, name); }, Qt::QueuedConnection);
    });
    connect(&box, &QComboBox::activated, this, [this, name] { m_late.remove(name); });
    connect(&box, &QComboBox::currentIndexChanged, this, [this, &box, name](int index) {
        if (index >= 0 && !m_late.contains(name))
            store(name, entryKey(box, index));
    });
}

void KeptControls::choose(QComboBox& box, const QString& name)
{
    const QString entry = m_late.value(name);
    for (int index = 0; index < box.count() && !entry.isEmpty(); ++index) {
        if (entryKey(box, index) != entry)
            continue;
        m_late.remove(name);
        box.setCurrentIndex(index);
        Q_EMIT box.activated(index);
        return;
    }
}

void KeptControls::take(QLineEdit& edit, const QString& name)
{
    edit.setText(m_values.value(name).toString());
    connect(&edit, &QLineEdit::textChanged, this, [this, name](const QString& text) { store(name, text); });
}

void KeptControls::take(QAbstractButton& button, const QString& name)
{
    const bool isOther = m_values.contains(name) && m_values.value(name).toBool() != button.isChecked();
    if (!button.autoExclusive()) {
        button.setChecked(isOther != button.isChecked());
        connect(&button, &QAbstractButton::toggled, this, [this, name](bool isOn) { store(name, isOn); });
        return;
    }
    // Of several of which one is on, the view may turn on another where there is nothing to show; the user's choice is kept.
    if (isOther)
        button.click();
    connect(&button, &QAbstractButton::clicked, this, [this, &button, name] {
        for (const QAbstractButton* const other : button.parentWidget()->findChildren<QAbstractButton*>(Qt::FindDirectChildrenOnly)) {
            if (const QString kept = other->property(kKeptAs).toString(); !kept.isEmpty())
                store(kept, other == &button);
        }
    });
}

void KeptControls::take(QSplitter& splitter, const QString& name)
{
    QList<int> sizes;
    for (const QVariant& size : m_values.value(name).toList())
        sizes << std::clamp(size.toInt(), 0, 1 << 16);
    if (sizes.size() == splitter.count() && std::ranges::any_of(sizes, [](int size) { return size > 0; }))
        splitter.setSizes(sizes);
    connect(&splitter, &QSplitter::splitterMoved, this, [this, &splitter, name] {
        QVariantList now;
        for (const int size : splitter.sizes())
            now << size;
        store(name, now);
    });
}

void KeptControls::take(QTabWidget& tabs, const QString& name)
{
    tabs.setCurrentIndex(std::clamp(m_values.value(name).toInt(), 0, std::max(0, tabs.count() - 1)));
    connect(&tabs, &QTabWidget::currentChanged, this, [this, name](int index) { store(name, index); });
}

void KeptControls::take(QHeaderView& header, const QString& name)
{
    const QVariantMap kept = m_values.value(name).toMap();
    const int column = kept.value(QStringLiteral("column"), -1).toInt();
    if (column >= 0 && column < header.count())
        header.setSortIndicator(column, kept.value(QStringLiteral("isDescending")).toBool() ? Qt::DescendingOrder : Qt::AscendingOrder);
    connect(&header, &QHeaderView::sortIndicatorChanged, this, [this, name](int by, Qt::SortOrder order) {
        store(name, QVariantMap {{QStringLiteral("column"), by}, {QStringLiteral("isDescending"), order == Qt::DescendingOrder}});
    });
}

void KeptControls::store(const QString& name, const QVariant& value)
{
    m_values.insert(name, value);
    m_settings.setViewState(m_name, QJsonDocument(QJsonObject::fromVariantMap(m_values)).toJson(QJsonDocument::Compact));
}

}  // namespace ui
