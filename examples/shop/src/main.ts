import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { totalOf } from "./alpha.ts";
import { shippingFor } from "./shipping.ts";

const place = process.argv[process.argv.indexOf("--config") + 1];
const settings = parse(readFileSync(place, "utf8"));
const total = totalOf({ id: "INV-1", items: [], discount: 0 });

console.log(`port ${settings.service.port}, an empty basket ships for ${shippingFor(total, 0)}`);
