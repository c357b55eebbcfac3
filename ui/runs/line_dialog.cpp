#include "ui/runs/line_dialog.h"

#include "ui/base/format.h"
#include "ui/base/look.h"
#include "ui/runs/line_sample.h"

#include <QButtonGroup>
#include <QColorDialog>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {
namespace {

using contract::LineDash;
using contract::LineMarker;
using contract::RunLine;

// The ids of the choices of a colour: 1 … 7 are those of the palette.
constexpr int kAutomaticColour = 0;
constexpr int kOwnColour = static_cast<int>(kLineColours.size()) + 1;
constexpr int kNoChoice = -1;  ///< of a QButtonGroup: the runs differ

constexpr QSize kChoiceIcon(26, 16);

/// What all runs have; kNoChoice when they differ.
template <typename Id>
int commonId(const std::vector<RunEntry>& runs, Id idOf)
{
    const int first = idOf(runs.front().row.line);
    const bool isSame = std::ranges::all_of(runs, [&](const RunEntry& run) { return idOf(run.row.line) == first; });
    return isSame ? first : kNoChoice;
}

int colourId(const RunLine& line)
{
    if (!line.colour)
        return kAutomaticColour;
    const auto found = std::ranges::find(kLineColours, *line.colour | 0xff000000U);
    return found == kLineColours.end() ? kOwnColour : static_cast<int>(found - kLineColours.begin()) + 1;
}

template <typename Paint>
QIcon paintedIcon(double ratio, Paint paint)
{
    QPixmap pixmap(kChoiceIcon * ratio);
    pixmap.setDevicePixelRatio(ratio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    paint(painter);
    return pixmap;
}

/// A swatch of @p colour.
QIcon colourIcon(const QColor& colour, double ratio)
{
    return paintedIcon(ratio, [&](QPainter& painter) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(colour);
        painter.drawRoundedRect(QRect(QPoint(), kChoiceIcon).adjusted(3, 1, -3, -1), 3, 3);
    });
}

QIcon lineIcon(const QPen& pen, LineMarker marker, double ratio)
{
    return paintedIcon(ratio, [&](QPainter& painter) {
        drawLineSample(painter, QPointF(0, kChoiceIcon.height() / 2.0), kChoiceIcon.width(), pen, marker);
    });
}

}  // namespace

LineDialog::LineDialog(const std::vector<RunEntry>& runs, int look, QWidget* parent)
    : QDialog(parent)
    , m_automatic(look)
    , m_form(new QFormLayout)
    , m_sample(new LineSample(this))
    , m_note(new QLabel(this))
{
    setObjectName(QStringLiteral("lineDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    const QString name = formatCounted(std::int64_t(runs.size()), runs.front().name(), tr("%Ln runs", nullptr, pluralCount(runs.size())));
    setWindowTitle(tr("Line of %1").arg(name));
    setupColours(runs);
    setupLines(runs);
    m_note->setObjectName(QStringLiteral("lineNote"));
    m_note->setWordWrap(true);
    m_note->setMinimumHeight(2 * m_note->fontMetrics().lineSpacing());
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Cancel, this);
    auto* automatic = buttons->addButton(tr("&All automatic"), QDialogButtonBox::ResetRole);
    for (QAbstractButton* button : buttons->buttons())
        button->setIcon({});
    connect(automatic, &QPushButton::clicked, this, &LineDialog::chooseAutomatic);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(this, &QDialog::accepted, this, [this] { Q_EMIT confirmed(change()); });
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(m_sample);
    layout->addWidget(m_note);
    layout->addLayout(m_form);
    layout->addWidget(buttons);
    paintChoices();
    showChoice();
}

LineDialog::Row LineDialog::addRow(const QString& name)
{
    const Row row {new QButtonGroup(this), new QWidget(this)};
    auto* layout = new QHBoxLayout(row.buttons);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(2);
    row.buttons->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    addChoice(row, 0, tr("Automatic"));
    row.choices->button(0)->setText(tr("Automatic"));
    auto* label = new QLabel(name, this);
    label->setBuddy(row.choices->button(0));
    m_form->addRow(label, row.buttons);
    connect(row.choices, &QButtonGroup::idClicked, this, &LineDialog::showChoice);
    return row;
}

void LineDialog::addChoice(const Row& row, int id, const QString& name)
{
    auto* button = new QToolButton(row.buttons);
    button->setCheckable(true);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::StrongFocus);
    button->setIconSize(kChoiceIcon);
    button->setToolTip(name);
    button->setAccessibleName(name);
    row.choices->addButton(button, id);
    row.buttons->layout()->addWidget(button);
}

void LineDialog::setupColours(const std::vector<RunEntry>& runs)
{
    const QStringList names = {tr("Blue"), tr("Orange"), tr("Green"), tr("Vermilion"), tr("Pink"), tr("Light blue"), tr("Yellow")};
    m_colour = addRow(tr("&Colour:"));
    for (int colour = 0; colour < std::ssize(kLineColours); ++colour)
        addChoice(m_colour, colour + 1, names[colour]);
    addChoice(m_colour, kOwnColour, tr("Another colour…"));
    m_colour.choices->button(kOwnColour)->setText(tr("Other…"));
    static_cast<QToolButton*>(m_colour.choices->button(kOwnColour))->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_lastColour = commonId(runs, colourId);
    for (const RunEntry& run : runs) {
        if (colourId(run.row.line) == kOwnColour && !m_own)
            m_own = QColor::fromRgb(*run.row.line.colour).rgb();
        if (colourId(run.row.line) == kOwnColour && run.row.line.colour != runs.front().row.line.colour)
            m_lastColour = kNoChoice;  // two colours of the user's own
    }
    choose(m_colour, m_lastColour);
    connect(m_colour.choices, &QButtonGroup::idClicked, this, [this](int id) {
        if (id == kOwnColour)
            askColour();
        else
            m_lastColour = id;
    });
}

