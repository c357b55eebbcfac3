#include "ui/debug/debug_dialog.h"

#include "engine/contract/formats/text.h"
#include "ui/base/background.h"
#include "ui/base/format.h"
#include "ui/base/icons.h"
#include "ui/base/plain_text.h"
#include "ui/base/state_strip.h"
#include "ui/base/window_size.h"
#include "ui/language/outside_text.h"

#include <QApplication>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QFontDatabase>
#include <QHeaderView>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QSplitter>
#include <QStandardPaths>
#include <QSyntaxHighlighter>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <exception>
#include <utility>

namespace ui {
namespace {

enum Column { Name, Size, Removed, ColumnCount };

/// Marks the places where something was removed or replaced.
class RemovalMarks : public QSyntaxHighlighter {
public:
    using QSyntaxHighlighter::QSyntaxHighlighter;

protected:
    void highlightBlock(const QString& text) override
    {
        static const QRegularExpression places(QStringLiteral("\\[(?:removed|mail|user|host)\\]"));
        QTextCharFormat mark;
        mark.setBackground(QApplication::palette().highlight());
        mark.setForeground(QApplication::palette().highlightedText());
        for (auto matches = places.globalMatch(text); matches.hasNext();) {
            const QRegularExpressionMatch match = matches.next();
            setFormat(static_cast<int>(match.capturedStart()), static_cast<int>(match.capturedLength()), mark);
        }
    }
};

}  // namespace

DebugDialog::DebugDialog(const launcher::DataHome& home, const contract::RunFolder& run, QWidget* parent)
    : QDialog(parent)
    , m_home(home)
    , m_run(run)
    , m_list(new QTreeWidget)
    , m_text(new QPlainTextEdit)
    , m_note(new QLabel(this))
{
    setObjectName(QStringLiteral("debugDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Debug package of %1").arg(QString::fromStdString(run.id())));
    setupList();
    m_text->setReadOnly(true);
    m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_text->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_text->setTabChangesFocus(true);
    m_text->setAccessibleName(tr("Content of the file"));
    new RemovalMarks(m_text->document());
    m_note->setWordWrap(true);
    auto* splitter = new QSplitter(Qt::Horizontal);
    splitter->addWidget(m_list);
    splitter->addWidget(m_text);
    splitter->setChildrenCollapsible(false);
    splitter->setSizes({2, 3});
    m_frame = new ViewFrame(splitter, this);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    m_save = buttons->addButton(tr("Save…"), QDialogButtonBox::ActionRole);
    m_save->setObjectName(QStringLiteral("saveDebugPackage"));
    m_save->setIcon(icon(QStringLiteral("save")));
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_save, &QPushButton::clicked, this, &DebugDialog::askFile);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(m_note);
    layout->addWidget(m_frame, 1);
    layout->addWidget(buttons);
    const int digit = fontMetrics().horizontalAdvance(QLatin1Char('0'));
    resize(sizeOnScreen(*this, QSize(140 * digit, 36 * fontMetrics().height())));
    load();
}

void DebugDialog::setupList()
{
    m_list->setColumnCount(ColumnCount);
    m_list->setHeaderLabels({tr("File"), tr("Size"), tr("Removed")});
    for (const int column : {Size, Removed})
        m_list->headerItem()->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    m_list->headerItem()->setToolTip(Removed, tr("Places where a secret was removed"));
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->setAlternatingRowColors(true);
    m_list->setAccessibleName(tr("Files of the package"));
    m_list->header()->setStretchLastSection(false);
    m_list->header()->setSectionResizeMode(Name, QHeaderView::Stretch);
    for (const int column : {Size, Removed})
        m_list->header()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
    connect(m_list, &QTreeWidget::currentItemChanged, this, &DebugDialog::showFile);
    connect(m_list, &QTreeWidget::itemChanged, this, &DebugDialog::updateState);
}

QString DebugDialog::preview() const { return m_text->toPlainText(); }

QString DebugDialog::note() const { return m_note->text(); }

