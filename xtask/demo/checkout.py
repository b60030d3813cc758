"""From the basket to the paid order."""

from decimal import Decimal

TAX = Decimal("0.19")


def total(basket):
    """Sum of the basket with tax."""
    result = Decimal("0.00")
    for line in basket:
        net = line["price"] * line["count"]
        result += (net * (1 + TAX)).quantize(Decimal("0.01"))
    return result


def pay(basket, charge):
    """Charges the total and returns the receipt."""
    return charge(total(basket))
