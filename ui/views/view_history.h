// The views that the user has gone through, for undo and redo.
#pragma once
#include "ui/views/saved_view.h"

#include <QString>

#include <chrono>
#include <optional>
#include <vector>

namespace ui {

class ViewHistory {
public:
    using Clock = std::chrono::steady_clock;

    explicit ViewHistory(const SavedView& view)
        : m_view(view)
    {
    }

    const SavedView& view() const { return m_view; }

    /// The user has changed the view. Changes of the visible range with the same @p gesture (not 0) are one entry; so are changes of the
    /// filter, and of the columns, that follow each other within a second. Where the view's place alone is different, there is nothing to undo.
    void change(const SavedView& view, int gesture = 0, Clock::time_point now = Clock::now());
    /// The same for a view that was opened as a whole. @param what in the texts of undo and redo
    void open(const SavedView& view, const QString& what);
    /// The view has changed by itself, or was set by undo(): there is nothing to undo.
    void follow(const SavedView& view) { m_view = view; }

    /// What undo() would undo; empty: nothing.
    QString undoable() const { return m_undo.empty() ? QString() : m_undo.back().what; }
    QString redoable() const { return m_redo.empty() ? QString() : m_redo.back().what; }
    /// Whether that is the opening of a view, which concerns all of the window.
    bool isOpeningUndoable() const { return !m_undo.empty() && m_undo.back().isOpening; }
    bool isOpeningRedoable() const { return !m_redo.empty() && m_redo.back().isOpening; }
    Clock::time_point undoableSince() const { return m_undo.empty() ? Clock::time_point() : m_undo.back().time; }
    Clock::time_point redoableSince() const { return m_redo.empty() ? Clock::time_point() : m_redo.back().time; }

    /// The view to show now, in which only what the change had changed is as before it; nullopt when there is nothing to undo.
    std::optional<SavedView> undo();
    std::optional<SavedView> redo();

private:
    struct Step {
        QString what;
        SavedView before;
        SavedView after;
        int gesture = 0;
        Clock::time_point time;
        bool isOpening = false;
    };
    bool continues(const Step& step, int gesture, Clock::time_point now) const;

    static constexpr std::size_t kMaxSteps = 200;

    SavedView m_view;
    std::vector<Step> m_undo;  ///< oldest first
    std::vector<Step> m_redo;  ///< the one undone last is last
};

}  // namespace ui
