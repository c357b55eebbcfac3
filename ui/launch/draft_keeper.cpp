#include "ui/launch/draft_keeper.h"

#include "ui/launch/draft.h"

namespace ui {

DraftKeeper::DraftKeeper(Draft& draft, Settings& settings, const QString& run, QObject* parent)
    : QObject(parent)
    , m_draft(draft)
    , m_settings(settings)
    , m_run(run)
{
}

bool DraftKeeper::restore()
{
    const StoredDraft kept = m_settings.draft(m_run);
    const bool isThere = m_run.isEmpty() ? !kept.toml.isEmpty() : kept.isEdited;
    if (isThere) {
        m_draft.setBaseFolder(kept.folder.toStdString());
        m_draft.restore(kept.toml, kept.readableToml, kept.typed);
        if (m_run.isEmpty())
            m_draft.setOrigin(DraftOrigin::restored(kept.origin));
        if (!kept.isEdited)
            m_draft.markKept();
    }
    connect(&m_draft, &Draft::fieldsChanged, this, &DraftKeeper::keep);
    connect(&m_draft, &Draft::originChanged, this, &DraftKeeper::keep);
    return isThere;
}

void DraftKeeper::keep()
{
    if (!m_run.isEmpty() && !m_draft.isEdited())
        return m_settings.removeDraft(m_run);  // it is as in the queue
    m_settings.setDraft({.toml = m_draft.toml(),
                            .readableToml = m_draft.readableToml(),
                            .folder = QString::fromStdString(m_draft.baseFolder()),
                            .typed = m_draft.typedTexts(),
                            .origin = m_draft.origin().toStrings(),
                            .isEdited = m_draft.isEdited()},
        m_run);
}

}  // namespace ui
