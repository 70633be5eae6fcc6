import { browser, check, emptyIndex, makePage, open, same } from './browser.mjs';

const names = [
  'geometry::Circle::area() const', 'geometry::Square::area() const', 'geometry::Circle::name[abi:cxx11]() const', 'grid::relax',
  'std::map<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >, int, std::less<int>, std::allocator<std::pair<int const, int> > >::clear()',
  'void sort<int*>(int*, int*)',
];
const n = names.length;
const fill = (value) => new Array(n).fill(value);
const index = emptyIndex();
Object.assign(index.functions, {
  name: names.map((_, i) => `f${i}`), demangled: names, unit: fill(0), module: fill(0), place: fill(null), calls: fill(1), executed: names.map((_, i) => n - i),
  instructions: fill(1), never: fill(0), blocks: fill(1), blocksNever: fill(0), problem: fill(null), units: ['u.cc'], modules: ['m'],
});
index.instructions = 21;
index.calls.indirect = fill(0);
index.loops = { function: ['f0'], unit: ['u.cc'], fragment: ['f0'], offset: [0], depth: [1], entered: [1], iterations: [40], executed: [6], share: [1], blocks: [1], instructions: [1], file: ['u.cc'], line: [7] };
makePage('names.html', [index, fill({}), []]);

async function shown(width) {
  const page = await open(process.cwd() + '/names.html', '#/functions', { viewport: { width, height: 800 } });
  const texts = await page.locator('.rows .name').allInnerTexts();
  await page.context().close();
  return texts;
}
same(await shown(1300), ['geometry::Circle::area() const', 'geometry::Square::area() const', 'geometry::Circle::name() const', 'grid::relax', 'std::map<std::string, int>::clear()', 'void sort<int*>(int*, int*)'], 'names on a screen');
same(await shown(390), ['geometry::Circle::area()', 'geometry::Square::area()', 'geometry::Circle::name()', 'grid::relax', 'std::map<…>::clear()', 'void sort<…>(int*, int*)'], 'names on a phone');

const page = await open(process.cwd() + '/names.html', '#/loops', { viewport: { width: 390, height: 800 } });
const box = await page.locator('.rows .name').first().boundingBox();
check(box && box.x + box.width <= 390, `a list of loops shows on a phone which loops they are: ${JSON.stringify(box)}`);
await browser.close();
