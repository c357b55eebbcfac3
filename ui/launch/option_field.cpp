#include "ui/launch/option_field.h"

#include "ui/base/format.h"
#include "ui/base/icons.h"
#include "ui/base/look.h"
#include "ui/language/outside_text.h"
#include "ui/launch/draft.h"
#include "ui/launch/option_words.h"
#include "ui/launch/several_button.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QToolButton>
#include <QWheelEvent>

#include <algorithm>

namespace ui {
namespace {

using contract::OptionType;

const QString kBetweenValues = QStringLiteral(", ");  // of a list, as Draft::setField() has it

QString toQString(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

/// The same for all fields, so that their editors end alike.
int unitWidth(const QFontMetrics& metrics)
{
    int widest = 0;
    for (const char* const unit : {"processes", "passes", "steps"})  // rarer ones may be longer
        widest = std::max(widest, metrics.horizontalAdvance(translatedText(unit) + QLatin1Char(' ')));
    return widest;
}

/// Leaves the mouse wheel to the form: scrolling must not change a value.
class UnscrolledComboBox : public QComboBox {
public:
    using QComboBox::QComboBox;

protected:
    void wheelEvent(QWheelEvent* event) override { event->ignore(); }
};

}  // namespace

OptionField::OptionField(const contract::Option& option, Draft& draft, QWidget* parent)
    : QWidget(parent)
    , m_option(option)
    , m_draft(draft)
    , m_key(toQString(option.key))
    , m_label(new QLabel(translatedText(option.label), this))
    , m_editor(makeEditor())
    , m_revert(new QToolButton(this))
    , m_note(new QLabel(this))
{
    m_editor->setAccessibleName(m_label->text());
    m_editor->setAccessibleDescription(help());
    m_editor->setObjectName(m_key);
    m_label->setBuddy(m_editor);
    m_label->setFixedWidth(26 * fontMetrics().averageCharWidth());
    m_label->setWordWrap(true);
    setToolTip(tr("<b>%1</b><br>%2<br>%3, default %4")
                   .arg(m_key, help().toHtmlEscaped(),
                       translatedSentence(contract::describeRange(option)).toHtmlEscaped(),
                       QString::fromStdString(contract::toText(option.defaultValue)).toHtmlEscaped()));
    m_revert->setIcon(icon(QStringLiteral("revert")));
    m_revert->setAutoRaise(true);
    m_revert->setAccessibleName(tr("Reset %1").arg(m_label->text()));
    m_revert->setToolTip(
        tr("Reset to the default, %1").arg(QString::fromStdString(contract::toText(option.defaultValue))));
    QSizePolicy policy = m_revert->sizePolicy();
    policy.setRetainSizeWhenHidden(true);
    m_revert->setSizePolicy(policy);
    connect(m_revert, &QToolButton::clicked, this, [this] { m_draft.revert(m_key); });
    m_note->setWordWrap(true);
    m_note->setTextFormat(Qt::PlainText);
    QFont small = m_note->font();
    small.setPointSizeF(small.pointSizeF() * 0.88);
    m_note->setFont(small);

    auto* row = new QHBoxLayout;
    row->setSpacing(6);
    row->addWidget(m_editor, 1);
    if (contract::isPath(option.type) && !draft.mirror())  // a dialog would show this machine's files
        addPicker(row);
    if (option.type == OptionType::Boolean || option.type == OptionType::Choice)
        addSeveral(row);
    auto* unit = new QLabel(translatedText(option.unit), this);
    unit->setMinimumWidth(unitWidth(fontMetrics()));
    row->addWidget(unit);
    row->addWidget(m_revert);
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 3, 0, 5);
    grid->setHorizontalSpacing(10);
    grid->setVerticalSpacing(1);
    grid->addWidget(m_label, 0, 0);
    grid->addLayout(row, 0, 1);
    grid->addWidget(m_note, 1, 1);
    grid->setColumnStretch(1, 1);
    refresh();
}

QWidget* OptionField::makeEditor()
{
    switch (m_option.type) {
    case OptionType::Boolean:
        return makeCheckBox();
    case OptionType::Choice:
        return makeComboBox();
    default:
        return makeLineEdit();
    }
}

QWidget* OptionField::makeCheckBox()
{
    auto* box = new QCheckBox(this);
    connect(box, &QCheckBox::clicked, this, [this](bool isOn) {
        m_draft.setField(m_key, isOn ? QStringLiteral("true") : QStringLiteral("false"));
    });
    return box;
}

QWidget* OptionField::makeComboBox()
{
    auto* box = new UnscrolledComboBox(this);
    for (const std::string_view choice : m_option.choices) {
        box->addItem(translatedText(contract::choiceLabel(m_option, choice)), toQString(choice));
        box->setItemData(box->count() - 1, toQString(choice), Qt::ToolTipRole);
    }
    box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    box->setMinimumWidth(12 * fontMetrics().averageCharWidth());  // a narrow form cuts long labels off, not its right edge
    box->setFocusPolicy(Qt::StrongFocus);
    connect(box, &QComboBox::currentIndexChanged, this,
        [this, box] { m_draft.setField(m_key, box->currentData().toString()); });
    return box;
}

QWidget* OptionField::makeLineEdit()
{
    auto* edit = new QLineEdit(this);
    connect(edit, &QLineEdit::textEdited, this, [this](const QString& text) { m_draft.setField(m_key, text); });
    connect(edit, &QLineEdit::editingFinished, &m_draft, &Draft::finishField);
    return edit;
}

void OptionField::addPicker(QHBoxLayout* row)
{
    const bool isFolder = m_option.type == OptionType::FolderPath;
    auto* button = new QToolButton(this);
    button->setIcon(icon(QStringLiteral("folder")));
    button->setAccessibleName(pathTitle());
    button->setToolTip(isFolder ? tr("Choose a folder") : tr("Choose a file"));
    connect(button, &QToolButton::clicked, this, &OptionField::choosePath);
    row->addWidget(button);
    setTabOrder(button, m_revert);
}

void OptionField::addSeveral(QHBoxLayout* row)
{
    m_several = new SeveralButton(this);
    m_several->setAccessibleName(tr("Several values: %1").arg(m_label->text()));
    m_several->setObjectName(m_key + QStringLiteral(".several"));
    if (m_option.type == OptionType::Boolean) {
        m_several->addValue(QStringLiteral("true"), valueWords(m_option, true));
        m_several->addValue(QStringLiteral("false"), valueWords(m_option, false));
    }
    for (const std::string_view choice : m_option.choices)
        m_several->addValue(toQString(choice), translatedText(contract::choiceLabel(m_option, choice)));
    connect(m_several, &SeveralButton::ticked, this, [this](const QStringList& values) { m_draft.setField(m_key, values.join(kBetweenValues)); });
    row->addWidget(m_several);
    setTabOrder(m_several, m_revert);
}

QString OptionField::pathTitle() const
{
    return m_option.type == OptionType::FolderPath ? tr("Choose a folder: %1").arg(m_label->text()) : tr("Choose a file: %1").arg(m_label->text());
}

void OptionField::choosePath()
{
    auto* dialog = new QFileDialog(this, pathTitle(), QFileInfo(m_draft.fieldText(m_key)).absolutePath());
    dialog->setObjectName(QStringLiteral("pathDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(m_option.type == OptionType::FolderPath ? QFileDialog::Directory : QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) { m_draft.setField(m_key, file); });
    dialog->open();
}

QString OptionField::help() const
{
    return withLabels(withChoiceLabels(m_option, translatedText(m_option.help)));
}

bool OptionField::matches(const QString& text) const
{
    QStringList parts = {m_key, m_label->text(), translatedText(contract::groupLabel(m_option.group())), translatedText(m_option.help),
        toQString(m_option.label), toQString(m_option.help)};  // the manual speaks English
    for (const std::string_view choice : m_option.choices)
        parts << toQString(choice) << translatedText(contract::choiceLabel(m_option, choice));
    const QString all = parts.join(QLatin1Char(' '));
    const QStringList words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    return std::all_of(words.begin(), words.end(),
        [&](const QString& word) { return all.contains(word, Qt::CaseInsensitive); });
}

void OptionField::refresh()
{
    const QSignalBlocker blocker(m_editor);
    setEditorText(m_draft.fieldText(m_key));
    const bool isChanged = m_draft.isChanged(m_key);
    QFont font = m_label->font();
    font.setBold(isChanged);
    m_label->setFont(font);
    m_revert->setVisible(isChanged);

    const QString problem = m_draft.problemOf(m_key);
    m_hasProblem = !problem.isEmpty();
    QPalette colours = palette();
    colours.setColor(QPalette::WindowText, m_hasProblem
            ? stateColour(launcher::RunState::Failed, palette()) : fadedText(palette()));
    m_note->setPalette(colours);
    const std::size_t values = m_draft.valueCount(m_key);
    m_note->setText(m_hasProblem ? withLabels(problem)
            : values > 1         ? tr("%1 values: a run for each is queued").arg(formatCount(static_cast<std::int64_t>(values)))
                                 : help());

    const std::string_view missing = m_draft.missingCondition(m_option);
    const bool applies = missing.empty();
    m_isUnused = missing.starts_with("algorithm.name=") || missing.starts_with("model.name=") || missing.starts_with("launch.target=");
    m_editor->setEnabled(applies);
    if (m_several)
        m_several->setEnabled(applies);
    m_label->setEnabled(applies);
    if (!applies)
        m_note->setText(conditionSentence(missing));
}

void OptionField::setEditorText(const QString& text)
{
    if (m_several)
        m_several->setTicked(text.split(kBetweenValues));
    if (auto* box = qobject_cast<QCheckBox*>(m_editor)) {
        const bool isList = text.contains(kBetweenValues);
        box->setCheckState(isList ? Qt::PartiallyChecked : text == QLatin1String("true") ? Qt::Checked : Qt::Unchecked);
        box->setTristate(isList);
    } else if (auto* choices = qobject_cast<QComboBox*>(m_editor)) {
        showChoice(*choices, text);
    } else if (auto* edit = qobject_cast<QLineEdit*>(m_editor); edit->text() != text) {
        edit->setText(text);
    }
}

/// Several values are an entry of their own, below the choices, as long as they are what the option has.
void OptionField::showChoice(QComboBox& box, const QString& text)
{
    const int choices = static_cast<int>(m_option.choices.size());
    if (box.count() > choices && box.itemData(choices) != text)
        box.removeItem(choices);
    if (text.contains(kBetweenValues) && box.count() == choices) {
        const QString labels = m_several->labelsOf(text.split(kBetweenValues)).join(kBetweenValues);
        box.addItem(labels, text);
        box.setItemData(choices, labels, Qt::ToolTipRole);
    }
    box.setCurrentIndex(std::max(0, box.findData(text)));
}

void OptionField::focusEditor()
{
    m_editor->setFocus(Qt::OtherFocusReason);
    if (auto* edit = qobject_cast<QLineEdit*>(m_editor))
        edit->selectAll();
}

}  // namespace ui
