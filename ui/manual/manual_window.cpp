#include "ui/manual/manual_window.h"

#include "launcher/base/data_home.h"
#include "ui/base/icons.h"
#include "ui/base/window_size.h"
#include "ui/language/language.h"

#include <QAction>
#include <QDesktopServices>
#include <QDir>
#include <QEvent>
#include <QFileInfo>
#include <QImageReader>
#include <QLabel>
#include <QLineEdit>
#include <QShortcut>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextTable>
#include <QToolBar>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {
namespace {

QString fileOfPage(const QString& page)
{
    const QDir manual(QString::fromStdString((launcher::resourcesFolder() / "manual").string()));
    const QString name = page + QStringLiteral(".md");
    const QString translated = manual.filePath(spokenLanguage() + QLatin1Char('/') + name);
    return QFileInfo::exists(translated) ? translated : manual.filePath(name);
}

}  // namespace

ManualWindow::ManualWindow()
    : m_text(new QTextBrowser)
    , m_search(new QLineEdit)
    , m_note(new QLabel)
{
    setObjectName(QStringLiteral("manual"));
    setWindowTitle(tr("Manual – Atelier"));
    setWindowIcon(applicationIcon());
    m_text->setOpenLinks(false);
    m_text->setAccessibleName(tr("Manual"));
    m_text->document()->setDocumentMargin(18);
    m_search->setPlaceholderText(tr("Find on this page"));
    m_search->setAccessibleName(m_search->placeholderText());
    m_search->setClearButtonEnabled(true);
    m_search->setMaximumWidth(30 * fontMetrics().averageCharWidth());

    auto* bar = new QToolBar;
    bar->setToolButtonStyle(Qt::ToolButtonTextOnly);
    QAction* const contents = bar->addAction(tr("Contents"), this, [this] { open(QStringLiteral("index")); });
    contents->setToolTip(tr("The list of all pages"));
    QAction* const back = bar->addAction(tr("Back"), m_text, &QTextBrowser::backward);
    back->setShortcut(QKeySequence::Back);
    QAction* const forward = bar->addAction(tr("Forward"), m_text, &QTextBrowser::forward);
    forward->setShortcut(QKeySequence::Forward);
    for (QAction* action : {back, forward})
        action->setEnabled(false);
    auto* space = new QWidget;
    space->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    bar->addWidget(space);
    bar->addWidget(m_note);
    bar->addWidget(m_search);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(bar);
    layout->addWidget(m_text);

    connect(m_text, &QTextBrowser::backwardAvailable, back, &QAction::setEnabled);
    connect(m_text, &QTextBrowser::forwardAvailable, forward, &QAction::setEnabled);
    connect(m_text, &QTextBrowser::sourceChanged, this, &ManualWindow::arrange);
    connect(m_text, &QTextBrowser::anchorClicked, this, &ManualWindow::follow);
    connect(m_search, &QLineEdit::returnPressed, this, &ManualWindow::find);
    connect(m_search, &QLineEdit::textEdited, m_note, &QLabel::clear);
    connect(new QShortcut(QKeySequence::Find, this), &QShortcut::activated, m_search, qOverload<>(&QWidget::setFocus));
    connect(new QShortcut(QKeySequence::FindNext, this), &QShortcut::activated, this, &ManualWindow::find);
    connect(new QShortcut(QKeySequence::Close, this), &QShortcut::activated, this, &QWidget::close);
    connect(new QShortcut(Qt::Key_Escape, this), &QShortcut::activated, this, &QWidget::close);
    resize(sizeOnScreen(*this, QSize(130 * fontMetrics().averageCharWidth(), 52 * fontMetrics().height())));
}

void ManualWindow::open(const QString& page)
{
    showPage(page);
    show();
    raise();
    activateWindow();
    m_text->setFocus();
}

