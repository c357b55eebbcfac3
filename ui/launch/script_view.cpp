#include "ui/launch/script_view.h"

#include "engine/contract/experiment/slurm_rules.h"
#include "launcher/runs/launch.h"
#include "launcher/slurm/slurm_script.h"
#include "ui/launch/draft.h"

#include <QFontDatabase>
#include <QScrollBar>

namespace ui {

ScriptView::ScriptView(const launcher::DataHome& home, const Draft& draft, QWidget* parent)
    : QPlainTextEdit(parent)
    , m_home(home)
    , m_draft(draft)
{
    setObjectName(QStringLiteral("slurmScript"));
    setAccessibleName(tr("Batch script for Slurm"));
    setReadOnly(true);
    setLineWrapMode(QPlainTextEdit::NoWrap);
    setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    connect(&draft, &Draft::fieldsChanged, this, &ScriptView::update);
    update();
}

bool ScriptView::isWanted() const { return contract::isForSlurm(m_draft.experiment()); }

void ScriptView::update()
{
    const contract::Experiment& experiment = m_draft.experiment();
    // While a field is being typed in, the ranks may not be divisible among the nodes; the checks say so.
    QString script;
    if (isWanted())
        script = QString::fromStdString(launcher::slurmScript(
            experiment, launcher::exampleFolder(m_home, experiment), launcher::programPath("atelier-worker")));
    if (script == toPlainText())
        return;
    const int line = verticalScrollBar()->value();
    setPlainText(script);
    verticalScrollBar()->setValue(line);
}

}  // namespace ui
