#include "ui/metric_export_dialog.h"

#include "ui/base/background.h"
#include "ui/base/format.h"
#include "ui/base/window_size.h"
#include "ui/metric_export.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStandardPaths>
#include <QVBoxLayout>

namespace ui {

MetricExportDialog::MetricExportDialog(const launcher::DataHome& home, const std::vector<RunEntry>& runs, QWidget* parent)
    : QDialog(parent)
    , m_home(home)
    , m_format(new QComboBox(this))
    , m_folder(new QLineEdit(QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation), this))
    , m_problem(new QLabel(this))
{
    setObjectName(QStringLiteral("metricExportDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Export the metrics of %Ln runs", nullptr, pluralCount(runs.size())));
    for (const RunEntry& run : runs)
        m_ids.push_back(run.row.id);
    m_format->addItem(tr("Comma-separated values"), QStringLiteral(".csv"));
    m_format->addItem(tr("JSON"), QStringLiteral(".json"));
    m_format->addItem(tr("TensorBoard"), QStringLiteral(".tensorboard"));
    m_problem->setWordWrap(true);
    m_problem->setTextFormat(Qt::PlainText);
    auto* const choose = new QPushButton(tr("Choose…"), this);
    choose->setToolTip(tr("Choose the folder"));
    auto* const folder = new QHBoxLayout;
    folder->addWidget(m_folder, 1);
    folder->addWidget(choose);
    auto* const fields = new QFormLayout;
    fields->addRow(tr("&Format"), m_format);
    fields->addRow(tr("Fo&lder"), folder);
    static_cast<QLabel*>(fields->labelForField(folder))->setBuddy(m_folder);
    m_folder->setAccessibleName(tr("Folder"));
    auto* const buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    m_export = buttons->addButton(tr("Export"), QDialogButtonBox::AcceptRole);
    auto* const layout = new QVBoxLayout(this);
    layout->addLayout(fields);
    layout->addWidget(m_problem);
    layout->addStretch();
    layout->addWidget(buttons);
    connect(choose, &QPushButton::clicked, this, &MetricExportDialog::browse);
    connect(m_folder, &QLineEdit::textChanged, m_problem, &QLabel::clear);
    connect(buttons, &QDialogButtonBox::accepted, this, &MetricExportDialog::write);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    const int digit = fontMetrics().horizontalAdvance(QLatin1Char('0'));
    resize(sizeOnScreen(*this, QSize(80 * digit, 10 * fontMetrics().height())));
}

void MetricExportDialog::browse()
{
    auto* const dialog = new QFileDialog(this, tr("Choose the folder"), m_folder->text());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    connect(dialog, &QFileDialog::fileSelected, m_folder, &QLineEdit::setText);
    dialog->open();
}

QStringList MetricExportDialog::targets() const
{
    QStringList files;
    for (const std::string& id : m_ids)
        files << QDir(m_folder->text()).filePath(QString::fromStdString(id) + m_format->currentData().toString());
    return files;
}

void MetricExportDialog::write()
{
    struct Outcome {
        QString taken;    ///< what is there already; nothing has been written
        QString problem;  ///< of the first file that could not be written
    };
    m_export->setEnabled(false);
    inBackground(
        this,
        [database = m_home.database(), ids = m_ids, files = targets()] {
            for (const QString& file : files) {
                if (QFileInfo::exists(file))
                    return Outcome {file, {}};
            }
            for (std::size_t run = 0; run < ids.size(); ++run) {
                if (const QString problem = writeMetrics(database, ids[run], files[qsizetype(run)]); !problem.isEmpty())
                    return Outcome {{}, problem};
            }
            return Outcome {};
        },
        [this](const Outcome& outcome) {
            m_export->setEnabled(true);
            if (!outcome.taken.isEmpty())
                return m_problem->setText(tr("%1 is there already. Choose another folder.").arg(outcome.taken));
            if (!outcome.problem.isEmpty())
                return m_problem->setText(outcome.problem);
            Q_EMIT finished(tr("The metrics of %Ln runs were written to %1.", nullptr, pluralCount(m_ids.size())).arg(m_folder->text()));
            accept();
        });
}

}  // namespace ui
