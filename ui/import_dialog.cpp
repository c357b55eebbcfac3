#include "ui/import_dialog.h"

#include "engine/contract/formats/text.h"
#include "launcher/home/incoming_folder.h"
#include "ui/base/background.h"
#include "ui/base/format.h"
#include "ui/base/icons.h"
#include "ui/base/plain_text.h"
#include "ui/base/state_strip.h"
#include "ui/base/window_size.h"
#include "ui/language/outside_text.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <exception>
#include <optional>

namespace ui {
namespace {

struct Outcome {
    std::optional<storage::ImportResult> result;
    QString error;
};

Outcome importOne(const launcher::DataHome& home, const storage::ForeignRun& run, const std::atomic<bool>& isCancelled)
{
    try {
        const launcher::IncomingFolder staging(home);
        return {storage::importRun(run, home.runs(), staging.path(), [&isCancelled] { return isCancelled.load(); }), {}};
    } catch (const std::exception& error) {
        return {std::nullopt, translatedSentence(contract::sentenceOf(error))};
    }
}

}  // namespace

struct ImportDialog::Found {
    std::vector<storage::ForeignRun> runs;
    QStringList problems;
};

ImportDialog::ImportDialog(Workbench& workbench, QWidget* parent)
    : QDialog(parent)
    , m_workbench(workbench)
    , m_path(new QLineEdit)
    , m_all(new QCheckBox(tr("&All")))
    , m_list(new QTreeWidget)
    , m_frame(new ViewFrame(m_list))
    , m_note(new QLabel(this))
    , m_isCancelled(std::make_shared<std::atomic<bool>>(false))
{
    setObjectName(QStringLiteral("importDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Import runs"));
    m_list->setColumnCount(ColumnCount);
    m_list->setHeaderLabels({tr("Run"), tr("Recorded by"), tr("Result")});
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->setAlternatingRowColors(true);
    m_list->setAccessibleName(tr("Runs found"));
    m_list->header()->setStretchLastSection(true);
    m_list->header()->setSectionResizeMode(Name, QHeaderView::Stretch);
    m_list->header()->setSectionResizeMode(Program, QHeaderView::ResizeToContents);
    m_note->setWordWrap(true);
    m_note->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_note->setObjectName(QStringLiteral("importNote"));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    m_import = buttons->addButton(tr("Import"), QDialogButtonBox::ActionRole);
    m_import->setObjectName(QStringLiteral("importButton"));
    // Return in the path's field looks there, and does not close the window.
    for (QPushButton* button : {buttons->button(QDialogButtonBox::Close), m_import})
        button->setAutoDefault(false);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_import, &QPushButton::clicked, this, &ImportDialog::start);
    connect(m_list, &QTreeWidget::itemChanged, this, [this](const QTreeWidgetItem*, int column) {
        if (column == Name)
            updateState();
    });
    connect(m_all, &QCheckBox::clicked, this, [this] { tickAll(m_all->checkState() != Qt::Unchecked); });
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(makePathRow());
    layout->addWidget(m_all);
    layout->addWidget(m_frame, 1);
    layout->addWidget(m_note);
    layout->addWidget(buttons);
    const int digit = fontMetrics().horizontalAdvance(QLatin1Char('0'));
    resize(sizeOnScreen(*this, QSize(100 * digit, 26 * fontMetrics().height())));
    updateState();
}

ImportDialog::~ImportDialog() { *m_isCancelled = true; }

QString ImportDialog::note() const { return m_note->text(); }

