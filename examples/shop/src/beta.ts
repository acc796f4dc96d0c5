interface Rate {
  country: string;
  percent: number;
}

const fallback: Rate = { country: "*", percent: 19 };

export function taxOf(net: number, country: string, rates: Rate[]): number {
  const rate = rates.find((entry) => entry.country === country) ?? fallback;
  return Math.round(net * rate.percent) / 100;
}