void ManualWindow::showPage(const QString& page)
{
    const QString file = fileOfPage(page);
    if (QFileInfo::exists(file))
        m_text->setSource(QUrl::fromLocalFile(file), QTextDocument::MarkdownResource);
    else
        m_text->setPlainText(tr("The manual is not complete: %1 is missing. Install Atelier again.").arg(file));
}

QString ManualWindow::page() const { return QFileInfo(m_text->source().toLocalFile()).completeBaseName(); }

void ManualWindow::follow(const QUrl& link)
{
    const QUrl target = m_text->source().resolved(link);
    if (target.isLocalFile() && target.path().endsWith(QLatin1String(".md")))
        showPage(QFileInfo(target.toLocalFile()).completeBaseName());
    else
        QDesktopServices::openUrl(target);
}

void ManualWindow::find()
{
    if (m_search->text().isEmpty())
        return;
    bool isFound = m_text->find(m_search->text());
    if (!isFound) {  // once more from the top
        m_text->moveCursor(QTextCursor::Start);
        isFound = m_text->find(m_search->text());
    }
    m_note->setText(isFound ? QString() : tr("Not on this page  "));
}

void ManualWindow::arrange()
{
    QTextDocument& page = *m_text->document();
    page.setDocumentMargin(18);
    const int line = fontMetrics().height();
    QTextCursor cursor(&page);
    for (QTextBlock block = page.begin(); block.isValid(); block = block.next()) {
        QTextBlockFormat format = block.blockFormat();
        if (cursor.setPosition(block.position()); cursor.currentTable())
            continue;
        if (block.text() != QChar(QChar::ObjectReplacementCharacter))  // an image
            format.setLineHeight(118, QTextBlockFormat::ProportionalHeight);
        if (format.headingLevel() > 0) {
            format.setTopMargin(format.headingLevel() == 1 ? 0 : line);
            format.setBottomMargin(line / 3.0);
        } else if (!block.textList()) {
            format.setBottomMargin(line / 2.0);
        }
        cursor.setBlockFormat(format);
    }
    for (QTextFrame* frame : page.rootFrame()->childFrames()) {
        auto* table = qobject_cast<QTextTable*>(frame);
        if (!table)
            continue;
        QTextTableFormat format = table->format();
        format.setBorderCollapse(true);
        format.setBorderBrush(palette().color(QPalette::Mid));
        format.setBorder(1);
        format.setCellPadding(5);
        format.setCellSpacing(0);
        format.setBottomMargin(line / 2.0);
        table->setFormat(format);
    }
    fitImages();
    m_text->moveCursor(QTextCursor::Start);
}

void ManualWindow::fitImages()
{
    QTextDocument& page = *m_text->document();
    const double room = m_text->viewport()->width() - 2 * page.documentMargin() - 2;
    QTextCursor cursor(&page);
    for (QTextBlock block = page.begin(); block.isValid(); block = block.next()) {
        for (auto place = block.begin(); !place.atEnd(); ++place) {
            QTextImageFormat image = place.fragment().charFormat().toImageFormat();
            if (!image.isValid())
                continue;
            const QUrl url(image.name());
            QImageReader reader(m_text->source().resolved(url).toLocalFile());
            const QSizeF natural = reader.size();
            if (natural.isEmpty())
                continue;
            const QSizeF size = natural * std::min(1.0, room / natural.width());
            reader.setScaledSize((size * devicePixelRatioF()).toSize());  // drawings are drawn anew, not scaled
            page.addResource(QTextDocument::ImageResource, page.baseUrl().resolved(url), reader.read());
            image.setWidth(size.width());
            image.setHeight(size.height());
            cursor.setPosition(place.fragment().position());
            cursor.movePosition(QTextCursor::NextCharacter, QTextCursor::KeepAnchor);
            cursor.setCharFormat(image);
            break;
        }
    }
}

void ManualWindow::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fitImages();
}

void ManualWindow::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && !m_text->source().isEmpty()) {
        m_text->reload();  // links take their colour from the palette when they are read
        arrange();
    }
}

}  // namespace ui
