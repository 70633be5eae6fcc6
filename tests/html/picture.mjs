// A picture of a drawing:  node picture.mjs DRAWING.svg PICTURE.png
import { browser } from './browser.mjs';

const [drawing, picture] = process.argv.slice(2);
const page = await browser.newPage({ viewport: { width: 1200, height: 800 } });
await page.goto('file://' + encodeURI(drawing));
const height = await page.evaluate(() => {
  const box = document.documentElement.viewBox.baseVal;
  return Math.ceil((1200 * box.height) / box.width);
});
await page.setViewportSize({ width: 1200, height });
await page.screenshot({ path: picture });
await browser.close();
