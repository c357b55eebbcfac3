// Shows the batch script of an experiment that Slurm is to run, as it would be submitted.
#pragma once
#include "launcher/base/data_home.h"

#include <QPlainTextEdit>

namespace ui {

class Draft;

class ScriptView : public QPlainTextEdit {
    Q_OBJECT
public:
    /// @p draft must outlive this.
    ScriptView(const launcher::DataHome& home, const Draft& draft, QWidget* parent = nullptr);

    /// Whether the draft is for Slurm.
    bool isWanted() const;

private:
    void update();

    launcher::DataHome m_home;
    const Draft& m_draft;
};

}  // namespace ui
