#include "ui/notify/alerts_dialog.h"

#include "ui/base/format.h"
#include "ui/base/state_strip.h"
#include "ui/base/window_size.h"
#include "ui/notify/alerts_model.h"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QPushButton>
#include <QTreeView>
#include <QVBoxLayout>

namespace ui {

AlertsDialog::AlertsDialog(AlertsModel& model, QWidget* parent)
    : QDialog(parent)
    , m_model(model)
    , m_list(new QTreeView)
    , m_frame(new ViewFrame(m_list, this))
{
    setObjectName(QStringLiteral("alertsDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Alerts"));
    m_list->setModel(&m_model);
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->setAlternatingRowColors(true);
    m_list->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_list->setAccessibleName(tr("Alerts"));
    const int digit = fontMetrics().horizontalAdvance(QLatin1Char('0'));
    for (const AlertsModel::Column column : {AlertsModel::Time, AlertsModel::What, AlertsModel::Step})
        m_list->header()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
    m_list->header()->resizeSection(AlertsModel::Run, 20 * digit);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    m_show = buttons->addButton(tr("&Show"), QDialogButtonBox::ActionRole);
    m_show->setToolTip(tr("Open the run, and pin the step in the plots"));
    m_markAll = buttons->addButton(tr("&Mark all as read"), QDialogButtonBox::ActionRole);
    for (auto* const button : {m_show, m_markAll})
        button->setAutoDefault(false);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(m_frame, 1);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_show, &QPushButton::clicked, this, &AlertsDialog::showCurrent);
    connect(m_markAll, &QPushButton::clicked, &m_model, &AlertsModel::markAllRead);
    connect(m_list, &QTreeView::activated, this, &AlertsDialog::showCurrent);
    connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this, &AlertsDialog::showState);
    connect(&m_model, &AlertsModel::changed, this, &AlertsDialog::showState);
    if (m_model.rowCount() > 0)
        m_list->setCurrentIndex(m_model.index(0, 0));
    m_list->setFocus();
    showState();
    resize(sizeOnScreen(*this, QSize(150 * digit, 26 * fontMetrics().height())));
}

void AlertsDialog::showCurrent()
{
    const int row = m_list->currentIndex().row();
    if (row < 0)
        return;
    const storage::AlertRow alert = m_model.alert(row);
    m_model.markRead(row);
    Q_EMIT chosen(QString::fromStdString(alert.run), alert.step);
}

void AlertsDialog::showState()
{
    ViewState state;
    if (m_model.rowCount() == 0)
        state.emptySentence = tr("Nothing has happened yet: no run has ended, failed or hung, and no rule has fired.");
    if (m_model.isFull())
        state.stale = tr("Only the newest %1 alerts are shown.").arg(formatCount(AlertsModel::kMostAlerts));
    m_frame->setState(state);
    m_show->setEnabled(m_list->currentIndex().isValid());
    m_markAll->setEnabled(m_model.unread() > 0);
}

}  // namespace ui
