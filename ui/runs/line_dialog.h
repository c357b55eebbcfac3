// The dialog in which the user chooses how the lines of one or several runs are drawn.
#pragma once
#include "ui/base/line_look.h"
#include "ui/runs/run_edits.h"
#include "ui/runs/run_entry.h"

#include <QDialog>

#include <optional>
#include <vector>

class QButtonGroup;
class QFormLayout;
class QLabel;

namespace ui {

class LineSample;

class LineDialog : public QDialog {
    Q_OBJECT
public:
    /// @param runs at least one
    /// @param look the index of the automatic look of the first one
    LineDialog(const std::vector<RunEntry>& runs, int look, QWidget* parent = nullptr);

Q_SIGNALS:
    /// The user has confirmed @p change, which leaves alone what differs between the runs and was not touched.
    void confirmed(const ui::RunEdits::Change& change);

protected:
    void changeEvent(QEvent* event) override;

private:
    /// A row of buttons, of which one is chosen, or none where the runs differ.
    struct Row {
        QButtonGroup* choices = nullptr;
        QWidget* buttons = nullptr;
    };
    /// Id 0 is Automatic in every row.
    Row addRow(const QString& name);
    void addChoice(const Row& row, int id, const QString& name);
    void choose(const Row& row, int id);  ///< No-op when there is no such choice.
    void setupColours(const std::vector<RunEntry>& runs);
    void setupLines(const std::vector<RunEntry>& runs);
    void askColour();
    void chooseAutomatic();
    /// What is chosen so far; parts without a choice are automatic.
    Look look() const;
    void showChoice();
    void paintChoices();
    RunEdits::Change change() const;

    int m_automatic;
    QFormLayout* m_form;
    LineSample* m_sample;
    QLabel* m_note;
    Row m_colour;  ///< ids: one more than the index in the palette, then kOwnColour
    Row m_dash;    ///< ids: contract::LineDash
    Row m_marker;  ///< ids: contract::LineMarker
    std::optional<QRgb> m_own;  ///< the user's own colour, which the palette does not have
    int m_lastColour = -1;      ///< the id that was chosen before the user was asked for a colour; -1: none
};

}  // namespace ui
