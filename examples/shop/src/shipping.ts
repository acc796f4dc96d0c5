const FREE_FROM = 50;
const PER_KILOGRAM = 1.2;
const BASE = 3.9;

// Parcels above the free limit cost nothing; the rest pay by weight.
export function shippingFor(total: number, kilograms: number): number {
  if (total >= FREE_FROM) {
    return 0;
  }
  return BASE + PER_KILOGRAM * kilograms;
}
