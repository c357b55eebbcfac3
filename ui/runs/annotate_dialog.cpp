#include "ui/runs/annotate_dialog.h"

#include "ui/base/format.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QVBoxLayout>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace ui {
namespace {

constexpr int kBeforeRole = Qt::UserRole;  ///< int of the check state that the runs' tags gave

/// What all runs have; nullopt when they differ.
template <typename Member>
std::optional<QString> common(const std::vector<RunEntry>& runs, Member member)
{
    const auto isSame = [&](const RunEntry& run) { return run.row.*member == runs.front().row.*member; };
    return std::ranges::all_of(runs, isSame) ? std::optional(QString::fromStdString(runs.front().row.*member)) : std::nullopt;
}

bool hasTag(const RunEntry& run, const std::string& tag)
{
    return std::ranges::find(run.row.tags, tag) != run.row.tags.end();
}

}  // namespace

QStringList tagsIn(const QString& text)
{
    static const QRegularExpression separators(QStringLiteral("[,\\s]+"));
    QStringList tags = text.split(separators, Qt::SkipEmptyParts);
    tags.removeDuplicates();
    return tags;
}

AnnotateDialog::AnnotateDialog(const std::vector<RunEntry>& runs, const std::vector<RunEntry>& all, Part first, QWidget* parent)
    : QDialog(parent)
    , m_project(new QComboBox(this))
    , m_tags(new QListWidget(this))
    , m_newTags(new QLineEdit(this))
    , m_note(new QPlainTextEdit(this))
{
    setObjectName(QStringLiteral("annotateDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(formatCounted(std::int64_t(runs.size()), runs.front().name(), tr("%Ln runs", nullptr, pluralCount(runs.size()))));
    fillProject(runs, all);
    fillTags(runs, all);
    fillNote(runs);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Cancel, this);
    for (QAbstractButton* button : buttons->buttons())
        button->setIcon({});
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(this, &QDialog::accepted, this, [this] {
        addNewTags();
        Q_EMIT confirmed(change());
    });
    connect(m_newTags, &QLineEdit::returnPressed, this, &AnnotateDialog::addNewTags);
    auto* form = new QFormLayout;
    form->addRow(tr("&Project:"), m_project);
    form->addRow(tr("&Tags:"), m_tags);
    form->addRow(tr("&New tags:"), m_newTags);
    form->addRow(tr("N&ote:"), m_note);
    auto* layout = new QVBoxLayout(this);
    layout->addLayout(form);
    layout->addWidget(buttons);
    resize(56 * fontMetrics().averageCharWidth(), 26 * fontMetrics().height());
    QWidget* const focused[] = {m_project, m_newTags, m_note};
    focused[static_cast<int>(first)]->setFocus();
}

void AnnotateDialog::fillProject(const std::vector<RunEntry>& runs, const std::vector<RunEntry>& all)
{
    std::set<QString> projects;
    for (const RunEntry& run : all)
        projects.insert(QString::fromStdString(run.row.project));
    projects.erase(QString());
    m_project->setEditable(true);
    for (const QString& project : projects)
        m_project->addItem(project);
    const auto shared = common(runs, &storage::RunRow::project);
    m_project->setCurrentText(shared.value_or(QString()));
    m_project->lineEdit()->setModified(false);
    m_project->lineEdit()->setPlaceholderText(shared ? QString() : tr("Different projects"));
    m_project->setAccessibleName(tr("Project"));
    connect(m_project, &QComboBox::activated, this, [this] { m_project->lineEdit()->setModified(true); });
}

void AnnotateDialog::fillTags(const std::vector<RunEntry>& runs, const std::vector<RunEntry>& all)
{
    std::set<std::string> tags;
    for (const RunEntry& run : all)
        tags.insert(run.row.tags.begin(), run.row.tags.end());
    for (const std::string& tag : tags) {
        const auto having = std::ranges::count_if(runs, [&](const RunEntry& run) { return hasTag(run, tag); });
        const Qt::CheckState state = having == 0 ? Qt::Unchecked : having == std::ssize(runs) ? Qt::Checked : Qt::PartiallyChecked;
        auto* item = new QListWidgetItem(QString::fromStdString(tag), m_tags);
        item->setCheckState(state);
        item->setData(kBeforeRole, state);
    }
    m_tags->setAccessibleName(tr("Tags"));
    m_newTags->setPlaceholderText(tr("Separated by commas or spaces"));
    m_newTags->setAccessibleName(tr("New tags"));
}

void AnnotateDialog::fillNote(const std::vector<RunEntry>& runs)
{
    const auto shared = common(runs, &storage::RunRow::notes);
    m_note->setPlainText(shared.value_or(QString()));
    m_note->setPlaceholderText(shared ? QString() : tr("Different notes; what is written here replaces them"));
    m_note->document()->setModified(false);
    m_note->setTabChangesFocus(true);
    m_note->setAccessibleName(tr("Note"));
}

void AnnotateDialog::addNewTags()
{
    for (const QString& tag : tagsIn(m_newTags->text())) {
        const auto known = m_tags->findItems(tag, Qt::MatchExactly);
        auto* item = known.isEmpty() ? new QListWidgetItem(tag, m_tags) : known.front();
        item->setCheckState(Qt::Checked);
    }
    m_newTags->clear();
}

void AnnotateDialog::keyPressEvent(QKeyEvent* event)
{
    if (event->matches(QKeySequence::Save))
        accept();
    else
        QDialog::keyPressEvent(event);
}

RunEdits::Change AnnotateDialog::change() const
{
    std::map<std::string, bool> tags;  ///< true: to be added
    for (int row = 0; row < m_tags->count(); ++row) {
        const QListWidgetItem* const item = m_tags->item(row);
        if (item->checkState() != Qt::PartiallyChecked && item->data(kBeforeRole) != QVariant(item->checkState()))
            tags[item->text().toStdString()] = item->checkState() == Qt::Checked;
    }
    const bool isProjectSet = m_project->lineEdit()->isModified();
    const bool isNoteSet = m_note->document()->isModified();
    return [tags, isProjectSet, isNoteSet, project = m_project->currentText().trimmed().toStdString(),
               note = m_note->toPlainText().toStdString()](contract::Annotations& run) {
        for (const auto& [tag, isAdded] : tags) {
            std::erase(run.tags, tag);
            if (isAdded)
                run.tags.push_back(tag);
        }
        if (isProjectSet)
            run.project = project;
        if (isNoteSet)
            run.notes = note;
    };
}

}  // namespace ui