void DebugDialog::load()
{
    m_isCancelled = false;
    const auto read = [home = m_home, run = m_run, version = QApplication::applicationVersion().toStdString()](const std::stop_token&) { return launcher::debugFiles(home, run, version); };
    m_reading.start(this, read, [this](std::vector<launcher::DebugFile> files) { showFiles(std::move(files)); });
    updateState();
}

void DebugDialog::showFiles(std::vector<launcher::DebugFile> files)
{
    m_files = std::move(files);
    {
        const QSignalBlocker blocker(m_list);
        for (const launcher::DebugFile& file : m_files) {
            const QString name = QString::fromStdString(file.name);
            auto* row = new QTreeWidgetItem(
                m_list, {name, formatBytes(std::ssize(file.text)), file.secrets > 0 ? formatCount(file.secrets) : QStringLiteral("–")});
            row->setCheckState(Name, Qt::Checked);
            row->setToolTip(Name, plainToolTip(name));
            for (const int column : {Size, Removed})
                row->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
        }
    }
    m_list->setCurrentItem(m_list->topLevelItem(0));
    updateState();
}

void DebugDialog::showFile()
{
    const int row = m_list->indexOfTopLevelItem(m_list->currentItem());
    m_text->setPlainText(row < 0 ? QString() : QString::fromStdString(m_files[static_cast<std::size_t>(row)].text));
}

void DebugDialog::askFile()
{
    const QString folder = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    auto* dialog = new QFileDialog(this, tr("Save the debug package"), folder, tr("Compressed archives (*.tar.gz)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("tar.gz"));
    dialog->selectFile(QString::fromStdString(m_run.id()) + QStringLiteral("-debug.tar.gz"));
    connect(dialog, &QFileDialog::fileSelected, this, &DebugDialog::save);
    dialog->open();
}

void DebugDialog::save(const QString& archive)
{
    std::vector<launcher::DebugFile> chosen;
    for (int row = 0; row < m_list->topLevelItemCount(); ++row) {
        if (m_list->topLevelItem(row)->checkState(Name) == Qt::Checked)
            chosen.push_back(m_files[static_cast<std::size_t>(row)]);
    }
    const auto write = [archive, run = m_run.id(), chosen] {
        try {
            launcher::writeDebugPackage(archive.toStdString(), run, chosen);
        } catch (const std::exception& error) {
            return translatedSentence(contract::sentenceOf(error));
        }
        return QString();
    };
    m_isWriting = true;
    inBackground(this, write, [this, archive](const QString& error) {
        m_isWriting = false;
        m_result = error.isEmpty() ? tr("%1 was written.").arg(archive) : error;
        updateState();
        Q_EMIT saved(archive, error);
    });
    updateState();
}

void DebugDialog::updateState()
{
    qint64 bytes = 0;
    int files = 0, secrets = 0;
    for (int row = 0; row < m_list->topLevelItemCount(); ++row) {
        if (m_list->topLevelItem(row)->checkState(Name) != Qt::Checked)
            continue;
        const launcher::DebugFile& file = m_files[static_cast<std::size_t>(row)];
        ++files;
        bytes += std::ssize(file.text);
        secrets += file.secrets;
    }
    ViewState state;
    state.isLoading = m_reading.isRunning() || m_isWriting;
    if (m_reading.isRunning())
        state.cancel = [this] {
            m_reading.cancel();
            m_isCancelled = true;
            updateState();
        };
    if (m_isCancelled)
        state.error = cancelledReading([this] { load(); });
    m_frame->setState(state);
    m_save->setEnabled(!state.isLoading && files > 0);
    const QString removed = secrets == 0 ? tr("No passwords or tokens were found.")
                                         : formatCounted(secrets, tr("A password or token was removed in 1 place."), tr("Passwords and tokens were removed in %Ln places.", nullptr, pluralCount(secrets)));
    const QString holds = formatCounted(files, tr("The package holds 1 file, %1."), tr("The package holds %Ln files, %1.", nullptr, pluralCount(files))).arg(formatBytes(bytes));
    m_note->setText(m_reading.isRunning() ? tr("Reading the run, and what is to be said about this machine…")
                                : QStringList {m_result, holds, removed, tr("It has no weights, samples or data. Look through it before you hand it on.")}
                                      .join(QLatin1Char(' ')).trimmed());
}

}  // namespace ui
