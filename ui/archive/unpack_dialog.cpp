#include "ui/archive/unpack_dialog.h"

#include "ui/archive/archive_progress.h"
#include "ui/base/window_size.h"

#include <QDialogButtonBox>
#include <QFileInfo>
#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

UnpackDialog::UnpackDialog(const launcher::DataHome& home, const QString& file, QWidget* parent)
    : QDialog(parent)
    , m_progress(new ArchiveProgressBar(this))
    , m_note(new QLabel(tr("Unpacks %1 and checks every file.").arg(file), this))
{
    setObjectName(QStringLiteral("unpackDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Unpack a run"));
    m_note->setWordWrap(true);
    m_note->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_progress, &ArchiveProgressBar::finished, this, [this, file, runs = home.runs()](const QString& runId, const QString& problem) {
        if (!problem.isEmpty())
            return m_note->setText(tr("%1 cannot be unpacked: %2").arg(file, problem));
        Q_EMIT unpacked(runId, QString::fromStdString((runs / runId.toStdString()).string()));
        accept();
    });
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(m_note);
    layout->addWidget(m_progress);
    layout->addWidget(buttons);
    const int digit = fontMetrics().horizontalAdvance(QLatin1Char('0'));
    resize(sizeOnScreen(*this, QSize(80 * digit, 8 * fontMetrics().height())));
    const auto bytes = static_cast<std::uint64_t>(std::max<qint64>(QFileInfo(file).size(), 0));
    m_progress->start(bytes, [home, path = file.toStdString()](const launcher::ArchiveProgress& progress) {
        return launcher::unpackFromFile(home, path, progress).id();
    });
}

QString UnpackDialog::note() const { return m_note->text(); }

}  // namespace ui
