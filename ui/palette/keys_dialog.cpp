#include "ui/palette/keys_dialog.h"

#include "ui/base/icons.h"
#include "ui/base/window_size.h"

#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace ui {
namespace {

enum Column { Name, Key, Help, ColumnCount };

QString titleOf(const ActionSpec& spec)
{
    QString title = spec.text;
    return title.remove(QLatin1Char('&'));
}

/// A letter, digit or sign without Ctrl, Alt or Meta, which a text field would need.
bool isTyped(const QKeySequence& key)
{
    if (key.isEmpty())
        return false;
    const QKeyCombination first = key[0];
    const bool hasModifier = first.keyboardModifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier);
    return !hasModifier && first.key() < Qt::Key_Escape;
}

}  // namespace

void applyOwnKeys(ActionRegistry& actions, const Settings& settings)
{
    const QHash<QString, QString> keys = settings.ownKeys();
    for (const ActionSpec& spec : actions.specs()) {
        if (const auto own = keys.find(spec.id); own != keys.end())
            actions.setKey(spec.id, QKeySequence(own.value(), QKeySequence::PortableText));
    }
}

KeysDialog::KeysDialog(ActionRegistry& actions, Settings& settings, QWidget* parent, const QList<FixedKey>& fixed)
    : QDialog(parent)
    , m_actions(actions)
    , m_settings(settings)
    , m_fixed(fixed)
    , m_search(new QLineEdit(this))
    , m_list(new QTreeWidget(this))
    , m_key(new QKeySequenceEdit(this))
    , m_note(new QLabel(this))
{
    setObjectName(QStringLiteral("keysDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Keys"));
    setupFields();
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    auto* resetting = buttons->addButton(tr("All defaults"), QDialogButtonBox::ResetRole);
    for (QAbstractButton* button : buttons->buttons())
        static_cast<QPushButton*>(button)->setAutoDefault(false);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(resetting, &QPushButton::clicked, this, &KeysDialog::resetAll);
    auto* row = new QHBoxLayout;
    row->addWidget(m_key, 1);
    for (QPushButton* button : {m_set, m_none, m_default})
        row->addWidget(button);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(m_search);
    layout->addWidget(m_list, 1);
    layout->addLayout(row);
    layout->addWidget(m_note);
    layout->addWidget(buttons);
    fill();
    m_list->setCurrentItem(m_list->topLevelItem(0));
    const int digit = fontMetrics().horizontalAdvance(QLatin1Char('0'));
    resize(sizeOnScreen(*this, QSize(110 * digit, 34 * fontMetrics().height())));
}

