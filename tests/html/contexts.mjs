// Instructions of each function, with all it calls and its own, from rows of `chord contexts --json`: every instruction once, however often the function
// is in its chain.
export function byFunction(rows) {
  const at = new Map(rows.map((r) => [`${r.thread} ${r.id}`, r]));
  const sums = {};
  for (const row of rows) {
    if (row.exclusive === 0) continue;
    const chain = new Set();
    for (let r = row; r; r = r.parent === '' ? undefined : at.get(`${r.thread} ${r.parent}`)) chain.add(r.demangled);
    for (const name of chain) (sums[name] ??= [0, 0])[0] += row.exclusive;
    sums[row.demangled][1] += row.exclusive;
  }
  return sums;
}