QWidget* ImportDialog::makePathRow()
{
    auto* row = new QWidget(this);
    m_path->setParent(row);  // before the buttons, for Tab
    m_path->setPlaceholderText(tr("Folder or file"));
    m_path->setAccessibleName(tr("Folder or file"));
    auto* folder = new QPushButton(icon(QStringLiteral("folder")), tr("Choose &folder…"), row);
    auto* file = new QPushButton(tr("Choose f&ile…"), row);
    for (QPushButton* button : {folder, file})
        button->setAutoDefault(false);
    connect(folder, &QPushButton::clicked, this, [this] { choose(true); });
    connect(file, &QPushButton::clicked, this, [this] { choose(false); });
    connect(m_path, &QLineEdit::returnPressed, this, [this] { look(m_path->text()); });
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_path, 1);
    layout->addWidget(folder);
    layout->addWidget(file);
    return row;
}

void ImportDialog::choose(bool isFolder)
{
    auto* dialog = new QFileDialog(this, isFolder ? tr("Choose a folder with runs") : tr("Choose a file"), m_path->text(),
        isFolder ? QString() : tr("Runs and tables (*tfevents* *.wandb *.db *.csv *.tsv *.json *.jsonl *.ndjson);;All files (*)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(isFolder ? QFileDialog::Directory : QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, &ImportDialog::look);
    dialog->open();
}

void ImportDialog::look(const QString& path)
{
    if (m_isImporting || path.isEmpty())
        return;
    m_path->setText(path);
    m_isSearching = true;
    const auto search = [path] {
        Found found;
        std::vector<std::string> problems;
        try {
            found.runs = storage::findForeignRuns(path.toStdString(), problems);
        } catch (const std::exception& error) {
            problems.emplace_back(contract::sentenceOf(error));
        }
        for (const std::string& problem : problems)
            found.problems << translatedSentence(problem);
        return found;
    };
    inBackground(this, search, [this, number = ++m_search](const Found& found) {
        if (number != m_search)
            return;
        m_isSearching = false;
        showFound(found);
    });
    updateState();
}

void ImportDialog::showFound(const Found& found)
{
    m_runs = found.runs;
    m_list->clear();
    for (const storage::ForeignRun& run : m_runs) {
        const QString name = QString::fromStdString(run.name);
        auto* row = new QTreeWidgetItem({plainTitle(name), QString::fromUtf8(storage::nameOf(run.program)), QString()});
        row->setCheckState(Name, Qt::Checked);
        row->setToolTip(Name, plainToolTip(QString::fromStdString(run.place.string())));
        m_list->addTopLevelItem(row);
    }
    constexpr qsizetype kMostProblems = 5;
    QStringList problems = found.problems.mid(0, kMostProblems);
    if (const qsizetype more = found.problems.size() - problems.size(); more > 0)
        problems << formatCounted(more, tr("1 more folder or file cannot be read."), tr("%Ln more folders and files cannot be read.", nullptr, pluralCount(more)));
    m_note->setText(problems.join(QLatin1Char('\n')));
    updateState();
}

void ImportDialog::tickAll(bool isTicked)
{
    {
        const QSignalBlocker blocker(m_list);
        for (int row = 0; row < m_list->topLevelItemCount(); ++row)
            m_list->topLevelItem(row)->setCheckState(Name, isTicked ? Qt::Checked : Qt::Unchecked);
    }
    updateState();
}

void ImportDialog::start()
{
    m_left.clear();
    for (int row = m_list->topLevelItemCount() - 1; row >= 0; --row) {
        if (m_list->topLevelItem(row)->checkState(Name) == Qt::Checked)
            m_left.push_back(row);
    }
    m_total = int(m_left.size());
    m_done.clear();
    m_failures = m_known = 0;
    *m_isCancelled = false;
    m_isImporting = true;
    importNext();
}

void ImportDialog::importNext()
{
    if (m_left.empty() || *m_isCancelled)
        return finish();
    const int row = m_left.back();
    m_left.pop_back();
    m_list->topLevelItem(row)->setText(Result, tr("is being read …"));
    m_list->scrollToItem(m_list->topLevelItem(row));
    m_note->setText(tr("%1 of %2").arg(formatCount(m_total - qint64(m_left.size())), formatCount(m_total)));
    updateState();
    const auto work = [home = m_workbench.home, run = m_runs[std::size_t(row)], isCancelled = m_isCancelled] { return importOne(home, run, *isCancelled); };
    inBackground(this, work, [this, row](const Outcome& outcome) {
        if (outcome.result) {
            showResult(row, *outcome.result);
        } else if (*m_isCancelled) {
            m_list->topLevelItem(row)->setText(Result, tr("was cancelled"));
        } else {
            ++m_failures;
            m_list->topLevelItem(row)->setText(Result, outcome.error);
            m_list->topLevelItem(row)->setToolTip(Result, plainToolTip(outcome.error));
        }
        importNext();
    });
}

void ImportDialog::showResult(int row, const storage::ImportResult& result)
{
    using What = storage::ImportResult::What;
    const QString folder = QString::fromStdString(result.folder.string());
    m_workbench.store.catchUp(folder);
    QTreeWidgetItem* const item = m_list->topLevelItem(row);
    QStringList notes;
    for (const std::string& sentence : result.leftOut)
        notes << translatedSentence(sentence);
    if (result.what == What::Known) {
        ++m_known;
        item->setText(Result, tr("is here already"));
    } else {
        m_done << QString::fromStdString(result.folder.filename().string());
        const QString values = formatCounted(result.newValues, tr("1 value"), tr("%Ln values", nullptr, pluralCount(result.newValues)));
        item->setText(Result, (QStringList {result.what == What::New ? values : result.what == What::Changed ? tr("has changed") : tr("%1 more").arg(values)} + notes).join(QStringLiteral("; ")));
    }
    item->setToolTip(Result, plainToolTip((QStringList {folder} + notes).join(QLatin1Char('\n'))));
    item->setCheckState(Name, Qt::Unchecked);
}

void ImportDialog::finish()
{
    m_isImporting = false;
    QStringList sentences {formatCounted(m_done.size(), tr("1 run was imported."), tr("%Ln runs were imported.", nullptr, pluralCount(m_done.size())))};
    if (m_known > 0)
        sentences << formatCounted(m_known, tr("1 is here already."), tr("%Ln are here already.", nullptr, pluralCount(m_known)));
    if (m_failures > 0)
        sentences << formatCounted(m_failures, tr("1 could not be imported."), tr("%Ln could not be imported.", nullptr, pluralCount(m_failures)));
    if (*m_isCancelled)
        sentences << tr("The rest was cancelled.");
    m_note->setText(sentences.join(QLatin1Char(' ')));
    updateState();
    Q_EMIT imported(m_done);
}

void ImportDialog::updateState()
{
    ViewState state;
    state.isLoading = m_isSearching || m_isImporting;
    if (m_isImporting)
        state.cancel = [this] { *m_isCancelled = true; };
    if (!state.isLoading && m_runs.empty())
        state.emptySentence = m_search == 0
            ? tr("Choose a folder with TensorBoard's event files, offline runs of Weights & Biases (offline-run-…) or databases of trackio; or a CSV or JSON "
                 "file with metrics.")
            : tr("Nothing to import was found there.");
    m_frame->setState(state);
    int ticked = 0;
    for (int row = 0; row < m_list->topLevelItemCount(); ++row)
        ticked += m_list->topLevelItem(row)->checkState(Name) == Qt::Checked ? 1 : 0;
    m_all->setVisible(m_list->topLevelItemCount() > 1);
    m_all->setEnabled(!m_isImporting);
    m_all->setCheckState(ticked == 0 ? Qt::Unchecked : ticked == m_list->topLevelItemCount() ? Qt::Checked : Qt::PartiallyChecked);
    m_import->setEnabled(!state.isLoading && ticked > 0);
    m_import->setText(ticked > 0 ? formatCounted(ticked, tr("Import 1 run"), tr("Import %Ln runs", nullptr, pluralCount(ticked))) : tr("Import"));
    m_path->setEnabled(!m_isImporting);
}

}  // namespace ui
