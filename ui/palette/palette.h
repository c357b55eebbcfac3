// The palette: a field, and below it what matches what is typed there.
#pragma once
#include "ui/palette/palette_model.h"

#include <QDialog>

class QLabel;
class QLineEdit;
class QListView;

namespace ui {

/// The field keeps the focus; up and down choose, Return does it, Escape closes. Deletes itself when closed.
class Palette : public QDialog {
    Q_OBJECT
public:
    explicit Palette(QWidget* parent);

    /// What is offered from now on.
    void offer(std::vector<PaletteEntry> entries);
    PaletteModel& model() { return *m_model; }
    QListView& list() { return *m_list; }

Q_SIGNALS:
    /// The user wants this. Emitted when the palette has been closed.
    void chosen(const ui::PaletteEntry& entry);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void narrow();
    void selectRow(int row);
    void choose(const QModelIndex& index);

    PaletteModel* m_model;
    QLineEdit* m_field;
    QListView* m_list;
    QLabel* m_note;
};

}  // namespace ui
