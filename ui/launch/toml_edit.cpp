#include "ui/launch/toml_edit.h"

#include "ui/base/look.h"
#include "ui/language/outside_text.h"
#include "ui/launch/draft.h"

#include <QFontDatabase>
#include <QRegularExpression>
#include <QSyntaxHighlighter>
#include <QTextBlock>
#include <QTextCursor>

#include <algorithm>

namespace ui {
namespace {

const QString kQuotes[] = {QStringLiteral("\"\"\""), QStringLiteral("'''")};  // of strings that go over several lines

/// @param open the quotes of the string in which the line begins, and then of the one in which it ends; empty: none
/// @return where the line's comment begins; its length if it has none
qsizetype commentIn(const QString& line, QString& open)
{
    for (qsizetype at = 0; at < line.size(); ++at) {
        const QString three = line.mid(at, 3);
        if (!open.isEmpty()) {
            if (line[at] == QLatin1Char('\\') && open.front() == QLatin1Char('"')) {
                ++at;
            } else if (three.startsWith(open)) {
                at += open.size() - 1;
                open.clear();
            }
        } else if (line[at] == QLatin1Char('#')) {
            return at;
        } else if (three == kQuotes[0] || three == kQuotes[1]) {
            open = three;
            at += 2;
        } else if (line[at] == QLatin1Char('"') || line[at] == QLatin1Char('\'')) {
            open = line[at];
        }
    }
    if (open.size() == 1)  // such a string ends with its line at the latest
        open.clear();
    return line.size();
}

class TomlHighlighter : public QSyntaxHighlighter {
public:
    explicit TomlHighlighter(TomlEdit* edit)
        : QSyntaxHighlighter(edit->document())
        , m_edit(edit)
    {
    }

protected:
    void highlightBlock(const QString& text) override
    {
        static const QRegularExpression table(QStringLiteral("^\\s*\\[.*\\]"));
        static const QRegularExpression key(QStringLiteral("^\\s*[\\w.-]+(?=\\s*=)"));
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
        QString open = previousBlockState() > 0 ? kQuotes[previousBlockState() - 1] : QString();
        const qsizetype comment = commentIn(text, open);
        setFormat(int(comment), int(text.size() - comment), faint);
        setCurrentBlockState(open == kQuotes[0] ? 1 : open == kQuotes[1] ? 2 : 0);
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
    setAccessibleName(tr("Experiment as TOML text"));
    setPlaceholderText(tr("All options have their defaults."));
    new TomlHighlighter(this);
    connect(&m_draft, &Draft::textChanged, this, &TomlEdit::updateFromDraft);
    connect(&m_draft, &Draft::fieldsChanged, this, &TomlEdit::markProblems);
    connect(this, &QPlainTextEdit::textChanged, this, [this] {
        if (!m_isUpdating)
            m_draft.setToml(toPlainText());
    });
    updateFromDraft();
}

// Replaces only the part that differs, so that the undo history, cursor and scroll position are kept.
void TomlEdit::updateFromDraft()
{
    const QString before = toPlainText();
    const QString& after = m_draft.toml();
    if (before == after)
        return;
    qsizetype prefix = 0;
    const qsizetype shorter = std::min(before.size(), after.size());
    while (prefix < shorter && before[prefix] == after[prefix])
        ++prefix;
    qsizetype suffix = 0;
    while (suffix < shorter - prefix && before[before.size() - 1 - suffix] == after[after.size() - 1 - suffix])
        ++suffix;
    m_isUpdating = true;
    QTextCursor cursor(document());
    cursor.setPosition(int(prefix));
    cursor.setPosition(int(before.size() - suffix), QTextCursor::KeepAnchor);
    cursor.insertText(after.mid(prefix, after.size() - suffix - prefix));
    m_isUpdating = false;
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
        mark.format.setToolTip(translatedSentence(problem.message));
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
