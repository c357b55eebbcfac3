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
#include <QTreeWidgetItemIterator>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace ui {
namespace {

enum Column { Name, Key, Help, ColumnCount };

/// A letter, digit or sign without Ctrl, Alt or Meta, which a text field would need.
bool isTyped(const QKeySequence& key)
{
    if (key.isEmpty())
        return false;
    const QKeyCombination first = key[0];
    const bool hasModifier = first.keyboardModifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier);
    return !hasModifier && first.key() < Qt::Key_Escape;
}

QString keysText(const QList<QKeySequence>& keys)
{
    QStringList texts;
    for (const QKeySequence& key : keys)
        texts << key.toString(QKeySequence::NativeText);
    return texts.join(QStringLiteral(", "));
}

}  // namespace

void applyOwnKeys(ActionRegistry& actions, const Settings& settings)
{
    const QHash<QString, QString> keys = settings.ownKeys();
    for (const ActionSpec& spec : actions.specs()) {
        if (const auto own = keys.find(spec.id); own != keys.end())
            actions.setKey(spec.id, QKeySequence(own.value(), QKeySequence::PortableText));
    }
    // A later version may have given the key to another action.
    for (auto own = keys.begin(); own != keys.end(); ++own) {
        if (std::ranges::find(actions.specs(), own.key(), &ActionSpec::id) == actions.specs().end())
            continue;
        for (const QString& other : actions.ownersOf(actions.action(own.key())->shortcut(), own.key())) {
            if (!keys.contains(other))
                actions.setKey(other, {});
        }
    }
}

KeysDialog::KeysDialog(ActionRegistry& actions, Settings& settings, QWidget* parent)
    : QDialog(parent)
    , m_actions(actions)
    , m_settings(settings)
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
    m_list->setCurrentItem(m_list->topLevelItem(0)->child(0));
    const int digit = fontMetrics().horizontalAdvance(QLatin1Char('0'));
    m_list->header()->resizeSection(Key, 26 * digit);
    resize(sizeOnScreen(*this, QSize(130 * digit, 34 * fontMetrics().height())));
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
    connect(m_default, &QPushButton::clicked, this, [this] { give(m_actions.spec(chosenId()).key); });
}

QString KeysDialog::note() const { return m_note->text(); }

void KeysDialog::fill()
{
    const QString chosen = chosenId();
    const QSignalBlocker blocker(m_list);
    m_list->clear();
    for (const ActionPlace& place : m_actions.places())
        fillPlace(place);
    m_list->expandAll();
    choose(chosen);
    narrow(m_search->text());
}

void KeysDialog::fillPlace(const ActionPlace& place)
{
    auto* const heading = new QTreeWidgetItem(QStringList(place.title));
    heading->setFlags(Qt::ItemIsEnabled);
    QFont bold = font();
    bold.setBold(true);
    heading->setFont(Name, bold);
    for (const ActionSpec& spec : m_actions.specs()) {
        if (spec.place != place.id)
            continue;
        const QKeySequence key = m_actions.action(spec.id)->shortcut();
        auto* const row = new QTreeWidgetItem(heading, {titleText(spec.text), key.toString(QKeySequence::NativeText), spec.help});
        row->setData(Name, Qt::UserRole, spec.id);
        if (key != spec.key)
            row->setFont(Key, bold);
    }
    for (const FixedKeys& fixed : m_actions.fixed()) {
        if (fixed.place == place.id)
            new QTreeWidgetItem(heading, {fixed.text, keysText(fixed.keys), fixed.help});
    }
    if (heading->childCount() == 0)
        return delete heading;
    m_list->addTopLevelItem(heading);
    heading->setFirstColumnSpanned(true);
}

void KeysDialog::choose(const QString& id)
{
    for (QTreeWidgetItemIterator row(m_list); *row; ++row) {
        if (!id.isEmpty() && (*row)->data(Name, Qt::UserRole) == id)
            m_list->setCurrentItem(*row);
    }
}

void KeysDialog::narrow(const QString& text)
{
    const QString wanted = text.trimmed();
    for (int at = 0; at < m_list->topLevelItemCount(); ++at) {
        QTreeWidgetItem* const place = m_list->topLevelItem(at);
        const bool isPlace = place->text(Name).contains(wanted, Qt::CaseInsensitive);
        bool isAnyShown = false;
        for (int child = 0; child < place->childCount(); ++child) {
            QTreeWidgetItem* const row = place->child(child);
            bool isMatch = isPlace;
            for (int column = 0; column < ColumnCount; ++column)
                isMatch = isMatch || row->text(column).contains(wanted, Qt::CaseInsensitive);
            row->setHidden(!isMatch);
            isAnyShown = isAnyShown || isMatch;
        }
        place->setHidden(!isAnyShown);
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

QString KeysDialog::refusal(const QKeySequence& key) const
{
    // In a view, a field for text that has the focus gets letters before the view's actions do.
    if (isTyped(key) && !m_actions.viewOf(chosenId()))
        return tr("%1 alone would be missing in every text field. Add Ctrl or Alt.").arg(key.toString(QKeySequence::NativeText));
    if (const FixedKeys* const fixed = m_actions.fixedOf(key, chosenId()))
        return tr("%1 is the key of “%2”, which stays.").arg(key.toString(QKeySequence::NativeText), fixed->text);
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
    const bool isFixed = id.isEmpty() && m_list->currentItem() && m_list->currentItem()->parent();
    const QKeySequence now = id.isEmpty() ? QKeySequence() : m_actions.action(id)->shortcut();
    const QString refused = id.isEmpty() ? QString() : refusal(typed);
    QString note = isFixed ? tr("This key belongs to the view that has the focus, and stays.") : refused;
    if (const QStringList owners = id.isEmpty() ? QStringList() : m_actions.ownersOf(typed, id); note.isEmpty() && !owners.isEmpty()) {
        QStringList titles;
        for (const QString& owner : owners)
            titles << titleText(m_actions.spec(owner).text);
        note = tr("%1 is the key of “%2”, which would lose it.").arg(typed.toString(QKeySequence::NativeText), titles.join(tr("”, “")));
    }
    m_key->setEnabled(!id.isEmpty());
    m_note->setText(note);
    m_set->setEnabled(!id.isEmpty() && typed != now && !typed.isEmpty() && refused.isEmpty());
    m_none->setEnabled(!now.isEmpty());
    m_default->setEnabled(!id.isEmpty() && now != m_actions.spec(id).key);
}

void KeysDialog::give(const QKeySequence& key)
{
    for (const QString& owner : m_actions.ownersOf(key, chosenId()))
        setKey(owner, {});
    setKey(chosenId(), key);
    fill();
    showChosen();
}

/// Keeps only what differs from the default.
void KeysDialog::setKey(const QString& id, const QKeySequence& key)
{
    m_actions.setKey(id, key);
    QHash<QString, QString> keys = m_settings.ownKeys();
    if (key == m_actions.spec(id).key)
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
