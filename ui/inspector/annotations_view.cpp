#include "ui/inspector/annotations_view.h"

#include "ui/runs/annotate_dialog.h"

#include <QFormLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QVBoxLayout>

#include <utility>

namespace ui {
namespace {

QString tagsText(const storage::RunRow& row)
{
    QStringList tags;
    for (const std::string& tag : row.tags)
        tags << QString::fromStdString(tag);
    return tags.join(QStringLiteral(", "));
}

void setUnmodified(QLineEdit* line, const QString& text)
{
    if (!line->isModified())
        line->setText(text);
}

}  // namespace

AnnotationsView::AnnotationsView(QWidget* parent)
    : QWidget(parent)
    , m_name(addLine(tr("Name")))
    , m_project(addLine(tr("Project")))
    , m_tags(addLine(tr("Tags")))
    , m_note(new QPlainTextEdit(this))
{
    m_tags->setPlaceholderText(tr("Separated by commas or spaces"));
    m_note->setPlaceholderText(tr("What this run is about. Ctrl+S saves the note."));
    m_note->setAccessibleName(tr("Note"));
    m_note->setTabChangesFocus(true);
    m_note->installEventFilter(this);
    auto* form = new QFormLayout;
    form->addRow(tr("Na&me:"), m_name);
    form->addRow(tr("&Project:"), m_project);
    form->addRow(tr("&Tags:"), m_tags);
    auto* label = new QLabel(tr("N&ote:"), this);
    label->setBuddy(m_note);
    auto* layout = new QVBoxLayout(this);
    layout->addLayout(form);
    layout->addWidget(label);
    layout->addWidget(m_note, 1);
}

QLineEdit* AnnotationsView::addLine(const QString& name)
{
    auto* line = new QLineEdit(this);
    line->setAccessibleName(name);
    line->installEventFilter(this);
    connect(line, &QLineEdit::editingFinished, this, [this, line] { commitLine(line); });
    return line;
}

void AnnotationsView::show(const RunEntry& entry)
{
    const bool isOther = entry.row.id != m_entry.row.id;
    if (isOther) {
        commit();
        for (QLineEdit* line : {m_name, m_project, m_tags})
            line->setModified(false);
        m_note->document()->setModified(false);
    }
    const storage::RunRow before = std::exchange(m_entry, entry).row;
    // What has not changed in the database may have been edited here a moment ago.
    if (isOther || before.name != entry.row.name)
        setUnmodified(m_name, entry.name());
    if (isOther || before.project != entry.row.project)
        setUnmodified(m_project, QString::fromStdString(entry.row.project));
    if (isOther || before.tags != entry.row.tags)
        setUnmodified(m_tags, tagsText(entry.row));
    if ((isOther || before.notes != entry.row.notes) && !m_note->document()->isModified())
        m_note->setPlainText(QString::fromStdString(entry.row.notes));
}

void AnnotationsView::editName()
{
    m_name->setFocus(Qt::ShortcutFocusReason);
    m_name->selectAll();
}

void AnnotationsView::reveal(const QString& text)
{
    m_note->moveCursor(QTextCursor::Start);
    m_note->find(text, QTextDocument::FindCaseSensitively);
}

void AnnotationsView::commit()
{
    for (QLineEdit* line : {m_name, m_project, m_tags})
        commitLine(line);
    commitNote();
}

void AnnotationsView::commitLine(QLineEdit* line)
{
    if (!line->isModified() || m_entry.row.id.empty())
        return;
    line->setModified(false);
    const std::string text = line->text().trimmed().toStdString();
    if (line == m_name && text.empty())
        return revert(line);
    if (line == m_name) {
        Q_EMIT edited(tr("rename"), m_entry.folder(), [text](contract::Annotations& run) { run.name = text; });
    } else if (line == m_project) {
        Q_EMIT edited(tr("change of project"), m_entry.folder(), [text](contract::Annotations& run) { run.project = text; });
    } else {
        std::vector<std::string> tags;
        for (const QString& tag : tagsIn(line->text()))
            tags.push_back(tag.toStdString());
        Q_EMIT edited(tr("change of tags"), m_entry.folder(), [tags](contract::Annotations& run) { run.tags = tags; });
    }
}

void AnnotationsView::commitNote()
{
    if (!m_note->document()->isModified() || m_entry.row.id.empty())
        return;
    m_note->document()->setModified(false);
    Q_EMIT edited(tr("change of the note"), m_entry.folder(),
        [text = m_note->toPlainText().toStdString()](contract::Annotations& run) { run.notes = text; });
}

void AnnotationsView::revert(QWidget* field)
{
    if (field == m_name)
        m_name->setText(m_entry.name());
    else if (field == m_project)
        m_project->setText(QString::fromStdString(m_entry.row.project));
    else if (field == m_tags)
        m_tags->setText(tagsText(m_entry.row));
    else
        m_note->setPlainText(QString::fromStdString(m_entry.row.notes));
}

bool AnnotationsView::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_note && event->type() == QEvent::FocusOut)
        commitNote();
    const bool isKey = event->type() == QEvent::KeyPress || event->type() == QEvent::ShortcutOverride;
    const auto* key = isKey ? static_cast<QKeyEvent*>(event) : nullptr;
    const bool isSave = key && key->matches(QKeySequence::Save);
    const bool isRevert = key && key->key() == Qt::Key_Escape;
    if ((isSave || isRevert) && event->type() == QEvent::ShortcutOverride)
        event->accept();
    if (isSave && event->type() == QEvent::KeyPress)
        commit();
    if (isRevert && event->type() == QEvent::KeyPress)
        revert(static_cast<QWidget*>(watched));
    return ((isSave || isRevert) && event->type() == QEvent::KeyPress) || QWidget::eventFilter(watched, event);
}

}  // namespace ui
