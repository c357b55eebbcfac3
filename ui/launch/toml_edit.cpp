#include "ui/launch/toml_edit.h"

#include "ui/base/look.h"
#include "ui/launch/draft.h"

#include <QFontDatabase>
#include <QRegularExpression>
#include <QSyntaxHighlighter>
#include <QTextBlock>
#include <QTextCursor>

#include <algorithm>

namespace ui {
namespace {

class TomlColours : public QSyntaxHighlighter {
public:
    explicit TomlColours(TomlEdit* edit)
        : QSyntaxHighlighter(edit->document())
        , m_edit(edit)
    {
    }

protected:
    void highlightBlock(const QString& text) override
    {
        static const QRegularExpression table(QStringLiteral("^\\s*\\[.*\\]"));
        static const QRegularExpression key(QStringLiteral("^\\s*[\\w.-]+(?=\\s*=)"));
        static const QRegularExpression comment(QStringLiteral("#[^\"']*$"));
        const QPalette palette = m_edit->palette();
        QTextCharFormat bold;
        bold.setFontWeight(QFont::Bold);
        paint(text, table, bold);
        QTextCharFormat name;
        name.setForeground(palette.color(QPalette::Link));
        paint(text, key, name);
        QTextCharFormat faint;
        faint.setForeground(fadedText(palette));
        faint.setFontItalic(true);
        paint(text, comment, faint);
    }

private:
    void paint(const QString& text, const QRegularExpression& what, const QTextCharFormat& format)
    {
        const auto match = what.match(text);
        if (match.hasMatch())
            setFormat(int(match.capturedStart()), int(match.capturedLength()), format);
    }

    TomlEdit* m_edit;
};

}  // namespace

TomlEdit::TomlEdit(Draft& draft, QWidget* parent)
    : QPlainTextEdit(parent)
    , m_draft(draft)
{
    setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    setLineWrapMode(QPlainTextEdit::NoWrap);
    setTabChangesFocus(true);
    setAccessibleName(tr("Experiment as text"));
    setPlaceholderText(tr("Every option has its default."));
    new TomlColours(this);
    connect(&m_draft, &Draft::textChanged, this, &TomlEdit::takeText);
    connect(&m_draft, &Draft::fieldsChanged, this, &TomlEdit::markProblems);
    connect(this, &QPlainTextEdit::textChanged, this, [this] {
        if (!m_isTaking)
            m_draft.setToml(toPlainText());
    });
    takeText();
}

// Only what differs is replaced, so that undo, cursor and scroll position survive.
void TomlEdit::takeText()
{
    const QString before = toPlainText();
    const QString& after = m_draft.toml();
    if (before == after)
        return;
    qsizetype same = 0;
    const qsizetype shorter = std::min(before.size(), after.size());
    while (same < shorter && before[same] == after[same])
        ++same;
    qsizetype tail = 0;
    while (tail < shorter - same && before[before.size() - 1 - tail] == after[after.size() - 1 - tail])
        ++tail;
    m_isTaking = true;
    QTextCursor cursor(document());
    cursor.setPosition(int(same));
    cursor.setPosition(int(before.size() - tail), QTextCursor::KeepAnchor);
    cursor.insertText(after.mid(same, after.size() - tail - same));
    m_isTaking = false;
}

void TomlEdit::markProblems()
{
    QList<QTextEdit::ExtraSelection> marks;
    for (const contract::Problem& problem : m_draft.textProblems()) {
        if (problem.line <= 0)
            continue;
        QTextEdit::ExtraSelection mark;
        mark.cursor = QTextCursor(document()->findBlockByNumber(problem.line - 1));
        mark.cursor.select(QTextCursor::LineUnderCursor);
        mark.format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
        mark.format.setUnderlineColor(stateColour(launcher::RunState::Failed, palette()));
        mark.format.setToolTip(QString::fromStdString(problem.message));
        marks.append(mark);
    }
    setExtraSelections(marks);
}

void TomlEdit::goToLine(int line)
{
    setTextCursor(QTextCursor(document()->findBlockByNumber(line - 1)));
    setFocus(Qt::OtherFocusReason);
}

}  // namespace ui