void KeysDialog::setupFields()
{
    m_search->setPlaceholderText(tr("Find an action or a key"));
    m_search->setAccessibleName(tr("Find an action or a key"));
    m_search->setClearButtonEnabled(true);
    m_search->addAction(icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    m_list->setColumnCount(ColumnCount);
    m_list->setHeaderLabels({tr("Action"), tr("Key"), tr("What it does")});
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->setAlternatingRowColors(true);
    m_list->setAccessibleName(tr("Actions"));
    m_list->header()->setSectionResizeMode(Name, QHeaderView::ResizeToContents);
    m_list->header()->setSectionResizeMode(Key, QHeaderView::ResizeToContents);
    m_key->setAccessibleName(tr("New key of the action"));
    m_note->setWordWrap(true);
    m_note->setObjectName(QStringLiteral("keysNote"));
    m_set = new QPushButton(tr("Give it this key"), this);
    m_none = new QPushButton(tr("No key"), this);
    m_default = new QPushButton(tr("Default"), this);
    for (QPushButton* button : {m_set, m_none, m_default})
        button->setAutoDefault(false);
    connect(m_search, &QLineEdit::textChanged, this, &KeysDialog::narrow);
    connect(m_list, &QTreeWidget::currentItemChanged, this, &KeysDialog::showChosen);
    connect(m_key, &QKeySequenceEdit::keySequenceChanged, this, &KeysDialog::check);
    connect(m_set, &QPushButton::clicked, this, [this] { give(m_key->keySequence()); });
    connect(m_none, &QPushButton::clicked, this, [this] { give({}); });
    connect(m_default, &QPushButton::clicked, this, [this] {
        const auto spec = std::ranges::find(m_actions.specs(), chosenId(), &ActionSpec::id);
        give(spec->key);
    });
}

QString KeysDialog::note() const { return m_note->text(); }

void KeysDialog::fill()
{
    const QString chosen = chosenId();
    const QSignalBlocker blocker(m_list);
    m_list->clear();
    for (const ActionSpec& spec : m_actions.specs()) {
        const QKeySequence key = m_actions.action(spec.id)->shortcut();
        auto* row = new QTreeWidgetItem(m_list, {titleOf(spec), key.toString(QKeySequence::NativeText), spec.help});
        row->setData(Name, Qt::UserRole, spec.id);
        QFont font = row->font(Key);
        font.setBold(key != spec.key);
        row->setFont(Key, font);
        if (spec.id == chosen)
            m_list->setCurrentItem(row);
    }
    for (const FixedKey& fixed : std::as_const(m_fixed))
        new QTreeWidgetItem(m_list, {fixed.text, fixed.key, fixed.help});
    narrow(m_search->text());
}

void KeysDialog::narrow(const QString& text)
{
    const QString wanted = text.trimmed();
    for (int at = 0; at < m_list->topLevelItemCount(); ++at) {
        QTreeWidgetItem* const row = m_list->topLevelItem(at);
        bool isMatch = false;
        for (int column = 0; column < ColumnCount; ++column)
            isMatch = isMatch || row->text(column).contains(wanted, Qt::CaseInsensitive);
        row->setHidden(!isMatch);
    }
}

QString KeysDialog::chosenId() const
{
    const QTreeWidgetItem* const row = m_list->currentItem();
    return row ? row->data(Name, Qt::UserRole).toString() : QString();
}

void KeysDialog::showChosen()
{
    const QString id = chosenId();
    m_key->setEnabled(!id.isEmpty());
    m_key->setKeySequence(id.isEmpty() ? QKeySequence() : m_actions.action(id)->shortcut());
    check();
}

QString KeysDialog::ownerOf(const QKeySequence& key) const
{
    for (const ActionSpec& spec : m_actions.specs()) {
        if (!key.isEmpty() && spec.id != chosenId() && m_actions.action(spec.id)->shortcut() == key)
            return spec.id;
    }
    return {};
}

void KeysDialog::check()
{
    const QKeySequence typed = m_key->keySequence();
    if (typed.count() > 1) {
        m_key->setKeySequence(QKeySequence(typed[0]));
        return;
    }
    const QString id = chosenId();
    const QString owner = ownerOf(typed);
    const bool isSame = id.isEmpty() || m_actions.action(id)->shortcut() == typed;
    QString note;
    if (id.isEmpty() && m_list->currentItem()) {
        note = tr("This key works in that view only and cannot be changed.");
    } else if (isTyped(typed)) {
        note = tr("%1 alone would be missing in every text field. Add Ctrl or Alt.").arg(typed.toString(QKeySequence::NativeText));
    } else if (!owner.isEmpty()) {
        const auto spec = std::ranges::find(m_actions.specs(), owner, &ActionSpec::id);
        note = tr("%1 is the key of “%2”, which would lose it.").arg(typed.toString(QKeySequence::NativeText), titleOf(*spec));
    }
    if (id.isEmpty() && m_list->currentItem())
        note = tr("This key belongs to the view that has the focus, and stays.");
    m_key->setEnabled(!id.isEmpty());
    m_note->setText(note);
    m_set->setEnabled(!isSame && !typed.isEmpty() && !isTyped(typed));
    const auto spec = std::ranges::find(m_actions.specs(), id, &ActionSpec::id);
    m_none->setEnabled(!id.isEmpty() && !m_actions.action(id)->shortcut().isEmpty());
    m_default->setEnabled(spec != m_actions.specs().end() && m_actions.action(id)->shortcut() != spec->key);
}

void KeysDialog::give(const QKeySequence& key)
{
    const QString owner = ownerOf(key);
    if (!owner.isEmpty())
        setKey(owner, {});
    setKey(chosenId(), key);
    fill();
    showChosen();
}

/// Keeps only what differs from the default.
void KeysDialog::setKey(const QString& id, const QKeySequence& key)
{
    const auto spec = std::ranges::find(m_actions.specs(), id, &ActionSpec::id);
    m_actions.setKey(id, key);
    QHash<QString, QString> keys = m_settings.ownKeys();
    if (key == spec->key)
        keys.remove(id);
    else
        keys.insert(id, key.toString(QKeySequence::PortableText));
    m_settings.setOwnKeys(keys);
}

void KeysDialog::resetAll()
{
    for (const ActionSpec& spec : m_actions.specs())
        m_actions.setKey(spec.id, spec.key);
    m_settings.setOwnKeys({});
    fill();
    showChosen();
}

}  // namespace ui
