// Lays widgets out in rows, as words in a paragraph: as many side by side as the width allows. Hidden ones take no room. With
// setAlignment(Qt::AlignHCenter), each row is centred.
#pragma once
#include <QLayout>

#include <vector>

namespace ui {

class FlowLayout : public QLayout {
public:
    explicit FlowLayout(QWidget* parent = nullptr);
    ~FlowLayout() override;

    void addItem(QLayoutItem* item) override { m_items.push_back(item); }
    int count() const override { return static_cast<int>(m_items.size()); }
    QLayoutItem* itemAt(int index) const override;
    QLayoutItem* takeAt(int index) override;
    Qt::Orientations expandingDirections() const override { return {}; }

    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override { return arrange(QRect(0, 0, width, 0), false); }
    /// All items in one row.
    QSize sizeHint() const override;
    /// Wide enough for the widest item.
    QSize minimumSize() const override;
    void setGeometry(const QRect& area) override;

private:
    std::vector<QLayoutItem*> shown() const;
    /// Places the items within the width of @p area, if @p applies. @return the height that they take, with margins.
    int arrange(const QRect& area, bool applies) const;

    std::vector<QLayoutItem*> m_items;  ///< owned
};

}  // namespace ui