void LineDialog::setupLines(const std::vector<RunEntry>& runs)
{
    m_dash = addRow(tr("&Line:"));
    int id = static_cast<int>(LineDash::Solid);
    for (const QString& name : {tr("Solid"), tr("Dashed"), tr("Dotted"), tr("Dashes and dots")})
        addChoice(m_dash, id++, name);
    choose(m_dash, commonId(runs, [](const RunLine& line) { return static_cast<int>(line.dash); }));
    m_marker = addRow(tr("&Marker:"));
    id = static_cast<int>(LineMarker::None);
    for (const QString& name : {tr("No marker"), tr("Circles"), tr("Squares"), tr("Triangles"), tr("Diamonds")})
        addChoice(m_marker, id++, name);
    choose(m_marker, commonId(runs, [](const RunLine& line) { return static_cast<int>(line.marker); }));
}

void LineDialog::askColour()
{
    auto* dialog = new QColorDialog(m_own ? QColor(*m_own) : lineColour(look(), palette()), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QColorDialog::colorSelected, this, [this](const QColor& colour) {
        m_own = colour.rgb();
        m_lastColour = kOwnColour;
        paintChoices();
        showChoice();
    });
    connect(dialog, &QDialog::rejected, this, [this] {
        m_colour.choices->setExclusive(false);  // so that the choice may be none again
        m_colour.choices->button(kOwnColour)->setChecked(false);
        m_colour.choices->setExclusive(true);
        choose(m_colour, m_lastColour);
        showChoice();
    });
    dialog->open();
}

void LineDialog::choose(const Row& row, int id)
{
    if (QAbstractButton* const button = row.choices->button(id))
        button->setChecked(true);
}

void LineDialog::chooseAutomatic()
{
    for (const Row& row : {m_colour, m_dash, m_marker})
        choose(row, 0);
    m_lastColour = kAutomaticColour;
    showChoice();
}

Look LineDialog::look() const
{
    contract::Annotations run;
    change()(run);
    return {m_automatic, run.line};
}

void LineDialog::showChoice()
{
    const Look chosen = look();
    m_sample->setLook(chosen);
    QString note;
    if (chosen.chosen.colour) {
        const QColor wanted = QColor::fromRgb(*chosen.chosen.colour), shown = lineColour(chosen, palette());
        if (shown.rgb() != wanted.rgb())
            note = shown.lightnessF() < wanted.lightnessF() ? tr("Drawn darker than chosen, so that it can be seen on this background.")
                                                            : tr("Drawn lighter than chosen, so that it can be seen on this background.");
    }
    m_note->setText(note);
}

void LineDialog::paintChoices()
{
    const double ratio = devicePixelRatioF();
    for (int colour = 0; colour < std::ssize(kLineColours); ++colour)
        m_colour.choices->button(colour + 1)->setIcon(colourIcon(lineColour(colour, palette()), ratio));
    if (m_own)
        m_colour.choices->button(kOwnColour)->setIcon(colourIcon(lineColour(Look(0, {.colour = *m_own}), palette()), ratio));
    for (const LineDash dash : {LineDash::Solid, LineDash::Dash, LineDash::Dot, LineDash::DashDot}) {
        const QPen pen(palette().color(QPalette::ButtonText), 0, lineStyle(Look(0, {.dash = dash})));
        m_dash.choices->button(static_cast<int>(dash))->setIcon(lineIcon(pen, LineMarker::None, ratio));
    }
    using enum LineMarker;
    for (const LineMarker marker : {None, Circle, Square, Triangle, Diamond})
        m_marker.choices->button(static_cast<int>(marker))->setIcon(lineIcon(palette().color(QPalette::ButtonText), marker, ratio));
}

void LineDialog::changeEvent(QEvent* event)
{
    QDialog::changeEvent(event);
    if (event->type() != QEvent::PaletteChange || !m_marker.choices)
        return;
    paintChoices();
    showChoice();
}

RunEdits::Change LineDialog::change() const
{
    const int colour = m_colour.choices->checkedId(), dash = m_dash.choices->checkedId(), marker = m_marker.choices->checkedId();
    constexpr std::uint32_t kRgb = 0xffffff;
    std::optional<std::uint32_t> chosen;
    if (colour == kOwnColour && m_own)
        chosen = *m_own & kRgb;
    else if (colour > kAutomaticColour && colour < kOwnColour)
        chosen = kLineColours[static_cast<std::size_t>(colour) - 1] & kRgb;
    const bool isColourChosen = colour == kAutomaticColour || chosen;
    return [isColourChosen, chosen, dash, marker](contract::Annotations& run) {
        if (isColourChosen)
            run.line.colour = chosen;
        if (dash != kNoChoice)
            run.line.dash = static_cast<LineDash>(dash);
        if (marker != kNoChoice)
            run.line.marker = static_cast<LineMarker>(marker);
    };
}

}  // namespace ui
