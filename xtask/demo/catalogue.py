"""Products, prices and stock."""

PRODUCTS = {
    "umbrella": {"price": "14.90", "stock": 3},
    "lantern": {"price": "29.00", "stock": 0},
    "kettle": {"price": "39.50", "stock": 7},
}


def available(name):
    """Whether the product can be sold now."""
    return PRODUCTS[name]["stock"] > 0
