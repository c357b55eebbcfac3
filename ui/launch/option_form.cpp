#include "ui/launch/option_form.h"

#include "ui/base/icons.h"
#include "ui/language/outside_text.h"
#include "ui/launch/draft.h"
#include "ui/launch/option_field.h"

#include <QApplication>
#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {
namespace {

QLabel* makeHeading(std::string_view group, QWidget* parent)
{
    auto* heading = new QLabel(translatedText(contract::groupLabel(group)), parent);
    QFont font = heading->font();
    font.setPointSizeF(font.pointSizeF() * 1.2);
    font.setBold(true);
    heading->setFont(font);
    heading->setContentsMargins(0, 14, 0, 2);
    return heading;
}

}  // namespace

OptionForm::OptionForm(Draft& draft, QWidget* parent)
    : QWidget(parent)
    , m_draft(draft)
    , m_search(new QLineEdit(this))
    , m_advanced(new QCheckBox(tr("Advanced options"), this))
    , m_area(new QScrollArea(this))
    , m_noMatch(new QLabel(tr("No option matches."), this))
    , m_unreadableNote(makeUnreadableNote())
{
    m_search->setPlaceholderText(tr("Search options by name or meaning"));
    m_search->setAccessibleName(tr("Search options"));
    m_search->setClearButtonEnabled(true);
    m_search->addAction(icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    m_noMatch->setAlignment(Qt::AlignCenter);

    auto* page = new QWidget(m_area);
    auto* column = new QVBoxLayout(page);
    column->setSpacing(0);
    column->setContentsMargins(12, 0, 12, 12);
    addGroups(column);
    column->addStretch();
    m_area->setWidget(page);
    m_area->setWidgetResizable(true);
    m_area->setFrameShape(QFrame::NoFrame);
    m_area->setFocusPolicy(Qt::NoFocus);  // the fields scroll it
    m_area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);

    auto* top = new QHBoxLayout;
    top->addWidget(m_search, 1);
    top->addWidget(m_advanced);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addLayout(top);
    layout->addWidget(m_noMatch);
    layout->addWidget(m_area, 1);
    layout->addWidget(m_unreadableNote);  // below, so that the fields stay where they are while a line of the text is half typed

    // Tab into the form, too, brings the field into sight, not only Tab within it.
    connect(qApp, &QApplication::focusChanged, this, [this](const QWidget*, QWidget* now) {
        if (m_area->widget()->isAncestorOf(now))
            m_area->ensureWidgetVisible(now);
    });
    connect(m_search, &QLineEdit::textChanged, this, [this] {
        m_target = nullptr;
        filter();
    });
    connect(m_advanced, &QCheckBox::toggled, this, &OptionForm::filter);
    connect(&m_draft, &Draft::fieldsChanged, this, &OptionForm::refresh);
    refresh();
}

QWidget* OptionForm::makeUnreadableNote()
{
    auto* const note = new QWidget(this);
    note->setObjectName(QStringLiteral("unreadableNote"));
    auto* const sentence = new QLabel(tr("The text beside the form cannot be read, so options cannot be changed here. They show the last values that could be read."), note);
    sentence->setWordWrap(true);
    auto* const show = new QPushButton(tr("Show the error"), note);
    connect(show, &QPushButton::clicked, this, &OptionForm::textProblemRequested);
    auto* const discard = new QPushButton(tr("Discard the text's changes"), note);
    discard->setObjectName(QStringLiteral("discardText"));
    discard->setToolTip(tr("Bring back the last text that could be read. Undo in the text takes this back."));
    connect(discard, &QPushButton::clicked, &m_draft, &Draft::discardText);
    auto* const buttons = new QHBoxLayout;
    buttons->addWidget(show);
    buttons->addWidget(discard);
    buttons->addStretch();
    auto* const column = new QVBoxLayout(note);
    column->setContentsMargins(12, 4, 12, 4);
    column->addWidget(sentence);
    column->addLayout(buttons);
    return note;
}

void OptionForm::refresh()
{
    const bool isReadable = m_draft.isTextReadable();
    m_unreadableNote->setVisible(!isReadable);
    m_area->widget()->setEnabled(isReadable);
    for (OptionField* field : m_fields)
        field->refresh();
    filter();
}

void OptionForm::addGroups(QVBoxLayout* column)
{
    std::string_view group;
    for (const contract::Option& option : contract::options()) {
        if (option.group() != group) {
            group = option.group();
            m_groups.append(Group {makeHeading(group, this), {}});
            column->addWidget(m_groups.last().heading);
        }
        auto* field = new OptionField(option, m_draft, this);
        column->addWidget(field);
        m_fields.append(field);
        m_groups.last().fields.append(field);
    }
}

// A search includes options that are hidden without it, because its text may name one: the field then says why it has no effect.
void OptionForm::filter()
{
    const QString text = m_search->text();
    bool hasAny = false;
    for (const Group& group : m_groups) {
        bool isGroupVisible = false;
        for (OptionField* field : group.fields) {
            const bool isHidden = (field->option().isAdvanced && !m_advanced->isChecked()) || (field->isUnused() && !field->hasProblem());
            const bool isFieldVisible = (!isHidden || !text.isEmpty() || field == m_target) && field->matches(text);
            field->setVisible(isFieldVisible);
            isGroupVisible |= isFieldVisible;
        }
        group.heading->setVisible(isGroupVisible);
        hasAny |= isGroupVisible;
    }
    m_noMatch->setVisible(!hasAny);
}

OptionField* OptionForm::field(const QString& key) const
{
    const auto found = std::ranges::find(m_fields, key, &OptionField::key);
    return found == m_fields.end() ? nullptr : *found;
}

void OptionForm::goTo(const QString& key)
{
    OptionField* const target = field(key);
    if (!target)
        return;
    m_search->clear();
    m_target = target;
    if (target->option().isAdvanced)
        m_advanced->setChecked(true);
    filter();
    target->focusEditor();
    // Scroll only after the layout has made room for fields that were hidden until now.
    QTimer::singleShot(0, target, [this, target] { m_area->ensureWidgetVisible(target, 0, 60); });
}

void OptionForm::clearSearch()
{
    m_search->clear();
}

void OptionForm::focusSearch()
{
    m_search->setFocus(Qt::ShortcutFocusReason);
    m_search->selectAll();
}

}  // namespace ui
