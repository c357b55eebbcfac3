// Shows the pages of the manual in the window's language, with links between them and a search.
#pragma once
#include <QWidget>

class QLabel;
class QLineEdit;
class QTextBrowser;

namespace ui {

class ManualWindow : public QWidget {
    Q_OBJECT
public:
    ManualWindow();

    /// Shows @p page and raises the window. Pages are resources/manual/LANGUAGE/PAGE.md, or the English resources/manual/PAGE.md where
    /// that is missing.
    void open(const QString& page);
    /// The name of the page that is shown.
    QString page() const;
    QTextBrowser& text() { return *m_text; }

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void showPage(const QString& page);
    void follow(const QUrl& link);
    void find();
    /// Gives headings, paragraphs and tables of the page that was just read some space.
    void arrange();
    void fitImages();

    QTextBrowser* m_text;
    QLineEdit* m_search;
    QLabel* m_note;
};

}  // namespace ui
