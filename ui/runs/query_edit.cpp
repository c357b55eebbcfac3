#include "ui/runs/query_edit.h"

#include "ui/base/icons.h"
#include "ui/base/look.h"

#include <QCoreApplication>
#include <QInputMethodEvent>
#include <QLabel>
#include <QLineEdit>
#include <QTextCharFormat>
#include <QVBoxLayout>

namespace ui {
namespace {

/// Underlines @p length characters of @p edit from @p start on; none when @p length is 0. A line edit shows formats only in
/// the text of an input method.
void underline(QLineEdit* edit, qsizetype start, qsizetype length)
{
    QList<QInputMethodEvent::Attribute> attributes;
    if (length > 0) {
        QTextCharFormat format;
        format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
        format.setUnderlineColor(stateColour(launcher::RunState::Failed, edit->palette()));
        attributes.append({QInputMethodEvent::TextFormat, int(start) - edit->cursorPosition(), int(length), format});
    }
    QInputMethodEvent event({}, attributes);
    QCoreApplication::sendEvent(edit, &event);
}

}  // namespace

QueryEdit::QueryEdit(QWidget* parent)
    : QWidget(parent)
    , m_edit(new QLineEdit(this))
    , m_problem(new QLabel(this))
{
    m_edit->setPlaceholderText(tr("Filter runs: lora state:failed loss < 0.2"));
    m_edit->setToolTip(tr("Words that the name, project, tags, note or state contain, and comparisons: tag:lora, state:failed,"
                          " loss &lt; 0.2, min(loss) &lt; 0.1, optim.lr &gt;= 1e-4; joined by and, or, not and parentheses."));
    m_edit->setAccessibleName(tr("Filter runs"));
    m_edit->setClearButtonEnabled(true);
    m_edit->addAction(icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    m_problem->setObjectName(QStringLiteral("filterProblem"));
    m_problem->setWordWrap(true);
    m_problem->setTextFormat(Qt::PlainText);
    m_problem->hide();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    layout->addWidget(m_edit);
    layout->addWidget(m_problem);
    setFocusProxy(m_edit);
    connect(m_edit, &QLineEdit::textChanged, this, &QueryEdit::textChanged);
}

QString QueryEdit::text() const { return m_edit->text(); }

void QueryEdit::setText(const QString& text)
{
    m_edit->setText(text);
}

void QueryEdit::focusText()
{
    m_edit->setFocus(Qt::ShortcutFocusReason);
    m_edit->selectAll();
}

void QueryEdit::showProblem(const std::optional<RunQuery::Problem>& problem)
{
    m_problem->setVisible(problem.has_value());
    m_problem->setText(problem ? problem->sentence : QString());
    QPalette palette = this->palette();
    const QColor failed = stateColour(launcher::RunState::Failed, palette);
    palette.setColor(QPalette::WindowText, withContrast(failed, palette.color(QPalette::Window), 4.5));
    m_problem->setPalette(palette);
    underline(m_edit, problem ? problem->position : 0, problem ? problem->length : 0);
}

}  // namespace ui
