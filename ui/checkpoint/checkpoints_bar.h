// The buttons above the checkpoints: what they do, and why one cannot be pressed.
#pragma once
#include <QString>
#include <QWidget>

class QToolButton;

namespace ui {

class CheckpointsBar : public QWidget {
    Q_OBJECT
public:
    /// What is selected. The texts are sentences that say why something is not possible; empty: it is.
    struct Choice {
        int selected = 0;
        bool areAllPinned = false;
        QString noResume;  ///< why the run cannot be resumed
        QString noFiles;   ///< why the files cannot be opened here
        QString noAction;  ///< why nothing can be done about the checkpoints where they are
    };

    explicit CheckpointsBar(QWidget* parent = nullptr);

    void setChoice(const Choice& choice);
    void setCanUndo(bool canUndo);
    void setCanCancel(bool canCancel);
    bool canDelete() const;

Q_SIGNALS:
    void resumeRequested();
    void verifyRequested();
    void pinRequested();
    void openRequested();
    void compareRequested();
    void exportRequested();
    void deleteRequested();
    void undoRequested();
    void cancelRequested();

private:
    QToolButton* addButton(const QString& text, const QString& help, void (CheckpointsBar::*requested)());
    /// @param reason the first that is not empty says why not
    void setPossible(QToolButton* button, std::initializer_list<QString> reasons);

    QToolButton* m_resume;
    QToolButton* m_verify;
    QToolButton* m_pin;
    QToolButton* m_open;
    QToolButton* m_compare;
    QToolButton* m_export;
    QToolButton* m_delete;
    QToolButton* m_undo;
    QToolButton* m_cancel;
};

}  // namespace ui
