interface Item {
  sku: string;
  quantity: number;
  unitPrice: number;
}

interface Order {
  id: string;
  items: Item[];
  discount: number;
}

export function totalOf(order: Order): number {
  let total = 0;
  for (const item of order.items) {
    total += item.quantity * item.unitPrice;
  }
  return Math.max(0, total - order.discount);
}
